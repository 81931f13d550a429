"""Levels: the total weight of the calibration scores that are at least as large as a score."""

from __future__ import annotations

import math

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.data.validation import require_number

#: A number of examples that is an integer up to this rounding, as (1 - 0.9) * 10, counts as one.
ROUNDING = 1e-9
#: Scores that differ by less, relative to the largest score, are tied. In single precision the
#: rounding of a score depends on the examples that are searched with it.
TIED = 1e-6


class Levels:
    """The total weight of the scores at or above any value.

    Parameters
    ----------
    scores, weights : ndarrays of shape (m,)
    """

    def __init__(self, scores: Vector, weights: Vector) -> None:
        order = np.argsort(scores, kind="stable")
        self._scores = scores[order]
        sizes = np.abs(scores[np.isfinite(scores)])
        self._rounding = TIED * float(sizes.max(initial=0.0))
        self._weights = np.append(np.cumsum(weights[order][::-1])[::-1], 0.0)

    def above(self, values: Vector) -> Vector:
        """Return the total weight of the scores at or above each value, up to rounding."""
        return np.asarray(self._weights[np.searchsorted(self._scores, values - self._rounding)])

    def threshold(self, least: float) -> float:
        """Return the largest score s for which all scores >= s together weigh more than `least`."""
        return float(self._scores[np.flatnonzero(self._weights > least)[-1]])


def least_weight(miss: float, n: float) -> float:
    """Return the level that every output or part of a prediction set must exceed.

    The level of an output or part is the total weight of the calibration scores that are at least
    as large as its score. If a prediction set contains all outputs or parts with levels above the
    result, the set misses the true output of a new example with a probability of at most ``miss``.
    The weights of all calibration scores sum to n, the number of examples or groups. If ``miss``
    bounds the expected fraction of missed true parts, the weight of an example is divided equally
    among its true parts (Angelopoulos, Bates, Fisch, Lei & Schuster, Conformal Risk Control, ICLR
    2024, Theorem 1). Weights for groups are from Lee, Barber & Willett, Distribution-free Inference
    with Hierarchical Data, 2023.

    Raises
    ------
    ValueError
        If there are too few examples for any guarantee.
    """
    if miss * (n + 1) < 1 - ROUNDING:
        needed = math.ceil(1 / miss - 1 - ROUNDING)
        raise ValueError(
            f"{n:g} calibration examples, or groups, are too few: to miss at most {miss:.3g}, at "
            f"least {needed} are needed. Give more, or ask for less"
        )
    return miss * (n + 1) - 1 + ROUNDING


def checked_miss(coverage: float, risk: float | None) -> float:
    """Return the allowed probability of a missed output, or the allowed share of missed parts."""
    name, value = ("coverage", coverage) if risk is None else ("risk", risk)
    require_number(name, value, "> 0")
    if value >= 1:
        raise ValueError(
            f"{name} must be below 1; got {value!r}: only sets of all outputs "
            f"{'hold the truth always' if name == 'coverage' else 'need no calibration'}"
        )
    return 1 - coverage if risk is None else risk
