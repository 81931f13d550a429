"""How often a clustering is right that is sure of itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.store import Row

#: Bins of [0, 1] in the calibration error.
BINS = 10


def confidence(fit: Any, y: Any) -> tuple[Any, Any]:
    """The probability of each row's own cluster, and whether that is right, best named."""
    right = fit.labels_ == y
    if right.mean() < 0.5:
        right = ~right
    return fit.probabilities_[np.arange(len(y)), fit.labels_], right


def calibration_error(p: Any, right: Any) -> float:
    """The expected calibration error in points: bins of [0, 1] by confidence."""
    number = np.minimum((p * BINS).astype(int), BINS - 1)
    chosen = [number == j for j in range(BINS) if np.any(number == j)]
    return 100 * float(sum(abs(p[i].mean() - right[i].mean()) * i.mean() for i in chosen))


def curve(name: str, p: Any, right: Any) -> list[Row]:
    """The calibration curve: bins of confidence, and the fraction of right rows in each."""
    number = np.minimum((p * 2 * BINS).astype(int), 2 * BINS - 1)
    return [
        {
            "data": name,
            "from": j / (2 * BINS),
            "rows": int(chosen.sum()),
            "confidence": float(p[chosen].mean()),
            "right": float(right[chosen].mean()),
        }
        for j in range(2 * BINS)
        if (chosen := number == j).sum() >= 20
    ]
