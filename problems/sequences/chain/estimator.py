"""The estimator for sequence labelling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from structsvm.data.arrays import Self, Vector
from structsvm.data.blocks import Blocks
from structsvm.data.choices import Auto, ChoiceOfC, ClassWeight
from structsvm.data.containers import dense
from structsvm.data.conversion import require_parts_not_swapped
from structsvm.data.validation import require_integer
from structsvm.docstrings import documented
from structsvm.estimators.about import About
from structsvm.estimators.early_stopping import about_held_out
from structsvm.estimators.encoding import Encoded
from structsvm.estimators.probabilities import normalised
from structsvm.objective.surrogate import Loss
from structsvm.problems.classification.labels import Labels, trained_on
from structsvm.problems.sequences.chain.encoding import ENDS, ChainEncoding
from structsvm.problems.sequences.chain.problem import Chain, ChainTask, ScoredChainTask
from structsvm.problems.sequences.chain.transitions import Rule, pairs_of
from structsvm.problems.sequences.data import Given
from structsvm.problems.sequences.estimator import SequenceEstimator
from structsvm.results.result import Result
from structsvm.results.verification import Verification


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class ChainSVM(SequenceEstimator):
    """A structural SVM over a chain, which predicts a label for each position of a sequence.

    The score of a labelling is the sum of the weights of the features at its positions, of its
    transitions, and of its first and last label. Training minimises the number of wrong labels by
    margin rescaling, with exact oracles and a certified gap. The problem is :class:`Chain`.

    X is a list of sequences, and y a list of as many sequences of labels. A sequence is a matrix of
    shape (length, n_features), dense or scipy.sparse, a DataFrame, or a list of dicts of features,
    one for each position. A value in a dict is a number, a bool or a string; a string becomes a
    feature ``name:string``. As in CRFsuite, a value may also be a list of strings or a dict of
    values. A position may also be given as a list of the names of its features. An array of
    numbers, such as an embedding, becomes a column for each number.

    X may also be one table of all rows: a DataFrame, a pyarrow table, a matrix or a list of dicts.
    For a table, y has a label for each row, and ``groups`` the name of each row's sequence. The
    rows of a sequence must be in the order of the positions. For a table, ``predict`` returns an
    array with a label for each row.

    The method ``fit`` also takes :class:`structsvm.Blocks`, without y. A block holds a list of
    sequences and a list of their labels.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    C : float, 'auto' or 'cv', default='auto'
        Weight of the mean slack of a sequence in the :mod:`structsvm.objective`, > 0. 'auto' is 3
        times the sum of the weights of the sequences, or 10 times the sum if ``loss`` is not
        'hinge'. The weights of sequences are 1 without ``sample_weight``. The page
        :doc:`/appendix/defaults` shows how the value of 'auto' was chosen. 'cv' chooses C by
        cross-validation: see ``cv_scores_``.
    allowed_transitions : callable or pairs of labels, optional
        Which labels may follow each other: a function ``allowed(label, next_label)``, or the pairs
        of labels for which ``allowed`` is true. A pair (None, label) means that a sequence may
        begin with the label, and a pair (label, None) that a sequence may end with the label. If no
        pair begins with None, a sequence may begin with any label. If no pair ends with None, a
        sequence may end with any label. Neither training nor predictions use transitions that are
        not allowed. Default: all transitions. For BIO labels of segments, pass the function
        :func:`bio_transitions`.
    class_weight : dict or 'balanced', optional
        The loss of a wrong label, for each true label; 1 by default. ``class_weight`` cannot be
        used with 'log_loss', which does not depend on the loss.
    all_possible_states : bool or 'auto', default='auto'
        Whether sparse features have a weight for all pairs of a feature and a label (True), or only
        for the pairs that occur in training (False). False is the default of CRFsuite. 'auto' takes
        all pairs of a feature and a label if there are at most half a million pairs. If there are
        more than half a million pairs of a feature and a label, 'auto' takes the pairs that occur
        in training. 'auto' also takes the pairs of the most frequent features with all labels, up
        to half a million pairs in total. With weights for all pairs of a feature and a label,
        training takes more time and memory, and predictions are a little more accurate on some
        data: see the comparison in :doc:`/sequences`. If some pairs of a feature and a label have
        no weight, sparse features are not centred.
    loss : {'hinge', 'softmax_margin', 'log_loss'}, default='hinge'
        The surrogate of the loss; see :mod:`structsvm.objective.surrogate`. 'log_loss' trains a
        conditional random field, as L-BFGS in CRFsuite does.
    rtol : float, optional
        Relative tolerance, >= 0 and < 1. Training stops when the gap is at most ``rtol`` times the
        primal value. Default with ``solver='auto'``: 0.1. The page :doc:`/appendix/defaults` shows
        that smaller gaps hardly change predictions.
    warm_start : bool, default=False
        Whether to start the next fit from the ``w_`` of the last fit, if features and labels are
        the same. If X and y are the same as in the last fit, for example if only C changes, the
        cutting planes are reused.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The labels, sorted.
    coef_ : ndarray or CSR matrix of shape (k, n_features)
        The weight of each feature for each label; a CSR matrix if some pairs have no weight.
    transitions_ : ndarray of shape (k, k)
        ``transitions_[a, b]`` is the weight of label b after label a, -inf if it is not allowed. If
        features are centred, ``transitions_[a, b]`` and ``start_transitions_[b]`` include the score
        of b for the means of the features.
    start_transitions_, end_transitions_ : ndarray of shape (k,)
        The weights of the first and of the last label of a sequence.
    state_features_ : dict
        The nonzero weights of features, with keys (name, label).
    transition_features_ : dict
        The nonzero weights of transitions, with keys (label, next label).
    n_features_in_ : int
        Number of columns of ``coef_``.
    feature_names_in_ : ndarray of str
        The names of the columns of ``coef_``, if X holds dicts or is a DataFrame.
    temperature_ : float
        The temperature that :meth:`fit_temperature` has found; 1 before its first call.
    validation_indices_ : ndarray of shape (m,) or None
        The sequences that early stopping held out.

    Examples
    --------
    >>> from structsvm.problems import ChainSVM
    >>> X = [[{"word": "the"}, {"word": "dog"}], [{"word": "dogs"}, {"word": "bark"}]]
    >>> y = [["DET", "NOUN"], ["NOUN", "VERB"]]
    >>> svm = ChainSVM().fit(X, y)
    >>> svm.predict([[{"word": "the"}, {"word": "bark"}], [{"word": "dogs"}]])
    [['DET', 'VERB'], ['NOUN']]
    >>> [name for name, weight in svm.top_features(1)["VERB"]]
    ['word:bark']
    """

    about = About(
        "Sequences and trees", "a label for each position: tags of words, letters, states",
        X="lists of dicts, matrices, or a table with `groups`",
        y="a list of labels for each sequence", page="sequences.md",
        score=(
            "positions with the right label. Join the lists for `classification_report`. "
            "`segment_f1_score` is for names and other segments written as labels, with `groups` "
            "for a table"
        ),
    )  # fmt: skip

    C: float | ChoiceOfC = "auto"
    allowed_transitions: Rule | None = None
    class_weight: ClassWeight = None
    all_possible_states: bool | Auto = "auto"
    loss: Loss = "hinge"

    #: From benchmarks/defaults/sequences.py and tolerance.py.
    default_C, default_rtol = (3.0, 10.0), 0.1

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        groups: Any = None,
        sample_weight: Any = None,
        w_prior: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        groups_val: Any = None,
        checkpoint: Any = None,
    ) -> Self:
        """Train on sequences X and their labels y.

        Parameters
        ----------
        X : list of n matrices or lists of dicts; with ``groups`` a table of all rows
            In products with X, float32 stays float32. Dicts become float32 if float32 represents
            their numbers exactly. Matrices of any type other than float32 are converted to float64.
        y : list of n sequences of labels; with ``groups`` array-like of a label for each row
            Labels of any sortable type, at least two different ones.
        groups : array-like of shape (n_rows,), optional
            The sequence to which each row of the table belongs: numbers, strings or other values of
            one type, none missing. A warning follows if the rows of a sequence are not adjacent.
        sample_weight : array-like of shape (n,), or weights of positions, optional
            The weights of the sequences in the mean slack, >= 0 and not all 0. Instead of weights
            of sequences, you can pass the loss of a wrong label at each position, >= 0: a list of n
            arrays or, with ``groups``, an array of shape (n_rows,). ``class_weight`` multiplies the
            losses of wrong labels. Default: 1.
        w_prior : ChainSVM, optional
            A fitted ChainSVM. The regulariser is the squared distance of the weights from the
            weights of the prior, instead of from 0. Features and labels are matched by name. The
            prior may be fitted to sequences from another source. Features and labels that occur
            only in the prior keep their weights, and features and labels that occur only in X and y
            start at 0. An array of weights for unscaled features, in the order of ``w_``, is
            accepted, too.
        X_val, y_val, groups_val : as X, y and groups, optional
            The held-out data for ``early_stopping``. By default, a part of X and y is held out.

        Returns
        -------
        ChainSVM
            The estimator itself. A fit that did not converge warns with scikit-learn's
            ``ConvergenceWarning``.

        Raises
        ------
        ValueError
            If the sequences or labels are unusable, labels have a forbidden transition, or a
            parameter is out of its range. The error message names the sequence.
        """
        if isinstance(X, Blocks) and groups is not None:
            raise ValueError("Blocks hold lists of sequences and of their labels; give no groups")
        if groups is None:
            require_parts_not_swapped(X, y)
        if groups_val is not None and X_val is None:
            raise ValueError("groups_val says the sequence of each row of X_val, which is None")
        if X_val is not None:
            with about_held_out():
                X_val = Given.of(X_val, groups_val)
        given = X if isinstance(X, Blocks) else Given.of(X, groups)
        if isinstance(given, Given) and given.weights(sample_weight)[1] is not None:
            self._require_loss_counts("a sample_weight of positions")
        return super().fit(
            given,
            y,
            sample_weight=sample_weight,
            w_prior=w_prior,
            X_val=X_val,
            y_val=y_val,
            checkpoint=checkpoint,
        )

    @overload
    def predict(self, X: Any, *, groups: None = None) -> list[list[Any]]: ...

    @overload
    def predict(self, X: Any, *, groups: Any) -> NDArray[Any]: ...

    def predict(self, X: Any, *, groups: Any = None) -> list[list[Any]] | NDArray[Any]:
        """Return the labelling of highest score of every sequence, or [] for an empty sequence.

        Features that are not in the training data are ignored. The number of ignored features is
        logged, with a warning if more than half of the features are ignored.

        Returns
        -------
        list of n lists of labels; with ``groups`` ndarray of a label for each row

        Raises
        ------
        ValueError
            If the sequences are unusable, or if a sequence has no allowed labelling.
        """
        given, task = self._task(X, groups)
        labels = self.classes_[task.decode(self.w_).flat()]
        if given.order is not None:
            return np.asarray(given.as_given(labels))
        return given.sequences(labels.tolist())

    def predict_single(self, x: Any) -> list[Any]:
        """Return the labelling of highest score of one sequence."""
        return self.predict([x])[0]

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> float:
        """Return the fraction of positions with the right label.

        Labels that are not in the training data count as wrong; a warning states their number.

        Parameters
        ----------
        sample_weight : array-like of shape (n,), or weights of positions, optional
            The weights of the sequences, which apply to all their positions, or the weights of all
            positions, as :meth:`fit` takes them.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If there are no positions, or if the data are unusable.
        """
        given, task = self._task(X, groups)
        labels = given.labels(y)
        if not len(labels):
            raise ValueError("X has no positions to score")
        right = trained_on(labels, self.classes_)
        right &= self.classes_[task.decode(self.w_).flat()] == labels
        return float(np.average(right, weights=given.weights_of_labels(sample_weight)))

    def verify(
        self, X: Any, y: Any = None, *, groups: Any = None, sample_weight: Any = None
    ) -> Verification:
        """Recompute the certificate from the training data: see :meth:`structsvm.Result.verify`.

        Pass the data of ``fit``; the sequences that early stopping held out are left out again.
        """
        check_is_fitted(self)
        return super().verify(Given.of(X, groups), y, sample_weight=sample_weight)

    # ------------------------------------------------------------------ weights by name

    @property
    def state_features_(self) -> dict[tuple[Any, Any], float]:
        """The nonzero weights of features, with keys (name, label) or (number, label)."""
        return _by_name(self.coef_.T, self._names(), self.classes_)

    @property
    def transition_features_(self) -> dict[tuple[Any, Any], float]:
        """The nonzero weights of allowed transitions, with keys (label, next label)."""
        check_is_fitted(self)
        finite = np.where(np.isfinite(self.transitions_), self.transitions_, 0.0)
        return _by_name(finite, self.classes_.tolist(), self.classes_)

    def _names(self) -> Any:
        """Return the names of the columns of ``coef_``, or their numbers."""
        return self._encoding.column_names or range(self.n_features_in_)

    def top_features(self, n: int = 10) -> dict[Any, list[tuple[Any, float]]]:
        """Return the n features of largest weight for each label.

        Returns
        -------
        dict of label and list of (name, weight)
            Names come from ``feature_names_in_``; columns without names have numbers.
        """
        check_is_fitted(self)
        require_integer("n", n, least=1)
        names, found = self._names(), {}
        for label, row in zip(self.classes_.tolist(), self.coef_, strict=True):
            weights = dense(row).ravel()
            top = np.argsort(-weights, kind="stable")[:n].tolist()
            found[label] = [(names[j], float(weights[j])) for j in top]
        return found

    # ------------------------------------------------------------------ probabilities

    def predict_n_best(
        self, X: Any, n: int, *, groups: Any = None
    ) -> list[list[tuple[Any, float]]]:
        """Return the n labellings of highest score of every sequence, with their scores.

        Parameters
        ----------
        X : sequences as in ``fit``
        n : int
            Number of labellings, >= 1.
        groups : array-like of shape (n_rows,), optional
            The sequence of each row of a table X.

        Returns
        -------
        list of lists of (labels, score)
            For each sequence, pairs of a list of labels and a float, best first. A sequence that
            has fewer than n labellings has a shorter list. With ``groups`` the sequences are in the
            order of the sorted groups.
        """
        require_integer("n", n, least=1)
        given, task = self._task(X, groups)
        found = task.n_best(self.w_, n)
        nothing = np.empty((1, 0)), np.zeros(1)
        return [
            [(y.tolist(), float(score)) for y, score in zip(*labellings, strict=True)]
            for labellings in (next(found) if length else nothing for length in given.lengths)
        ]

    @overload
    def predict_proba(
        self, X: Any, *, groups: None = None, temperature: float | None = None
    ) -> list[Vector]: ...

    @overload
    def predict_proba(self, X: Any, *, groups: Any, temperature: float | None = None) -> Vector: ...

    def predict_proba(
        self, X: Any, *, groups: Any = None, temperature: float | None = None
    ) -> list[Vector] | Vector:
        """Return the probability of every label at every position.

        The probabilities are the marginals of a conditional random field. The probability of a
        labelling is proportional to exp(score / temperature). ``loss='log_loss'`` trains a
        conditional random field. After training with a loss other than 'log_loss', calibrate the
        probabilities on held-out data by :meth:`fit_temperature`. With the hinge loss, an
        AttributeError is raised unless fit_temperature was called before.

        Parameters
        ----------
        X : sequences as in ``fit``
        groups : array-like of shape (n_rows,), optional
            The sequence of each row of a table X.
        temperature : float, optional
            Divisor of the scores, > 0. Default: ``temperature_``.

        Returns
        -------
        list of n ndarrays of shape (length, k); with ``groups`` ndarray of shape (n_rows, k)
            The rows sum to 1.
        """
        given, task = self._task(X, groups)
        return given.as_given(self._probabilities(task, self._temperature(temperature)))

    def predict_marginals(
        self, X: Any, *, groups: Any = None, temperature: float | None = None
    ) -> list[Any]:
        """Return the probabilities of :meth:`predict_proba` as a dict for each position.

        Parameters
        ----------
        X : sequences as in ``fit``
        groups : array-like of shape (n_rows,), optional
            The sequence of each row of a table X.
        temperature : float, optional
            Divisor of the scores, > 0. Default: ``temperature_``.

        Returns
        -------
        list of n lists of dicts; with ``groups`` a list of a dict for each row
        """
        found, names = self.predict_proba(X, groups=groups, temperature=temperature), self.classes_
        named = [
            [dict(zip(names.tolist(), p, strict=True)) for p in rows.tolist()]
            for rows in (found if groups is None else [found])
        ]
        return named if groups is None else named[0]

    def predict_marginals_single(
        self, x: Any, *, temperature: float | None = None
    ) -> list[dict[Any, float]]:
        """Return the probabilities of :meth:`predict_marginals` for one sequence."""
        return list(self.predict_marginals([x], temperature=temperature)[0])

    def fit_temperature(self, X: Any, y: Any, *, groups: Any = None) -> Self:
        """Set ``temperature_`` so that the labels of held-out data are most likely.

        The temperature minimises the mean of -log p over the true labels, where p is from
        :meth:`predict_proba` (Guo et al., On Calibration of Modern Neural Networks, ICML 2017,
        applied to a chain). The temperature changes no prediction. Do not pass training sequences:
        they make the probabilities too extreme.
        """
        given, task = self._task(X, groups)
        if not given.lengths.any():
            raise ValueError("X has no positions; fit_temperature needs some with their labels")
        codes = Labels(self.classes_).codes(given.labels(y))
        rows = np.arange(len(codes))
        return self._choose_temperature(lambda t: self._probabilities(task, t)[rows, codes])

    def _probabilities(self, task: ChainTask, temperature: float) -> Vector:
        """Return the probability of every label in every row, in the original order of rows."""
        return normalised(task.probabilities(self.w_, temperature).flat())

    # ------------------------------------------------------------------ parts of fit

    def _given(self, X: Any, y: Any, reset: bool) -> tuple[Any, Any]:
        return X if isinstance(X, Given) else Given.of(X), y

    def _bound(self, X: Any) -> ChainTask:
        return self._task(Given.of(X), None)[1]

    def _new_encoding(self) -> ChainEncoding:
        return ChainEncoding(self.scale, self.all_possible_states)

    def _require_parameters(self) -> None:
        super()._require_parameters()
        if not (self.allowed_transitions is None or callable(self.allowed_transitions)):
            pairs_of(self.allowed_transitions)

    def _problem(self) -> Chain:
        problem = Chain(self.allowed_transitions, self.class_weight, self.all_possible_states)
        problem.known_states = self._encoding.known_states
        return problem

    def _task(self, X: Any, groups: Any) -> tuple[Given, ChainTask]:
        """Return the given sequences, some of which may be empty, and their task."""
        if "w_" not in vars(self):  # the check takes as long as the search of a sentence
            check_is_fitted(self, "w_")
        given = X if isinstance(X, Given) else Given.of(X, groups, may_be_empty=True)
        scores = self._encoding.scores(given, self.w_, self.problem_)
        if scores is None:
            return given, self.problem_.task(self._encoded(given).X)
        return given, ScoredChainTask(self.problem_, scores, given.lengths[given.lengths > 0])

    def _keep(self, problem: Any, result: Result, data: Encoded) -> None:
        super()._keep(problem, result, data)
        k, d = len(problem.classes_), problem.n_features_ - ENDS
        of_states, transitions = np.split(self._encoding.weights_given(self.w_, problem), [-k * k])
        ends = problem.states_.by_label(of_states)[:, d:]
        self.start_transitions_: Vector
        self.end_transitions_: Vector
        self.start_transitions_, self.end_transitions_ = dense(ends).T.copy()
        self.transitions_ = transitions.reshape(k, k).copy()
        if problem.allowed_ is not None:
            self.transitions_[~problem.allowed_.pairs] = -np.inf
            self.start_transitions_[~problem.allowed_.first] = -np.inf
            self.end_transitions_[~problem.allowed_.last] = -np.inf
        self.n_features_in_: int = d


def _by_name(weights: Any, rows: Any, labels: NDArray[Any]) -> dict[tuple[Any, Any], float]:
    """Return the nonzero weights of a matrix in a dict with the keys (name of the row, label)."""
    found, names = sparse.coo_matrix(weights), labels.tolist()
    places = zip(found.row.tolist(), found.col.tolist(), found.data.tolist(), strict=True)
    return {(rows[i], names[j]): weight for i, j, weight in places if weight}
