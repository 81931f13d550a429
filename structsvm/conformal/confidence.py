"""The probability that a part of a prediction is right, as a function of the part's margin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from structsvm.conformal.deficits import Deficits, Measured
from structsvm.data.arrays import Vector

#: A function that finds the segments of a labelling, as tuples (start, stop, ...).
Segmenter = Callable[[Any], list[Any]]


class Confidence:
    """The margins of predicted parts of calibration examples, and whether each part was right."""

    def __init__(self) -> None:
        self._examples: list[tuple[Vector, Any, Any]] = []
        self._margins: list[Vector] = []
        self._right: list[Any] = []

    def add(self, deficits: Deficits, found: Measured, X: Any, y: Any) -> None:
        """Add calibration examples with inputs ``X`` and true outputs ``y``."""
        if deficits.task.decode_with is None:  # a slot may have several true parts
            return
        margins = deficits.margins
        for own, of_truth in zip(margins, found.of_truth, strict=True):
            self._margins.append(own)
            self._right.append(of_truth == 0)
        predicted = deficits.estimator._predicted(X)
        if isinstance(predicted, list):  # sequences, which may have segments
            self._examples += zip(margins, predicted, y, strict=True)

    def of(self, deficits: Deficits, X: Any, segments: Segmenter | None) -> list[Any]:
        """Return the probabilities that predicted parts, or segments, are right."""
        if not (self._margins if segments is None else self._examples):
            raise ValueError(
                "the outputs of this problem have no slots with one part each, or, for segments, "
                "are no sequences; a problem of your own has slots by possible_parts, chosen_parts "
                "and decode_with"
            )
        margins = deficits.margins
        if segments is None:
            logistic = fitted(np.concatenate(self._margins), np.concatenate(self._right))
            return [logistic(own) for own in margins]
        logistic = fitted(*self._of_segments(segments))
        predicted = deficits.estimator._predicted(X)
        found = []
        for own, y in zip(margins, predicted, strict=True):
            parts = segments(y)
            p = logistic(least_margins(own, parts)).tolist()
            found.append([(*part, one) for part, one in zip(parts, p, strict=True)])
        return found

    def _of_segments(self, segments: Segmenter) -> tuple[Vector, Any]:
        """Return the margin of each predicted segment, and whether the segment is right."""
        margins, right = [], []
        for own, predicted, y in self._examples:
            parts = segments(predicted)
            margins.append(least_margins(own, parts))
            right.append(are_true(parts, segments(y)))
        return np.concatenate(margins), np.concatenate(right)


def are_true(parts: list[Any], true: list[Any]) -> Any:
    """Return whether each predicted segment is a true segment."""
    return np.array([part in true for part in parts], dtype=bool)


def least_margins(margins: Vector, parts: Any) -> Vector:
    """Return the least margin in each segment (start, stop, ...)."""
    try:
        found = [margins[start:stop].min() for start, stop, *_ in parts]
    except (TypeError, ValueError):
        found = [np.nan]
    if np.isnan(found).any() or any(stop > len(margins) for _, stop, *_ in parts):
        raise ValueError(
            "segments must return a list of tuples (start, stop, ...) within the output of "
            f"{len(margins)} slots, with start < stop; got {parts!r:.100}"
        )
    return np.array(found, dtype=np.float64)


def fitted(margins: Vector, right: Any) -> Callable[[Vector], Vector]:
    """Fit a function from the margin of a predicted part to the probability that the part is right.

    The logistic regression uses Platt's targets, which are near 0 and 1 but never equal to 0 or 1.
    With Platt's targets, neither few examples nor examples without errors give probabilities of 0
    or 1. A part without alternatives has probability 1.
    """
    finite = np.isfinite(margins)
    margins, right = margins[finite], right[finite]
    if not len(margins):
        raise ValueError("the calibration data have no predicted part, or segment, with another")
    n, scale = int(right.sum()), float(margins.mean()) or 1.0

    def described(own: Vector) -> Vector:
        """Return the features of the logistic function: margins and logarithms of margins."""
        return np.column_stack([own / scale, np.log1p(own / scale)])

    target = np.where(right, (n + 1) / (n + 2), 1 / (len(right) - n + 2))
    rows, labels = np.tile(described(margins), (2, 1)), np.repeat([1, 0], len(right))
    model = LogisticRegression(C=np.inf).fit(rows, labels, np.append(target, 1 - target))

    def probability(own: Vector) -> Vector:
        known = np.where(np.isfinite(own), own, 0.0)
        if not len(own):
            return known
        p = model.predict_proba(described(known))[:, 1]
        return np.where(np.isfinite(own), p, 1.0)

    return probability
