"""Checks of an oracle against what it returned before: errors that no single call shows."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from structsvm.contract.capabilities import oracle_may_miss
from structsvm.data.arrays import Vector
from structsvm.objective.rounding import AGREEMENT
from structsvm.oracle.examples import Examples
from structsvm.planes.plane import Planes
from structsvm.solvers.shared.bounds import Bounds
from structsvm.solvers.shared.program import Program
from structsvm.task.advice import is_own
from structsvm.task.contradictions import RUN, THE_SAME, beaten, contract_error, no_loss
from structsvm.task.spot_checks import second_look


def require_any_loss(examples: Examples, labels: Any, query: Vector, any_loss: bool) -> None:
    """Raise a ProblemError where w = 0 and no known output has a loss > 0.

    Predictions, which do not know the true outputs, tell whether there are others with a loss.
    """
    if not (any_loss or query.any() or examples.prior is not None):
        raise no_loss(examples, labels)


def require_unbeaten(
    examples: Examples,
    labels: Any,
    w: Vector,
    known: Vector,
    slacks: Vector,
    magnitude: float,
    rounding: float = 0.0,
) -> None:
    """Raise a ProblemError where an oracle that promised not to did worse than before.

    Parameters
    ----------
    examples : Examples
        Those that the oracle was called for.
    labels : sequence or None
        Their outputs; None for Y.
    w : ndarray of shape (size,)
    known, slacks : ndarray of shape (m,)
        The slacks at w that earlier outputs and the oracle's imply: of each example, or one that
        all of them share.
    magnitude : float
        The size of the terms that they are made of.
    rounding : float, default=0.0
        The rounding error of a slack, where the magnitude is not all of it: where joint features
        almost cancel.
    """
    allowed = AGREEMENT * magnitude + rounding
    if np.max(known - slacks) > allowed and not oracle_may_miss(examples.problem):
        if not is_own(type(examples.problem).task):  # a wrong task may be the reason, and is named
            deque(examples.map(second_look, labels, w), maxlen=0)
        raise beaten(examples, labels, w, known, slacks, allowed)


def require_bounds(program: Program, bounds: Bounds) -> None:
    """Raise a ProblemError where the dual value is above the objective, and rounding is no reason.

    Each includes its rounding errors already; as much again may be between them.
    """
    if -bounds.gap > bounds.gap_rounding:
        problem, dual = program.examples.problem, bounds.dual.value
        raise contract_error(
            problem,
            f"the dual value, {dual:.9g}, is above the objective, {bounds.primal:.9g}: "
            f"answers of {type(problem).__name__} contradict each other, so neither is a bound",
            THE_SAME,
        )


def require_agreement(
    program: Program, bounds: Bounds, planes: Planes, made_by: str = "soft oracle"
) -> None:
    """Raise a ProblemError where the dual value is above the objective.

    ``made_by`` names the method that the dual was made by, from these planes.
    """
    problem, primal, dual = program.examples.problem, bounds.primal, bounds.dual.value
    if dual - primal > AGREEMENT * program.C * program.magnitude(bounds.w, planes):
        raise contract_error(
            problem,
            f"the {made_by} of {type(problem).__name__} contradicts its separation oracle: a dual "
            f"value of {dual:.6g} is above the objective, {primal:.6g}",
            RUN,
        )
