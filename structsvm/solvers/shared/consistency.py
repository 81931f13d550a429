"""Checks of an oracle against earlier calls, for errors that a single call does not show."""

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
    """Raise a ProblemError if no output found at w = 0 has a loss > 0."""
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
    """Raise a ProblemError if an exact oracle's slacks are smaller than earlier outputs imply.

    Parameters
    ----------
    examples : Examples
        The examples for which the oracle was called.
    labels : sequence or None
        The true outputs of the examples. None for Y.
    w : ndarray of shape (size,)
    known, slacks : ndarray of shape (m,)
        The slacks at w that earlier outputs imply, and the slacks that the oracle's outputs imply.
        Each array has one slack for each example, or one slack for all examples.
    magnitude : float
        The typical size of the losses and scores in a slack.
    rounding : float, default=0.0
        An additional allowance for the rounding error of a slack, for joint features that almost
        cancel.
    """
    allowed = AGREEMENT * magnitude + rounding
    if np.max(known - slacks) > allowed and not oracle_may_miss(examples.problem):
        if not is_own(type(examples.problem).task):  # a wrong task may be the reason: name it
            deque(examples.map(second_look, labels, w), maxlen=0)
        raise beaten(examples, labels, w, known, slacks, allowed)


def require_bounds(program: Program, bounds: Bounds) -> None:
    """Raise a ProblemError if the dual value exceeds the objective by more than rounding.

    The dual value and the objective already include their rounding errors. For safety, the dual
    value may also exceed the objective by the sum of both rounding errors.
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
    """Raise a ProblemError if the dual value is above the objective.

    ``made_by`` names the method that computed the dual solution.
    """
    problem, primal, dual = program.examples.problem, bounds.primal, bounds.dual.value
    if dual - primal > AGREEMENT * program.C * program.magnitude(bounds.w, planes):
        raise contract_error(
            problem,
            f"the {made_by} of {type(problem).__name__} contradicts its separation oracle: a dual "
            f"value of {dual:.6g} is above the objective, {primal:.6g}",
            RUN,
        )
