"""A dependency parser as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from structsvm.contract.problem import Problem
from structsvm.data.arrays import Vector
from structsvm.data.containers import require_examples
from structsvm.data.matrices import mean_square
from structsvm.data.validation import (
    checked_sample_weight,
    require_callable,
    require_flag,
    require_integer,
)
from structsvm.estimators.base import chosen_C, one_thread_if_sparse
from structsvm.estimators.structured import StructuredSVM
from structsvm.problems.classification.labels import require_some_known
from structsvm.problems.trees.arcs import Arcs, Layout, Trees
from structsvm.problems.trees.checks import flat_trees, is_labelled, require_trees
from structsvm.problems.trees.descriptions import (
    Described,
    GivenMatrices,
    OwnDescriptions,
    require_sentences,
)
from structsvm.problems.trees.problem import DependencyTree
from structsvm.results.callbacks import Callbacks
from structsvm.results.verification import Verification
from structsvm.solvers.shared.early_stopping import PATIENCE

if TYPE_CHECKING:
    from typing_extensions import Self

#: Hashes, at most: there is a table of them.
MOST_HASHES = 2**31 - 1


class DependencyParser(StructuredSVM):
    """A parser of sentences to dependency trees, trained with a certified gap.

    By default a sentence is a list of pairs (word, tag), and its arcs are described by the
    templates of McDonald, Crammer & Pereira (ACL 2005): words and tags of head and dependent, tags
    beside and between them, direction and length. Arcs may cross, unless ``projective`` is set.
    :doc:`/trees` parses English.

    Parameters
    ----------
    C : float or 'auto', default='auto'
        Weight of the *mean* slack of the sentences in the objective of :mod:`structsvm.objective`,
        > 0. 'auto' is n / s for n sentences and s the mean of ||x||^2 over the arcs of their trees.
        :doc:`/trees` shows how that was chosen.
    single_root : bool, default=True
        Whether exactly one word of a sentence has the head 0, as in Universal Dependencies.
    projective : bool, default=False
        Whether arcs must not cross, those from the root included. Then training trees in which
        arcs cross are refused.
    features : callable, optional
        Features of your own: ``features(sentence, head, dependent)`` returns a list of names, or a
        dictionary of names and values (numbers, booleans or strings), for an arc; words are
        numbered from 1, and head 0 is the root. Sentences may then be sequences of any kind. Names
        that do not occur in training are ignored.
    n_features : int, default=4194304
        Number of hashes of the built-in features. Those that occur on arcs of the training trees
        get a weight.
    solver : 'auto' or solver object, default='auto'
    rtol : float, optional
        As in :class:`structsvm.StructuredSVM`, but with 'auto' the default is 0.05.
    max_iter, time_limit
        As in :class:`structsvm.StructuredSVM`.
    warm_start : bool, default=False
        As in :class:`structsvm.StructuredSVM`; the data must be the same.
    n_jobs : int, optional
        Number of threads, each with a block of the sentences; as in
        :class:`structsvm.StructuredSVM`.
    callback : callable or list of callables, optional
        As in :class:`structsvm.StructuredSVM`.
    verbose : bool, default=False
        Show a progress bar.
    early_stopping, validation_fraction, n_iter_no_change, random_state
        As in :class:`structsvm.StructuredSVM`.

    Attributes
    ----------
    C_ : float
        The C of the fit.
    coef_ : ndarray of shape (d,) or (R, d)
        The weights of features, with labels those of each label.
    classes_ : ndarray of shape (R,) or None
        The labels, sorted; None without labels.
    problem_ : DependencyTree
    result_ : Result
        Objective, gap, status and guarantee of the fit.
    n_iter_ : int
        Passes over the data.
    validation_indices_, validation_scores_
        As in :class:`structsvm.StructuredSVM`.

    Examples
    --------
    >>> from structsvm.problems import DependencyParser
    >>> X = [[("the", "DET"), ("cat", "NOUN"), ("sleeps", "VERB")], [("go", "VERB")]]
    >>> parser = DependencyParser().fit(X, [[2, 3, 0], [0]])
    >>> parser.predict([[("a", "DET"), ("dog", "NOUN"), ("barks", "VERB")]])
    [array([2, 3, 0])]
    >>> parser = DependencyParser().fit(X, [[(2, "det"), (3, "nsubj"), (0, "root")], [(0, "root")]])
    >>> parser.predict(X[:1])
    [[(2, 'det'), (3, 'nsubj'), (0, 'root')]]
    """

    problem_: DependencyTree
    default_rtol = 0.05

    def __init__(
        self,
        C: float | str = "auto",
        single_root: bool = True,
        projective: bool = False,
        features: Callable[[Any, int, int], Any] | None = None,
        n_features: int = 2**22,
        solver: Any = "auto",
        rtol: float | None = None,
        max_iter: int | None = None,
        time_limit: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        callback: Callbacks = None,
        verbose: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = PATIENCE,
        random_state: Any = 0,
    ) -> None:
        self.C = C
        self.single_root = single_root
        self.projective = projective
        self.features = features
        self.n_features = n_features
        self.solver = solver
        self.rtol = rtol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.callback = callback
        self.verbose = verbose
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        Y: Any = None,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        Y_val: Any = None,
        checkpoint: Any = None,
    ) -> Self:
        """Train on sentences X and their trees Y.

        Parameters
        ----------
        X : sequence of n sentences
            Each a sequence of pairs (word, tag), two strings; with ``features`` a sequence of
            anything. Or the features of its arcs, as :class:`DependencyTree` takes them.
        Y : sequence of n trees
            Each an array-like of heads, one for each word: 0 for the root, or the number of a word,
            from 1. For labelled arcs, a list of pairs (head, label).
        sample_weight : array-like of shape (n,), optional
            Weights of the sentences, as in :class:`structsvm.StructuredSVM`.
        X_val, Y_val : sequences of m sentences and trees, optional
            What ``early_stopping`` is to hold out, in place of a part of X and Y.
        checkpoint : Checkpoint or path-like, optional
            As in :class:`structsvm.StructuredSVM`.

        Returns
        -------
        DependencyParser
            The estimator itself. A fit that did not converge warns with scikit-learn's
            ``ConvergenceWarning``.

        Raises
        ------
        ValueError
            A sentence has no words or is of another kind, heads are no tree (a cycle, several
            roots, numbers that are no words), or a parameter is out of its range.
        """
        require_flag("single_root", self.single_root)
        require_flag("projective", self.projective)
        require_integer("n_features", self.n_features, 1, MOST_HASHES)
        self._describe = self._new_descriptions(X, Y)
        arcs = self._arcs(X)
        weights = checked_sample_weight(sample_weight, len(arcs))
        self.C_ = chosen_C(self.C, lambda: _automatic_C(arcs, self._heads(Y, arcs.layout), weights))
        held_out = None if X_val is None else self._arcs(X_val)
        with one_thread_if_sparse(arcs.rows):
            super().fit(arcs, Y, weights, X_val=held_out, Y_val=Y_val, checkpoint=checkpoint)
        self.classes_ = self.problem_.classes_
        coef = self.w_.reshape(self.problem_.n_features_, -1)
        self.coef_ = coef[:, 0] if self.classes_ is None else coef.T
        return self

    def predict(self, X: Any) -> list[Any]:
        """The trees of highest score: arrays of heads, or lists of pairs (head, label).

        Parameters
        ----------
        X : sequence of n sentences
            As in :meth:`fit`.
        """
        check_is_fitted(self, "w_")
        return list(super().predict(self._arcs(X)))

    def score(self, X: Any, Y: Any, sample_weight: Any = None) -> float:
        """Return the attachment score: the fraction of words with the right head.

        With labels, of words with the right head and label; labels that were not trained on count
        as wrong, with a warning that counts them. Punctuation counts.

        Parameters
        ----------
        X, Y : sequences of n sentences and trees
            As in :meth:`fit`.
        sample_weight : array-like of shape (n,), optional
            Weights of the sentences; their words have the same.
        """
        check_is_fitted(self, "w_")
        arcs, classes = self._arcs(X), self.classes_
        heads, labels = flat_trees(Y, arcs.layout, classes is not None)
        found: Any = self.problem_.batch_decode(arcs, self.w_)
        right = found.heads == heads
        if classes is not None:
            require_some_known(labels, classes)
            right &= classes[found.labels] == np.asarray(labels)
        weights = checked_sample_weight(sample_weight, len(arcs))
        return float(np.average(right, weights=np.repeat(weights, arcs.layout.lengths)))

    def verify(self, X: Any, Y: Any = None, sample_weight: Any = None) -> Verification:
        """Recompute the certificate from the training data: see :meth:`structsvm.Result.verify`.

        X, Y and the weights are those given to ``fit``; what early stopping held out is left out.
        """
        check_is_fitted(self, "w_")
        return super().verify(self._arcs(X), Y, sample_weight)

    def _problem(self) -> Problem:
        return DependencyTree(self.single_root, self.projective)

    def _run_options(self, problem: Problem, X: Any, Y: Any) -> dict[str, Any]:
        return {**super()._run_options(problem, X, Y), "C": self.C_}

    def _new_descriptions(self, X: Any, Y: Any) -> Callable[[Any], Arcs]:
        """A function from sentences to the features of their arcs."""
        n = require_examples(X)
        if self.features is not None:
            require_callable("features", self.features)
            return OwnDescriptions(self.features)
        if (isinstance(X[0], np.ndarray) and X[0].ndim == 3) or sparse.issparse(X[0]):
            return GivenMatrices()
        require_sentences(X)
        layout = Layout(np.array([len(X[i]) for i in range(n)], dtype=np.intp))
        return Described(X, self._heads(Y, layout), self.n_features)

    def _heads(self, Y: Any, layout: Layout) -> Any:
        """The heads of all words; a ValueError where they are no trees."""
        heads, _ = flat_trees(Y, layout, is_labelled(Y))
        require_trees(heads, layout, self.single_root, self.projective)
        return heads

    def _arcs(self, X: Any) -> Arcs:
        """The features of the arcs of sentences."""
        require_examples(X)
        if isinstance(self._describe, Described):
            require_sentences(X)
        return self._describe(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.target_tags.required = True
        return tags


def _automatic_C(arcs: Arcs, heads: Any, weights: Vector) -> float:
    """The number of sentences divided by the mean of ||x||^2 over the arcs x of their trees.

    Sentences count by their weights.
    """
    rows = arcs.rows[Trees(heads, arcs.layout).places(arcs.layout)]
    mean = mean_square(rows, np.repeat(weights, arcs.layout.lengths))
    return float(weights.sum() / (mean or 1.0))
