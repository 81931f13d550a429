"""The estimator for segmentation of sequences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.data.choices import Auto, ChoiceOfC, ClassWeight
from structsvm.data.columns import arrays_in
from structsvm.data.containers import listed, n_examples, require_examples
from structsvm.data.validation import require_callable, require_integer
from structsvm.docstrings import documented
from structsvm.estimators.about import About
from structsvm.estimators.encoding import Encoded
from structsvm.objective.surrogate import Loss
from structsvm.problems.classification.labels import trained_on
from structsvm.problems.sequences.bio import Segment
from structsvm.problems.sequences.estimator import SequenceEstimator
from structsvm.problems.sequences.segment_f1 import segment_f1_score
from structsvm.problems.sequences.segments.data import all_segments
from structsvm.problems.sequences.segments.encoding import Features, SegmentEncoding
from structsvm.problems.sequences.segments.problem import MOST_POSITIONS, Segments
from structsvm.results.result import Result


def require_matrices(X: Any) -> None:
    """Raise a ValueError for sequences of words or characters, which require ``features``."""
    for i in range(n_examples(X)):
        if isinstance(X[i], str) or (
            isinstance(X[i], (list, tuple)) and X[i] and isinstance(X[i][0], (str, Mapping))
        ):
            raise ValueError(
                f"X[{i}] is a {type(X[i]).__name__}, not a matrix of features; give a function "
                "that describes segments, such as SegmentSVM(features=lambda x, start, stop: "
                "{' '.join(map(str, x[start:stop])): 1.0})"
            )


@documented
@dataclass(eq=False, repr=False)
class SegmentSVM(SequenceEstimator):
    """A structural SVM over a semi-Markov chain, which divides sequences into labelled segments.

    The score of a segmentation is the sum of the weights of the features of its segments, and of
    the transitions between their labels. The loss is the number of segments that occur in only one
    of the true and the predicted segmentation. Oracles are exact, and the gap is certified. The
    problem is :class:`Segments`.

    X is a list of sequences with a length, such as strings or lists of words. The function
    ``features`` is called for each candidate segment. The target ``y`` is a list of segmentations:
    lists of segments (start, stop, label) that follow each other and fill the sequence. If segments
    need no names, give all of them the same label.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    features : callable, optional
        ``features(sequence, start, stop)`` returns a dict of the features of the segment
        ``sequence[start:stop]``, with numbers, bools and strings as values. A string becomes a
        feature ``name:string``. The function ``features`` may use the rest of the sequence, too.
        Default: X holds matrices of features, as :class:`Segments` takes them. Columns are scaled
        but not centred: subtract large offsets yourself.
    max_length : int, default=10
        Largest number of positions of a segment, >= 1.
    C : float, 'auto' or 'cv', default='auto'
        Weight of the mean slack in the :mod:`structsvm.objective`, > 0. 'auto' is 5 n / s for the
        hinge loss, and 10 n / s for other losses, where n is the number of sequences, and s is the
        mean squared distance between the features of a true segment and the features of the segment
        without its first position. 'cv' chooses C by cross-validation: see ``cv_scores_``.
    all_possible_states : bool or 'auto', default='auto'
        Whether sparse features have a weight for all pairs of a feature and a label (True), or only
        for the pairs that occur in true segments (False). 'auto' takes all pairs of a feature and a
        label if there are at most half a million of them. Otherwise 'auto' takes the pairs that
        occur in true segments, and all pairs of the most frequent features, up to half a million
        pairs in total.
    class_weight : dict or 'balanced', optional
        For each label, the loss of missing a true segment, or of predicting a wrong segment; 1 by
        default.
    loss : {'hinge', 'softmax_margin', 'log_loss'}, default='hinge'
        The surrogate of the loss; see :mod:`structsvm.objective.surrogate`.
    rtol : float, optional
        Relative tolerance, >= 0 and < 1. Training stops when the gap is at most ``rtol`` times the
        primal value. Default with ``solver='auto'``: 0.01.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The labels, sorted.
    coef_ : ndarray or CSR matrix of shape (k, n_features)
        The weight of each feature of a segment for each label; a CSR matrix if some pairs have no
        weight.
    transitions_ : ndarray of shape (k, k)
        ``transitions_[a, b]`` is the weight of a segment of label b after a segment of label a.
    feature_names_in_ : ndarray of str
        The names of the columns of ``coef_``, unless ``features`` is None.
    temperature_ : float
        The temperature that :meth:`fit_temperature` has found; 1 before its first call.
    scale_ : ndarray of shape (n_features,)
        The divisors of the columns, computed from the true segments.

    Examples
    --------
    >>> from structsvm.problems import SegmentSVM
    >>> def features(letters, start, stop):
    ...     return {"known": letters[start:stop] in ("a", "dog", "ran")}
    >>> X = ["adog", "dogran"]
    >>> y = [[(0, 1, "word"), (1, 4, "word")], [(0, 3, "word"), (3, 6, "word")]]
    >>> svm = SegmentSVM(features, max_length=3).fit(X, y)
    >>> ["adogran"[start:stop] for start, stop, _ in svm.predict(["adogran"])[0]]
    ['a', 'dog', 'ran']
    """

    about = About(
        "Sequences and trees", "where segments begin and end, and their labels: names, words",
        X="sequences, and a function that describes a segment", y="lists of (start, stop, label)",
        page="sequences.md#segments", score="F1 of segments: begin, end and label must be right",
    )  # fmt: skip

    features: Features | None = None
    _: KW_ONLY
    max_length: int = 10
    C: float | ChoiceOfC = "auto"
    all_possible_states: bool | Auto = "auto"
    class_weight: ClassWeight = None
    loss: Loss = "hinge"

    default_C, default_rtol = (5.0, 10.0), 1e-2

    def predict(self, X: Any) -> list[list[Segment]]:
        """Predict the segmentation of highest score of every sequence.

        Parameters
        ----------
        X : list of n sequences
            n may be 0.

        Returns
        -------
        list of n lists of segments (start, stop, label)
        """
        found = self._of_all(X, lambda inputs: self.problem_.task(inputs).decode(self.w_))
        return [found[i] for i in range(len(found))]

    def predict_proba(self, X: Any, *, temperature: float | None = None) -> list[Vector]:
        """Return the probability of every candidate segment with every label.

        The probability of a segmentation is proportional to exp(score / temperature): see
        :meth:`ChainSVM.predict_proba`.

        Parameters
        ----------
        X : list of n sequences
            n may be 0.
        temperature : float, optional
            Divisor of the scores, > 0. Default: ``temperature_``.

        Returns
        -------
        list of n arrays of shape (length, max_length, k)
            ``p[stop - 1, m - 1]`` belongs to the segment of m positions that ends before ``stop``.
        """
        found = self._of_parts(X, temperature)
        shape = -1, self.max_length, len(self.classes_)
        return [found[i].reshape(shape) for i in range(len(found))]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return F1 over the segments of all sequences: see :func:`segment_f1_score`.

        Labels that are not in the training data count as wrong; a warning states their number.

        Parameters
        ----------
        X : list of n sequences
        y : list of n lists of segments (start, stop, label)
        sample_weight : array-like of shape (n,), optional
            Weights of the sequences, which apply to all their segments.

        Returns
        -------
        float
        """
        require_examples(listed(X))
        found, y = self.predict(X), listed(y)
        lengths = np.array([segments[-1][1] for segments in found])
        true = all_segments(y, lengths, int(lengths.max()), "y")
        trained_on([label for segments in true for _, _, label in segments], self.classes_)
        return segment_f1_score(true, found, sample_weight)

    def _require_parameters(self) -> None:
        super()._require_parameters()
        require_integer("max_length", self.max_length, least=1, most=MOST_POSITIONS)
        require_callable("features", self.features)

    def _given(self, X: Any, y: Any, reset: bool) -> tuple[Any, Any]:
        X = listed(X)
        if reset:
            require_examples(X)
        if self.features is None:
            require_matrices(X)
            X = arrays_in(self, "X", X, reset)
        return X, listed(y)

    def _new_encoding(self) -> SegmentEncoding:
        return SegmentEncoding(self.scale, self.features, self.max_length)

    def _problem(self) -> Segments:
        problem = Segments(self.max_length, self.all_possible_states, self.class_weight)
        problem.known_states = self._encoding.known_states
        return problem

    def _keep(self, problem: Any, result: Result, data: Encoded) -> None:
        super()._keep(problem, result, data)
        k = len(problem.classes_)
        self.transitions_ = self.w_[-k * k :].reshape(k, k).copy()
