"""The level of scores among those of the calibration: the one rule of what is in a set."""

from __future__ import annotations

import math

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.data.validation import require_number

#: Numbers of examples that are whole but for rounding, as (1 - 0.9) * 10, count as whole.
ROUNDING = 1e-9
#: Scores are tied that differ by less, relative to the largest: rounding in single precision
#: depends on the examples that are searched at the same time.
TIED = 1e-6


class Levels:
    """Scores with weights, and the weight of those that are no smaller than others.

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
        """The weight of the scores that are at least these values, but for rounding."""
        return np.asarray(self._weights[np.searchsorted(self._scores, values - self._rounding)])

    def threshold(self, least: float) -> float:
        """The largest score above which, itself included, there is more than this weight."""
        return float(self._scores[np.flatnonzero(self._weights > least)[-1]])


def least_weight(miss: float, n: float) -> float:
    """The weight of calibration scores that the scores of what is in a set have above them.

    An example that is left out with probability ``miss`` has a score among the largest. Scores of n
    examples, or groups, have the total weight n. For a risk, every part of an example has an equal
    share of its weight: Angelopoulos, Bates, Fisch, Lei & Schuster, Conformal Risk Control, ICLR
    2024, Theorem 1. For groups, see Lee, Barber & Willett, Distribution-free Inference with
    Hierarchical Data, 2023.

    Raises
    ------
    ValueError
        There are too few examples for any guarantee.
    """
    if miss * (n + 1) < 1 - ROUNDING:
        needed = math.ceil(1 / miss - 1 - ROUNDING)
        raise ValueError(
            f"{n:g} calibration examples, or groups, are too few: to miss at most {miss:.3g}, at "
            f"least {needed} are needed. Give more, or ask for less"
        )
    return miss * (n + 1) - 1 + ROUNDING


def checked_miss(coverage: float, risk: float | None) -> float:
    """The probability, or the fraction of parts, that may be missed."""
    name, value = ("coverage", coverage) if risk is None else ("risk", risk)
    require_number(name, value, "> 0")
    if value >= 1:
        raise ValueError(
            f"{name} must be below 1; got {value!r}: only sets of all outputs "
            f"{'hold the truth always' if name == 'coverage' else 'need no calibration'}"
        )
    return 1 - coverage if risk is None else risk
