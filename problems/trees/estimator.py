"""The estimator for dependency parsing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from structsvm.contract.problem import Problem
from structsvm.data.arrays import Indices, Vector
from structsvm.data.choices import Auto, ChoiceOfC
from structsvm.data.columns import rows_in
from structsvm.data.containers import listed, require_examples
from structsvm.data.conversion import require_same_indices
from structsvm.data.matrices import mean_square
from structsvm.data.validation import checked_sample_weight, require_callable
from structsvm.data.weight_name import WeightName
from structsvm.docstrings import documented
from structsvm.estimators.about import About
from structsvm.estimators.encoding import Encoded, Encoding
from structsvm.estimators.estimator import outputs_called_y
from structsvm.estimators.probabilities import TRAINED, HasProbabilities, normalised
from structsvm.estimators.training import StructuredEstimator
from structsvm.objective.surrogate import Loss
from structsvm.problems.classification.labels import trained_on
from structsvm.problems.classification.state_weights import (
    HasStates,
    carried_weights,
    states_of_prior,
)
from structsvm.problems.classification.states import KnownStates
from structsvm.problems.trees.data import ArcLayout, Trees, flat_trees, is_labelled
from structsvm.problems.trees.features import (
    Described,
    GivenMatrices,
    OwnDescriptions,
    require_sentences,
)
from structsvm.problems.trees.problem import DependencyTree
from structsvm.results.result import Result

#: C for other losses, relative to C for the hinge.
OF_OTHER_LOSSES = 10.0


class ArcEncoding(Encoding):
    """The encoding of sentences by the features of their arcs.

    Parameters
    ----------
    features : callable or None

    Attributes
    ----------
    describe : Described, GivenMatrices or OwnDescriptions
        The function that returns the features of the arcs of sentences.
    known_states : KnownStates or None
        The states of a prior model, which are kept.
    """

    describe: Described | GivenMatrices | OwnDescriptions
    known_states: KnownStates | None = None

    def __init__(self, features: Any) -> None:
        self.features = features

    def learn(self, X: Any, y: Any, sample_weight: Any, prior: Any = None) -> Encoded:
        if prior is not None and prior.classes_ is not None and not is_labelled(y):
            raise ValueError(
                "w_prior was fitted to trees with labels, and those in y have none; give labels, "
                "or a prior that was fitted to heads alone"
            )
        self.describe = self._descriptions(X, y, prior and prior._encoding.describe)
        data = self.encode(X, y, sample_weight)
        if prior is not None:
            names = prior._encoding.describe.names, self.describe.names
            self.known_states = states_of_prior(prior.problem_, *names, data.rows)
        return data

    def encode(self, X: Any, y: Any = None, sample_weight: Any = None) -> Encoded:
        weights, arcs = checked_sample_weight(sample_weight, require_examples(X)), self.describe(X)
        return Encoded(arcs, y, weights, arcs.rows)

    def weight_names(self, places: Indices, problem: Any) -> list[WeightName]:
        labels, names = problem.classes_, self.describe.names
        pairs = zip(*(part[places].tolist() for part in problem.states_.places), strict=True)
        return [
            WeightName(str(names[j]) if names else j, None if labels is None else labels[c])
            for j, c in pairs
        ]

    def carried(self, prior: Any, problem: Any) -> Vector:
        names = self.describe.names, prior._encoding.describe.names
        return carried_weights(problem, prior.problem_, names, prior.w_)

    def _descriptions(self, X: Any, y: Any, begin: Any) -> Any:
        """Return a function from sentences to arc features; features of ``begin`` come first."""
        require_examples(X)
        if self.features is not None:
            require_callable("features", self.features)
            return OwnDescriptions(self.features, begin)
        if (isinstance(X[0], np.ndarray) and X[0].ndim == 3) or sparse.issparse(X[0]):
            return GivenMatrices()
        require_sentences(X)
        heads, _ = flat_trees(y, ArcLayout([*map(len, X)]), is_labelled(y))
        return Described(X, heads, begin)


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class DependencyParser(HasStates, HasProbabilities, StructuredEstimator):
    """A parser that predicts the dependency trees of sentences, trained to a certified gap.

    By default a sentence is a list of pairs (word, tag). The arcs of a sentence are described by
    the templates of McDonald, Crammer & Pereira (ACL 2005): words and tags of the head and the
    dependent, tags beside and between them, and the direction and length of the arc. The page
    :doc:`/trees` shows how to parse English.

    X is a sequence of n sentences; with the parameter ``features``, a sentence may be any sequence.
    X may also hold the features of arcs, in the format of :class:`DependencyTree`. The target ``y``
    is a sequence of n trees. A tree is an array-like with a head for each word: 0 for the root, or
    the number of a word, from 1. For labelled arcs a tree is a list of pairs (head, label). Heads
    that do not form a tree raise an error.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    C : float, 'auto' or 'cv', default='auto'
        Weight of the mean slack of the sentences in the :mod:`structsvm.objective`, > 0. For n
        sentences, 'auto' is n divided by the mean of ||x||^2 over the arcs x of the true trees, or
        ten times as much if ``loss`` is not 'hinge'. The page :doc:`/trees` shows how 'auto' was
        chosen. 'cv' chooses C by cross-validation: see ``cv_scores_``.
    single_root : bool, default=True
        Whether exactly one word of a sentence has the head 0, as in Universal Dependencies.
    projective : bool or 'auto', default='auto'
        Whether trees must be projective: no arcs cross, including arcs from the root. With True,
        training trees with crossing arcs raise an error. With 'auto', training trees may have
        crossing arcs. 'auto' predicts projective trees if at least 85 % of the training trees are
        projective. The page :doc:`/trees` compares the options.
    features : callable, optional
        A function for your own features: ``features(sentence, head, dependent)`` returns the
        features of an arc, as a list of names, or as a dictionary from names to values (numbers,
        booleans or strings). Words are numbered from 1, and head 0 is the root. With the parameter
        ``features``, sentences may be any sequences. Names that do not occur in training are
        ignored.
    all_possible_states : bool or 'auto', default='auto'
        For labelled arcs: whether all pairs of a feature and a label have a weight (True), or only
        the pairs that occur in training trees (False). 'auto' takes all pairs of a feature and a
        label if there are at most half a million of them. If there are more than half a million
        pairs of a feature and a label, 'auto' takes the pairs that occur in true trees. 'auto' adds
        pairs of the most frequent features with all labels, up to a total of half a million pairs
        of a feature and a label.
    loss : {'hinge', 'softmax_margin', 'log_loss'}, default='hinge'
        The surrogate of the loss; see :mod:`structsvm.objective.surrogate`.
    rtol : float, optional
        Relative tolerance, >= 0 and < 1. Training stops when the gap is at most ``rtol`` times the
        primal value. Default with ``solver='auto'``: 0.05.

    Attributes
    ----------
    coef_ : ndarray of shape (d,) or (R, d), or CSR matrix
        The weights of the features; with labels, a row for each label. A CSR matrix if some pairs
        of a feature and a label have no weight.
    classes_ : ndarray of shape (R,) or None
        The sorted labels, or None if arcs have no labels.
    temperature_ : float
        The temperature that :meth:`fit_temperature` has found; 1 before its first call.

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

    about = About(
        "Sequences and trees", "the syntax tree of a sentence", X="sentences, lists of (word, tag)",
        y="the head of each word, 0 for the root, or (head, label)", page="trees.md",
        score=(
            "words with the right head, or head and label: the unlabelled or labelled "
            "attachment score. Punctuation counts"
        ),
    )  # fmt: skip

    C: float | ChoiceOfC = "auto"
    single_root: bool = True
    projective: bool | Auto = "auto"
    features: Callable[[Any, int, int], Any] | None = None
    all_possible_states: bool | Auto = "auto"
    loss: Loss = "hinge"

    default_rtol = 0.05
    _takes_matrix, _requires_y = False, True

    def predict(self, X: Any) -> list[Any]:
        """Predict the trees of highest score: arrays of heads, or lists of pairs (head, label).

        Parameters
        ----------
        X : sequence of n sentences
            n may be 0.
        """
        return list(super().predict(X))

    def predict_proba(self, X: Any, *, temperature: float | None = None) -> list[Vector]:
        """Return the probability that an arc is in the tree, for all arcs of every sentence.

        The probability of a tree is proportional to exp(score / temperature): see
        :meth:`ChainSVM.predict_proba`.

        Parameters
        ----------
        X : sequence of n sentences
            n may be 0.
        temperature : float, optional
            The temperature, > 0; by default ``temperature_``.

        Returns
        -------
        list of n arrays of shape (m, m + 1)
            ``p[j - 1, i]`` is the probability of the arc from head i to word j; head 0 is the root.
            Rows sum to 1. With labels the shape is (m, m + 1, R), with an entry for each of
            ``classes_``.
        """
        return [normalised(p) for p in self._of_parts(X, temperature)]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the attachment score: the fraction of words with the right head.

        With labels, both head and label must be right. Words whose true label is not in the
        training data count as wrong; a warning states how many. Punctuation counts.

        Parameters
        ----------
        X, y : sequences of n sentences and trees
        sample_weight : array-like of shape (n,), optional
            Weights of the sentences; each word has the weight of its sentence.
        """
        check_is_fitted(self, "w_")
        (arcs, y, weights, _), classes = self._encoded(X, y, sample_weight), self.classes_
        with outputs_called_y():
            heads, labels = flat_trees(y, arcs.layout, classes is not None)
        found: Any = self.problem_.task(arcs).decode(self.w_)
        right = found.heads == heads
        if classes is not None:
            right &= trained_on(labels, classes) & (classes[found.labels] == np.asarray(labels))
        return float(np.average(right, weights=np.repeat(weights, arcs.layout.sizes)))

    def _new_encoding(self) -> ArcEncoding:
        return ArcEncoding(self.features)

    def _given(self, X: Any, y: Any, reset: bool) -> tuple[Any, Any]:
        X, y = listed(X), listed(y)
        require_same_indices(y, X)
        return rows_in(self, "X", X, reset=reset), y

    def _automatic_C(self, data: Encoded) -> float:
        """Return the number of sentences divided by the mean of ||x||^2 over the true arcs x.

        For losses other than the hinge loss, the default C is ten times the default for the hinge
        loss. Each sentence counts by its weight.
        """
        layout = data.X.layout
        heads, _ = flat_trees(data.Y, layout, is_labelled(data.Y))
        rows = data.rows[Trees(heads, layout).places(layout)]
        mean = mean_square(rows, np.repeat(data.weights, layout.sizes))
        factor = 1.0 if self.loss == "hinge" else OF_OTHER_LOSSES
        return factor * float(data.weights.sum() / (mean or 1.0))

    def _problem(self) -> Problem:
        problem = DependencyTree(self.single_root, self.projective, self.all_possible_states)
        problem.known_states = self._encoding.known_states
        return problem

    def _keep(self, problem: Any, result: Result, data: Encoded) -> None:
        super()._keep(problem, result, data)
        self.classes_: NDArray[Any] | None = problem.classes_
        self.temperature_ = TRAINED

    @property
    def coef_(self) -> Any:
        check_is_fitted(self, "w_")
        weights = self.problem_.states_.by_label(self.w_)
        return weights[0] if self.classes_ is None else weights
