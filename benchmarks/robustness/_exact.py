"""The objective of small problems in exact arithmetic.

A float is a ratio of integers, so joint features, scores and the objective of a problem whose
outputs can be enumerated are ratios of integers too. Vectors are kept as integers and a common
power of two.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np


class Exact:
    """An array of floats as Python integers: the values are ``numbers / 2**shift``."""

    def __init__(self, numbers: Any, shift: int) -> None:
        self.numbers, self.shift = numbers, shift

    @classmethod
    def of(cls, values: Any) -> Exact:
        """Convert an array of finite floats, without any rounding."""
        ratios = [float(value).as_integer_ratio() for value in np.ravel(values)]
        shift = max((below.bit_length() - 1 for _, below in ratios), default=0)
        numbers = np.empty(len(ratios), dtype=object)
        numbers[:] = [above * (2**shift // below) for above, below in ratios]
        return cls(numbers.reshape(np.shape(values)), shift)

    def scaled(self, number: int) -> Fraction:
        """The value of one of the numbers, or of a sum of them."""
        return Fraction(number, 2**self.shift)


def objective(
    table: list[tuple[Exact, list[Fraction]]], w: Any, C: float, slack: bool, prior: Any = None
) -> Fraction:
    """P(w) of a problem given by the outputs of every example.

    Parameters
    ----------
    table : list of pairs
        For each example the joint-feature differences of all its outputs, shape (m, size), and
        their losses.
    w : ndarray of shape (size,)
    C : float
    slack : bool
        Whether rescaling is that of slacks.
    prior : ndarray of shape (size,), optional
    """
    point, total = Exact.of(w), Fraction(0)
    for rows, losses in table:
        scores = Exact(rows.numbers @ point.numbers, rows.shift + point.shift)
        violations = [
            loss * (1 - scores.scaled(score)) if slack else loss - scores.scaled(score)
            for loss, score in zip(losses, scores.numbers.tolist(), strict=True)
        ]
        total += max(0, *violations)
    before = Exact.of(np.zeros_like(w) if prior is None else prior)
    moves = [
        point.scaled(here) - before.scaled(there)
        for here, there in zip(point.numbers.tolist(), before.numbers.tolist(), strict=True)
    ]
    return sum(move**2 for move in moves) / 2 + Fraction(C) / len(table) * total


def as_float(value: Fraction) -> float:
    """The nearest float; infinite where there is none."""
    try:
        return float(value)
    except OverflowError:
        return math.inf
