"""The measures: their names, their values, and the conversion of ``k`` to a number of rows."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score

from structsvm.data.arrays import Vector
from structsvm.data.validation import require_option

#: Measures of the predicted labels.
Labelling = Literal["error", "f1"]
LABELLING = get_args(Labelling)
#: Measures of the k rows of highest score.
AtK = Literal["precision_at_k", "recall_at_k"]
AT_K = get_args(AtK)
#: All measures.
Measure = Labelling | AtK | Literal["prbep", "roc_area"]
MEASURES = (*LABELLING, *AT_K, "prbep", "roc_area")


def require_measure(measure: Any, k: Any) -> None:
    """Raise a ValueError if the measure is unknown, or if k is set for a measure without k."""
    require_option("measure", measure, MEASURES)
    if k is not None and measure not in AT_K:
        raise ValueError(
            f"k={k!r} has no meaning for measure={measure!r}; leave it None, or use one of "
            f"{', '.join(AT_K)}"
        )


def require_labels(labels: Any, n: int) -> None:
    """Raise a ValueError unless the labels are n booleans, some True and some False."""
    if not (isinstance(labels, np.ndarray) and labels.dtype == bool and labels.shape == (n,)):
        raise ValueError(
            f"the labels must be a boolean array of shape ({n},), True for the positive rows; "
            f"got {labels!r:.60}"
        )
    if labels.all() or not labels.any():
        raise ValueError("the labels hold one class only; expected both positive and negative rows")


def rows_at(k: Any, labels: Any) -> int:
    """Convert the parameter k, which may be a fraction or None, to a number of rows."""
    n = len(labels)
    if k is None:
        return int(np.count_nonzero(labels))
    # True is an int in Python, but not a number of rows.
    if isinstance(k, (int, np.integer)) and not isinstance(k, bool) and 1 <= k <= n:
        return int(k)
    if isinstance(k, (float, np.floating)) and 0 < k < 1:
        return max(1, round(float(k) * n))
    raise ValueError(
        f"k must be a number of rows from 1 to {n}, a fraction of them in (0, 1), or None for the "
        f"number of positive rows; got {k!r}"
    )


def rows_of_highest_f1(labels: Any, scores: Vector) -> int:
    """Return how many rows of highest score must be predicted positive for the highest F1."""
    order = np.argsort(-scores, kind="stable")
    counts = np.arange(1, len(labels) + 1)
    f1 = 2 * np.cumsum(labels[order]) / (counts + np.count_nonzero(labels))
    apart = np.append(np.diff(scores[order]) < 0, True)  # rows of the same score are not divided
    return int(counts[np.argmax(np.where(apart, f1, 0))])


def measured(
    measure: str, labels: Any, scores: Vector, k: Any = None, sample_weight: Any = None
) -> float:
    """Return the value of the measure, in [0, 1], where larger is better; 1 - error for 'error'.

    A row is predicted positive if its score is > 0. If scores tie at rank k, the measure is its
    expectation over a random order of the tied rows. A row of weight 0 does not count. The weights
    above 0 are scaled to a mean of 1. Measures at ``k`` use the rows of highest score, up to a
    total scaled weight of ``k``.
    """
    weights = np.ones(len(scores)) if sample_weight is None else sample_weight
    used = weights > 0
    labels, scores = np.asarray(labels, dtype=bool)[used], scores[used]
    weights = weights[used] / weights[used].mean()
    if measure not in LABELLING and (not np.any(labels) or np.all(labels)):
        raise ValueError(
            f"{measure!r} ranks positive rows before negative ones and needs some of both; all of "
            f"these {len(labels)} are {'positive' if np.any(labels) else 'negative'}"
        )
    if measure == "error":
        return float(accuracy_score(labels, scores > 0, sample_weight=weights))
    if measure == "f1":
        f1 = f1_score(labels, scores > 0, zero_division=0.0, sample_weight=weights)
        return float(f1)
    if measure == "roc_area":
        return float(roc_auc_score(labels, scores, sample_weight=weights))
    positives = float(weights[labels].sum())
    count = positives if k is None else rows_at(k, labels)
    found = _positives_at(count, labels, scores, weights)
    return found / (positives if measure == "recall_at_k" else count)


def _positives_at(count: float, labels: Any, scores: Vector, weights: Vector) -> float:
    """Return the expected weight of positive rows in the top rows of total weight ``count``."""
    order = np.argsort(-scores)
    # The last row is left out, since the sum up to it may be rounded down.
    last = scores[order[np.searchsorted(np.cumsum(weights[order])[:-1], count)]]
    above, tied = scores > last, scores == last
    places = count - float(weights[above].sum())
    share = np.average(labels[tied], weights=weights[tied])
    return float(weights[above & labels].sum() + places * share)
