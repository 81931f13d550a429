"""The relaxation solved and rounded to labels, by either solver, with warnings of poor settings."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.features.kernels import Kernel
from structsvm.problems.margin_clustering.sdp_mmc.advice import (
    warn_of_gap,
    warn_of_labels,
    warn_of_width,
)
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.assignments import (
    Assigned,
    Assignments,
    leading,
)
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.program import LowRankProgram
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.solver import LowRankResult
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.solver import solve as solve_low_rank
from structsvm.problems.margin_clustering.sdp_mmc.relaxation import Relaxation
from structsvm.problems.margin_clustering.sdp_mmc.rounding import (
    Rounded,
    beyond_balance,
    candidates,
    rounded,
    soft_assignment,
)
from structsvm.problems.margin_clustering.sdp_mmc.solver import RelaxationResult, solve
from structsvm.solvers.shared.loop import Limits


class Fit(NamedTuple):
    """The result of the relaxation, and labels.

    Attributes
    ----------
    result : RelaxationResult or LowRankResult
    labels : ndarray of shape (n_nodes,)
        The cluster of each node, from 0.
    value : float
        f of the labels.
    lam : ndarray of shape (n,)
        The lambda that attains f.
    soft : ndarray of shape (n_nodes,) or None
        The soft assignment to one of two clusters.
    """

    result: RelaxationResult | LowRankResult
    labels: Indices
    value: float
    lam: Vector
    soft: Vector | None


def fit_splitting(
    relaxation: Relaxation,
    tol: float,
    limits: Limits,
    rng: np.random.Generator,
    kernel: Kernel,
) -> Fit:
    """By the alternating direction method of multipliers."""
    result = solve(relaxation, tol, limits)
    values = candidates(relaxation, result.Z)
    best = _found(rounded(relaxation, values, result.Z, rng), relaxation)
    warn_of_width(relaxation, result.primal, kernel)
    warn_of_labels(relaxation, result, best, beyond_balance(relaxation, values), kernel)
    labels = (best.z > 0).astype(np.intp)
    return Fit(result, labels, best.value, best.lam, soft_assignment(relaxation, result.Z))


def fit_low_rank(
    program: LowRankProgram,
    X: Any,
    tol: float,
    limits: Limits,
    rng: np.random.Generator,
    kernel: Kernel,
) -> Fit:
    """By Burer and Monteiro's method; X has the coordinates of the rows for their neighbours."""
    result = solve_low_rank(program, tol, limits, rng)
    assignments = Assignments(program, result.V, rng)
    scores = assignments.candidates(X)
    best = _found(assignments.best(scores), program)
    warn_of_width(program, result.primal, kernel)
    soft = None
    if program.n_clusters == 2:
        beyond = assignments.beyond_balance(scores, best.value)
        signed = None if beyond is None else _signed(beyond)
        warn_of_labels(program, result, _signed(best), signed, kernel)
        soft = leading(result.V, assignments.counts)
    else:
        warn_of_gap(result, best.value, kernel)
    return Fit(result, best.labels, best.value, best.lam, soft)


def _found(best: Any, program: Relaxation | LowRankProgram) -> Any:
    if best is None:
        raise ValueError(
            f"no labelling was found within balance={program.balance:g} that satisfies the links, "
            "which does not prove that there is none; raise balance, or remove links"
        )
    return best


def _signed(assigned: Assigned) -> Rounded:
    return Rounded(np.where(assigned.labels, 1.0, -1.0), assigned.value, assigned.lam)
