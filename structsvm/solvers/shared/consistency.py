"""Checks of an oracle against what it returned before: errors that no single call shows."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.contract.capabilities import oracle_may_miss
from structsvm.data.arrays import Vector
from structsvm.exceptions import InputError, ProblemError
from structsvm.objective.rounding import AGREEMENT
from structsvm.oracle.cuts import find_violated
from structsvm.oracle.examples import Examples
from structsvm.oracle.spot_checks import predicted_losses
from structsvm.solvers.shared.record import Record
from structsvm.task.advice import advice

#: Times that an oracle is asked again at the same w before its quality is doubted.
AGAIN = 3
#: The advice to the author of a problem whose methods contradict each other,
RUN = "Run structsvm.check_problem(problem, X, Y) to find which is wrong"
THE_SAME = (
    "Its methods must answer the same at every call: were loss, joint_feature or an oracle changed "
    "since a checkpoint was written, or do they depend on earlier calls? "
    f"{RUN}, and remove a checkpoint of the methods as they were"
)
#: whose oracle depends on chance,
REPEATABLE = (
    "It must depend on its arguments alone, and no method may change these: seed what is random at "
    f"every call, and keep no state that calls change. {RUN}"
)
#: whose cheap search may return what is none,
INFEASIBLE = "An output of {} must be one that the oracle could return for the same x. "
#: and whose oracle misses outputs.
UNDERGENERATING = (
    "Run structsvm.check_problem(problem, X, Y) to find the mistake; if there is none, because it "
    "searches only some of the outputs, declare oracle_quality = 'undergenerating'"
)


def require_any_loss(record: Record, query: Vector, any_loss: bool) -> None:
    """Raise a ProblemError where w = 0 and no known output has a loss > 0.

    Predictions, which do not know the true outputs, tell whether there are others with a loss.
    """
    if any_loss or query.any() or record.examples.prior is not None:
        return
    problem = record.examples.problem
    found = "the oracle returned an output of loss 0 for every example at w = 0"
    if _decoder_finds_loss(record):
        to_author = (
            "is the oracle forgetting the loss, or returning the true output? "
            "structsvm.check_problem(problem, X, Y) finds out more"
        )
        raise ProblemError(
            f"{found}, where it should return one of the largest loss, and decode finds outputs of "
            f"a loss > 0; {advice(problem, to_author)}"
        )
    raise ProblemError(
        f"{found}, and decode finds no other at random w: so there is nothing to learn. Has every "
        f"example of {type(problem).__name__} only one possible output, by the constraints on "
        "outputs, or are all weights of the loss 0?"
    )


def _decoder_finds_loss(record: Record) -> bool:
    """Whether the prediction for any example has a loss > 0, at two opposite random w."""
    w = np.random.default_rng(0).normal(size=record.examples.size)
    try:
        losses = [record.examples.map(predicted_losses, record.labels, some) for some in (w, -w)]
    except ProblemError as error:
        if isinstance(error.__cause__, InputError):  # an input without a prediction tells nothing
            return False
        raise
    return any(block.any() for blocks in losses for block in blocks)


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
    worst, allowed = int(np.argmax(known - slacks)), AGREEMENT * magnitude + rounding
    if oracle_may_miss(examples.problem) or known[worst] - slacks[worst] <= allowed:
        return
    _require_repeatable(examples, labels, w, slacks, allowed)
    where = f" for example {examples.index[worst]}" if len(slacks) == examples.n else ""
    cheap = [name for name in ("search_pool", "refine") if examples.may_search_by(name)]
    others = f", or {' or '.join(cheap)}," if cheap else ""
    feasible = INFEASIBLE.format(" or ".join(cheap)) if cheap else ""
    raise ProblemError(
        f"the oracle is declared {examples.problem.oracle_quality} but an output that it{others} "
        f"returned earlier scores higher{where}: violation {known[worst]:.6g} against "
        f"{slacks[worst]:.6g}. {advice(examples.problem, feasible + UNDERGENERATING)}"
    )


def _require_repeatable(
    examples: Examples, labels: Any, w: Vector, slacks: Vector, allowed: float
) -> None:
    """Raise a ProblemError where the oracle answers differently when asked again at the same w."""
    nowhere = np.full(examples.n, np.inf)
    asked = [find_violated(examples, labels, w, nowhere).slacks for _ in range(AGAIN)]
    if len(slacks) == examples.n:
        asked.append(slacks)
    spread = np.ptp(asked, axis=0)
    worst = int(np.argmax(spread))
    if spread[worst] > allowed:
        found = [float(answer[worst]) for answer in asked]
        problem = examples.problem
        raise ProblemError(
            f"two calls of the oracle of {type(problem).__name__} with the same x, y and "
            f"w differ: for example {examples.index[worst]} their outputs have the violations "
            f"{min(found):.6g} and {max(found):.6g}. {advice(problem, REPEATABLE)}"
        )


def require_bounds(record: Record) -> None:
    """Raise a ProblemError where the dual value is above the objective, and rounding is no reason.

    Each includes its rounding errors already; as much again may be between them.
    """
    best = record.found
    if -best.gap > best.gap_rounding:
        problem = record.examples.problem
        raise ProblemError(
            f"the dual value, {best.dual.value:.9g}, is above the objective, {best.primal:.9g}: "
            f"answers of {type(problem).__name__} contradict each other, so neither is a bound. "
            f"{advice(problem, THE_SAME)}"
        )


def require_agreement(record: Record, made_by: str = "soft oracle", planes: float = 0.0) -> None:
    """Raise a ProblemError where the dual value is above the objective.

    ``made_by`` names the method that the dual was made by, and ``planes`` is the size of the terms
    of a slack in the planes kept.
    """
    best, problem = record.found, record.examples.problem
    primal, dual, magnitude = best.primal, best.dual.value, record.magnitude(best.w, planes)
    if dual - primal > AGREEMENT * record.C * magnitude:
        raise ProblemError(
            f"the {made_by} of {type(problem).__name__} contradicts its separation oracle: a dual "
            f"value of {dual:.6g} is above the objective, {primal:.6g}. {advice(problem, RUN)}"
        )
