"""The quadratic program of a dual solution, solved again by an independent solver."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.data.containers import dense
from structsvm.objective import example_cap
from structsvm.oracle.examples import Examples
from structsvm.oracle.support import example_planes, shared_planes
from structsvm.planes.constraints import Constraints
from structsvm.planes.plane import Source
from structsvm.qp import QPSolution
from structsvm.qp.by_cvxopt import solve_by_cvxopt


def refereed(
    result: Any, examples: Examples, labels: Any, constraints: Constraints, v: Vector
) -> QPSolution:
    """Use cvxopt to solve the problem restricted to the planes of the dual solution.

    The problem for cvxopt contains the planes, constraints and bounds that are active in the dual
    solution. The argument ``v`` is the weighted sum of the planes and the constraints.

    Raises
    ------
    ValueError
        If a soft oracle returned the planes, or if some planes belong to all examples and others to
        single examples.
    ImportError
        If cvxopt is not installed.
    """
    shared = {isinstance(s, Source) and s.example is None for s, _ in result.support}
    if len(shared) != 1 or not all(isinstance(s, Source) for s, _ in result.support):
        raise ValueError(
            "qp='cvxopt' needs planes of oracle outputs, of all examples or of single ones: train "
            "with OneSlackCuttingPlane, NSlackCuttingPlane or CCCP; this is a result of "
            + result.solver.partition(",")[0]
        )
    planes: list[Any]
    if shared.pop():
        planes, cap = [shared_planes(examples, labels, result.support)], result.C
    else:
        planes = [*example_planes(examples, labels, result.support)]
        cap = example_cap(result.C, examples.n)
    _, groups = np.unique(np.concatenate([p.groups for p in planes]), return_inverse=True)
    caps = np.append(np.full(groups.max() + 1, cap), np.inf)
    acting = constraints.planes(np.flatnonzero(result.multipliers))
    held = np.flatnonzero(v < constraints.bounded(v))
    bounds = np.zeros((len(held), examples.size))
    bounds[np.arange(len(held)), held] = 1
    A = np.vstack([*(dense(p.rows) for p in planes), acting[0], bounds])
    b = np.concatenate([*(p.offsets for p in planes), acting[1], constraints.bounded(v)[held]])
    groups = np.append(groups, np.full(len(b) - len(groups), len(caps) - 1))
    return solve_by_cvxopt(A @ A.T, b, groups, caps)
