"""The linear programs of relaxed correlation clustering."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from structsvm.data.arrays import Vector
from structsvm.exceptions import ProblemError


def solved(gains: Vector, rows: sparse.csr_matrix) -> Vector:
    """The z in [0, 1] with rows z <= 1 that maximises <gains, z>."""
    cost = -gains / (np.abs(gains).max() or 1.0)  # the solver's tolerance is absolute
    known = {"A_ub": rows, "b_ub": np.ones(rows.shape[0])} if rows.shape[0] else {}
    answer = linprog(cost, bounds=(0, 1), method="highs-ipm", **known)
    if answer.x is None:
        raise ProblemError(f"the linear program was not solved: {answer.message}")
    return np.clip(answer.x, 0, 1)
