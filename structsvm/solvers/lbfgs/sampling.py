"""The first steps of a descent on a sample of the examples, which takes a fraction of the time."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from structsvm.contract.soft_oracle import SoftSum
from structsvm.data.arrays import Indices, Vector
from structsvm.planes.plane import Cuts
from structsvm.solvers.lbfgs.descent import Descent, Point
from structsvm.solvers.lbfgs.soft_objective import SoftObjective

#: One example of this number is in the sample,
SPARSITY = 8
#: which has at least this number of examples: fewer are unlike the others.
LEAST = 1000
#: Steps on the sample.
STEPS = 10


class SampledObjective(SoftObjective):
    """The smoothed objective of a sample that stands for all: it bounds neither P nor the dual.

    Parameters
    ----------
    whole : SoftObjective
    places : ndarray of shape (m,), int
        The positions of the sample.
    """

    def __init__(self, whole: SoftObjective, places: Indices) -> None:
        vars(self).update(vars(whole), n=len(places), _last=None)
        self.examples, self.labels = whole.examples.labelled_subset(places, whole.labels)

    def _point(self, w: Vector, mu: float, cut: Cuts, soft: SoftSum) -> Point:
        unknown = cut._replace(slacks=np.array([math.inf]))
        return super()._point(w, mu, unknown, soft._replace(slacks=None))

    def keep(self, point: Point) -> float:
        return self.planes.value


def steps_on_sample(descent: Descent[SoftObjective], whole: SoftObjective) -> Iterator[None]:
    """Take steps on a sample and then return to all examples, if these are many.

    Yields after every step, and after the return. Where the steps have led to a higher value, the
    descent returns to its start.
    """
    start, m = descent.point, whole.n // SPARSITY
    if m < LEAST:
        return
    # Every eighth example might be of one kind.
    places = np.random.default_rng(0).choice(whole.n, m, replace=False)
    descent.switch(SampledObjective(whole, np.sort(places)))
    for _ in range(STEPS):
        descent.step()
        yield
    descent.switch(whole)
    if descent.point.value > start.value:
        descent.restart(start.w)
    yield
