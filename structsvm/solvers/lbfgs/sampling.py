"""A sample of the examples, which makes the first steps of a descent faster."""

from __future__ import annotations

import math

import numpy as np

from structsvm.contract.soft_oracle import SoftSum
from structsvm.data.arrays import Indices, Vector
from structsvm.planes.plane import Cuts
from structsvm.solvers.lbfgs.descent import Point
from structsvm.solvers.lbfgs.soft_objective import SoftObjective

#: One example out of this number is in the sample.
SPARSITY = 8
#: Smallest size of a sample: a smaller one is not representative.
LEAST = 1000
#: Number of steps on the sample.
STEPS = 10


class SampledObjective(SoftObjective):
    """The smoothed objective of a sample, as an estimate for all examples.

    A sample of examples gives no bounds on the primal and dual values of all examples.

    Parameters
    ----------
    whole : SoftObjective
    places : ndarray of shape (m,), int
        The indices of the sampled examples.
    """

    def __init__(self, whole: SoftObjective, places: Indices) -> None:
        vars(self).update(vars(whole), n=len(places), _last=None)
        self.examples, self.labels = whole.examples.labelled_subset(places, whole.labels)

    def _point(self, w: Vector, mu: float, cut: Cuts, soft: SoftSum) -> Point:
        unknown = cut._replace(slacks=np.array([math.inf]))
        return super()._point(w, mu, unknown, soft._replace(slacks=None))

    def keep(self, point: Point) -> float:
        return self.planes.value


def sample_of(whole: SoftObjective) -> SampledObjective | None:
    """Return the objective of a random sample, or None if there are too few examples."""
    m = whole.n // SPARSITY
    if m < LEAST:
        return None
    # Every eighth example might be of one kind, so draw at random.
    places = np.random.default_rng(0).choice(whole.n, m, replace=False)
    return SampledObjective(whole, np.sort(places))
