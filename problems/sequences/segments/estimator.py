"""Segmentation of sequences as an estimator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from structsvm.data.containers import n_examples, require_examples
from structsvm.data.matrices import in_floats, stacked_matrices
from structsvm.data.validation import (
    checked_sample_weight,
    require_callable,
    require_flag,
    require_integer,
)
from structsvm.estimators.base import one_thread_if_sparse
from structsvm.exceptions import ProblemError
from structsvm.features.vocabulary import Vocabulary
from structsvm.problems.sequences.bio import segment_f1_score
from structsvm.problems.sequences.chain.packed import Layout
from structsvm.problems.sequences.estimator import SequenceEstimator, root_mean_square
from structsvm.problems.sequences.segments.candidates import Candidates, checked_candidates
from structsvm.problems.sequences.segments.problem import MOST_POSITIONS, Segments
from structsvm.problems.sequences.segments.segmentations import Segment, all_segments
from structsvm.results.callbacks import Callbacks
from structsvm.results.verification import Verification
from structsvm.solvers.shared.early_stopping import PATIENCE

if TYPE_CHECKING:
    from typing_extensions import Self

#: A function of a sequence, the first position of a segment and the position after its last.
Features = Callable[[Any, int, int], Mapping[str, Any]]


class SegmentSVM(SequenceEstimator):
    """Segments of sequences, with labels, by a structural SVM over a semi-Markov chain.

    A segmentation scores the sum of the weights of the features of its segments, and of the
    transitions between their labels. Training is that of :class:`Segments`: the loss is the number
    of segments that only one of two segmentations has; exact oracles, a certified gap.

    X is a list of sequences of any kind that have a length, such as strings or lists of words, and
    ``features`` is called with each candidate segment. Y is a list of as many lists of segments
    (start, stop, label), which follow each other and fill the sequence. There may be only one
    label.

    Parameters
    ----------
    features : callable, optional
        ``features(sequence, start, stop)`` returns a dict of the features of the segment
        ``sequence[start:stop]``, with numbers, bools and strings as values: a string is a feature
        of its own, ``name:string``. It may look at the rest of the sequence too. Default: X holds
        matrices of features as :class:`Segments` takes them.
    max_length : int, default=10
        Positions of a segment, at most, >= 1.
    C : float or 'auto', default='auto'
        Weight of the mean slack of a sequence in the objective of :mod:`structsvm.objective`, > 0.
        'auto' is 5 n for n sequences, as in :class:`ChainSVM`.
    solver, rtol, max_iter, time_limit, warm_start, n_jobs, callback, verbose, early_stopping, \
validation_fraction, n_iter_no_change, random_state
        As in :class:`ChainSVM`.

    Attributes
    ----------
    C_ : float
        The C of the fit.
    classes_ : ndarray of shape (k,)
        The labels, sorted.
    coef_ : ndarray of shape (k, n_features)
        The weight of each feature of a segment for each label.
    transitions_ : ndarray of shape (k, k)
        ``transitions_[a, b]`` is the weight of a segment of label b after one of a.
    feature_names_in_ : ndarray of str
        Names of the columns of ``coef_``, if there are ``features``.
    scale_ : float
        The number that features are divided by: the root of the mean of ||x||^2 over the true
        segments.
    result_ : Result
        Objective, gap, status and guarantee of the fit.
    n_iter_ : int
        Passes over the data.
    validation_indices_, validation_scores_
        As in :class:`structsvm.StructuredSVM`.

    Examples
    --------
    >>> from structsvm.problems import SegmentSVM
    >>> def features(letters, start, stop):
    ...     return {"known": letters[start:stop] in ("a", "dog", "ran")}
    >>> X = ["adog", "dogran"]
    >>> Y = [[(0, 1, "word"), (1, 4, "word")], [(0, 3, "word"), (3, 6, "word")]]
    >>> svm = SegmentSVM(features, max_length=3).fit(X, Y)
    >>> ["adogran"[start:stop] for start, stop, _ in svm.predict(["adogran"])[0]]
    ['a', 'dog', 'ran']
    """

    def __init__(
        self,
        features: Features | None = None,
        max_length: int = 10,
        C: float | str = "auto",
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
        self.features = features
        self.max_length = max_length
        self.C = C
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
        Y: Any,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        Y_val: Any = None,
        checkpoint: Any = None,
    ) -> Self:
        """Train on sequences X and their segments Y.

        Parameters
        ----------
        X : list of n sequences
        Y : list of n lists of segments (start, stop, label)
        sample_weight : array-like of shape (n,), optional
            Weights of the sequences, as in :class:`structsvm.StructuredSVM`.
        X_val, Y_val : lists of m sequences and their segments, optional
            What ``early_stopping`` is to hold out, in place of a part of X and Y.
        checkpoint : Checkpoint or path-like, optional
            As in :class:`structsvm.StructuredSVM`.

        Returns
        -------
        SegmentSVM
            The estimator itself. A fit that did not converge warns with scikit-learn's
            ``ConvergenceWarning``.

        Raises
        ------
        ValueError
            Sequences, segments or features are unusable, or a parameter is out of its range; the
            message names the sequence.
        """
        require_flag("warm_start", self.warm_start)
        require_integer("max_length", self.max_length, least=1, most=MOST_POSITIONS)
        require_examples(X)
        earlier = self._learned() if self.warm_start and hasattr(self, "w_") else None
        self._vocabulary = None
        if self.features is not None:
            require_callable("features", self.features)
            self._vocabulary = Vocabulary()
            _lengths(X)  # before the work
            self._vocabulary.learn(self._candidates(X))
        rows, lengths = self._matrix(X)
        weights, of_rows = None, None
        if sample_weight is not None:
            weights = checked_sample_weight(sample_weight, len(lengths))
            of_rows = np.repeat(weights, [len(segments) for segments in Y])
        self.scale_ = root_mean_square(rows[_true_rows(Y, lengths, self.max_length)], of_rows)
        if earlier is not None:
            self._require_same(earlier == self._learned(Y))
        inputs = self._stored(rows, lengths)
        if X_val is not None and Y_val is not None:
            X_val = self._inputs(X_val)
        inputs, Y, weights, rule = self._divided(inputs, Y, X_val, Y_val, weights)
        self.C_ = self._chosen_C(len(inputs) if weights is None else weights.sum())
        problem = Segments(self.max_length)
        options = {**self._run_options(problem, inputs, Y), "C": self.C_, "sample_weight": weights}
        options.update(early_stopping=rule, checkpoint=checkpoint)
        solver = self._resolved_solver(problem, inputs, Y)
        with one_thread_if_sparse(rows):
            result = solver.solve_in_place(problem, inputs, Y, **options)
        self._keep(problem, result)
        self.classes_, k = problem.classes_, len(problem.classes_)
        features, self.transitions_ = np.split(self.w_.reshape(-1, k), [-k])
        self.coef_ = features.T / self.scale_
        if self._vocabulary is not None:
            self.feature_names_in_ = np.array(self._vocabulary.names, dtype=object)
        return self

    def predict(self, X: Any) -> list[list[Segment]]:
        """The segmentation of highest score for every sequence.

        Parameters
        ----------
        X : list of n sequences

        Returns
        -------
        list of n lists of segments (start, stop, label)
        """
        check_is_fitted(self)
        found = self.problem_.batch_decode(self._inputs(X), self.w_)
        return [found[i] for i in range(len(found))]

    def score(self, X: Any, Y: Any) -> float:
        """F1 over the segments of all sequences: see :func:`segment_f1_score`."""
        found = self.predict(X)
        lengths = np.array([segments[-1][1] for segments in found])
        return segment_f1_score(all_segments(Y, lengths, int(lengths.max())), found)

    def verify(self, X: Any, Y: Any, sample_weight: Any = None) -> Verification:
        """Recompute the certificate from the training data: see :meth:`structsvm.Result.verify`.

        X, Y and the weights are those given to ``fit``; what early stopping held out is left out.
        """
        check_is_fitted(self)
        inputs, Y, weights = self._trained_on(self._inputs(X), Y, sample_weight)
        return self.result_.verify(self.problem_, inputs, Y, sample_weight=weights)

    def _candidates(self, X: Any) -> Iterator[Mapping[str, Any]]:
        """Yield the features of all candidates of all sequences."""
        for i in range(n_examples(X)):
            sequence = X[i]
            for stop in range(1, len(sequence) + 1):
                for start in range(stop - 1, stop - 1 - self.max_length, -1):
                    yield self._described(i, sequence, start, stop) if start >= 0 else {}

    def _learned(self, Y: Any = None) -> tuple[Any, set[Any]]:
        """Names of features, and labels: those of Y, or of the last fit."""
        names = None if self._vocabulary is None else self._vocabulary.names
        if Y is None:
            return names, set(self.classes_.tolist())
        return names, {label for segments in Y for _, _, label in segments}

    def _described(self, i: int, sequence: Any, start: int, stop: int) -> Mapping[str, Any]:
        """The features of one candidate."""
        assert self.features is not None
        call = f"features(X[{i}], {start}, {stop})"
        try:
            found = self.features(sequence, start, stop)
        except Exception as error:
            raise ProblemError(f"{call} raised {type(error).__name__}: {error}") from error
        if not isinstance(found, Mapping):
            raise ProblemError(
                f"{call} must return a dict of name and value; got {type(found).__name__}"
            )
        return found

    def _matrix(self, X: Any) -> tuple[Any, Any]:
        """The features of all candidates, and the lengths of the sequences."""
        if self._vocabulary is None:
            checked_candidates(X, self.max_length)
            matrices = [in_floats(X[i]) for i in range(n_examples(X))]
            lengths = np.array([x.shape[0] for x in matrices]) // self.max_length
            return stacked_matrices(matrices), lengths
        lengths = _lengths(X)

        def place(row: int) -> str:
            position, m = divmod(row, self.max_length)
            i = int(np.searchsorted(np.cumsum(lengths), position, side="right"))
            stop = position + 1 - int(lengths[:i].sum())
            return f"features(X[{i}], {stop - 1 - m}, {stop})"

        return self._vocabulary.matrix(self._candidates(X), place), lengths

    def _inputs(self, X: Any) -> Candidates:
        return self._stored(*self._matrix(X))

    def _stored(self, rows: Any, lengths: Any) -> Candidates:
        return Candidates.of(self._scaled(rows), Layout(lengths), self.max_length)


def _lengths(X: Any) -> Any:
    """The lengths of sequences; a ValueError where one is 0."""
    if isinstance(X, str):
        raise ValueError(f"X must be a list of sequences; got the string {X[:60]!r}: give [X]")
    lengths = np.array([len(X[i]) for i in range(n_examples(X))], dtype=np.intp)
    if not len(lengths):
        raise ValueError("X is empty; expected at least one sequence")
    if not lengths.all():
        i = int(np.argmin(lengths))
        raise ValueError(f"X[{i}] is empty; a sequence has at least one position")
    return lengths


def _true_rows(Y: Any, lengths: Any, longest: int) -> Any:
    """The rows of the true segments in matrices of candidates that are one below the other."""
    starts = np.cumsum(lengths) - lengths
    return np.array(
        [
            (offset + stop - 1) * longest + stop - start - 1
            for offset, segments in zip(starts, all_segments(Y, lengths, longest), strict=True)
            for start, stop, _ in segments
        ]
    )
