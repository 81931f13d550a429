"""The linear programs of relaxed correlation clustering."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from structsvm.data.arrays import Vector
from structsvm.exceptions import ProblemError

#: Tolerances of HiGHS, the least that it takes.
TOL = 1e-10
#: What :func:`solved` may miss by its tolerances, as :attr:`Problem.roundoff`.
ROUNDOFF = 2.0**-32
NAMES = "primal_feasibility_tolerance", "dual_feasibility_tolerance", "ipm_optimality_tolerance"


def solved(gains: Vector, rows: sparse.csr_matrix) -> Vector:
    """The z in [0, 1] with rows z <= 1 that maximises <gains, z>."""
    cost = -gains / (np.abs(gains).max() or 1.0)  # the solver's tolerance is absolute
    known = {"A_ub": rows, "b_ub": np.ones(rows.shape[0])} if rows.shape[0] else {}
    options = dict.fromkeys(NAMES, TOL)
    answer = linprog(cost, bounds=(0, 1), method="highs-ipm", options=options, **known)
    if answer.x is None:
        raise ProblemError(f"the linear program was not solved: {answer.message}")
    return np.clip(answer.x, 0, 1)
