"""The soft outputs, curvature and axes of the task of one block of examples.

These functions run where the block is, so they must be picklable.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.contract.soft_oracle import SoftSum
from structsvm.data.arrays import Vector


def soft_outputs(task: Any, w: Vector, mu: float) -> SoftSum:
    """The soft outputs of all examples, summed where only the sum is needed.

    Where the temperature is kept, the values are the slacks, and in place of the expected losses
    are the offsets of the planes that touch the slacks at w.
    """
    found: SoftSum = task.soft(w, mu, np.ones(task.n))
    return found


def soft_curvature(task: Any, w: Vector, mu: float) -> Vector:
    """The variances of the joint feature's entries, summed over the examples."""
    return np.asarray(task.curvature(w, mu, np.ones(task.n)))
