"""Freezing: examples whose true output is almost certain keep their distributions for a while."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.solvers.lbfgs.descent import Descent
from structsvm.solvers.lbfgs.soft_objective import SoftObjective

#: An example is certain where its soft slack is at most this multiple of mu: the probability of its
#: true output is exp(-slack / mu).
CERTAIN = 0.003
#: Distributions are frozen where at least this fraction of the examples is certain.
WORTHWHILE = 0.2


class Before(NamedTuple):
    """A point at which examples were frozen, and the objective of all examples there."""

    w: Vector
    value: float


class Freezing:
    """Freezes the certain examples between the rounds of a descent."""

    def __init__(self) -> None:
        self._certain = CERTAIN
        self._before: Before | None = None

    def start_round(self, descent: Descent[SoftObjective], whole: SoftObjective) -> None:
        """Freeze the certain examples, if they are many; the descent is on all examples so far.

        If their objective has risen since some were frozen, these were not certain: the descent
        returns to where it was then, and no example is frozen in this round. From then on only
        examples with soft slack 0 are certain.
        """
        before, self._before = self._before, None
        if before is not None and descent.point.value > before.value:
            self._certain = 0.0
            descent.restart(before.w)
            return
        point = descent.point
        certain = point.soft_slacks <= self._certain * point.mu
        if WORTHWHILE * len(certain) <= np.count_nonzero(certain) < len(certain):
            self._before = Before(point.w, point.value)
            frozen = whole.frozen_but(np.flatnonzero(~certain), point)
            descent.objective, descent.point = frozen
