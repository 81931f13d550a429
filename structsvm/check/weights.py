"""Weights of examples that sums are checked with: of any order, some 0, and of both signs."""

from __future__ import annotations

import numpy as np

from structsvm.data.arrays import Vector


def unequal_weights(rng: np.random.Generator, n: int, signed: bool = True) -> Vector:
    """Return weights for n examples; without ``signed`` all are >= 0."""
    weights = rng.uniform(0.1, 3.0, n)
    if signed:
        weights *= rng.choice([-1.0, 1.0], n)
    # The first stays: weights that are all 0 would show nothing.
    weights[1:][rng.random(max(0, n - 1)) < 0.3] = 0.0
    return weights
