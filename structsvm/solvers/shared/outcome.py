"""The end of a run, with a status, a result, log messages, and advice on scaling features."""

from __future__ import annotations

import logging
import math
from typing import Any

import numpy as np

from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.exceptions import warn_user
from structsvm.objective.rounding import DOUBLE
from structsvm.results.result import Result
from structsvm.results.status import Status, guarantee_of
from structsvm.solvers.shared.bounds import Bounds
from structsvm.solvers.shared.program import Program

logger = logging.getLogger(__name__)

#: Rounding errors are the reason for an open gap if they exceed this fraction of it.
HINDERING = 1e-2
#: The size from which scaling of joint features is advised if rounding errors ended the run.
LARGE = 10.0
#: The size from which scaling is advised if the run ended for another reason.
HUGE = 1e4


def judged(program: Program, bounds: Bounds, qp_rounding: float, status: Status) -> Status:
    """Return the status, which is NUMERICAL if rounding errors ended the run."""
    tolerance = program.allowed(bounds.primal)
    if bounds.gap <= tolerance:
        return status
    # Rounding may make the last dual solution worse than an earlier one.
    error = max(bounds.gap_rounding, bounds.latest.rounding, qp_rounding)
    hindered = 2 * error > max(tolerance, HINDERING * bounds.gap)
    stuck = status in (Status.STALLED, Status.QP_FAILED) and hindered
    return Status.NUMERICAL if stuck or status is Status.CONVERGED else status


def outcome(solver: Any, run: Any, status: Status) -> Result:
    """Return the result of a solver's run, for its best point."""
    program, bounds = run.program, run.bounds
    examples, dual = program.examples, bounds.dual
    # Ctrl-C may have come before a dual solution for the labels of the best point was published.
    if not solver.needs_labels and dual.labels is not bounds.labels:
        dual = program.zero_dual(bounds.labels)
        bounds = bounds._replace(dual=dual)
    problem, tally = examples.problem, examples.tally
    advice = ""
    if status is not Status.CONVERGED:
        stalled = run.solver.after_a_stall if status is Status.STALLED else ""
        advice = stalled + scaling_advice(program, bounds, status)
    reason = f"; chosen because {solver.reason}" if solver.reason else ""
    return Result(
        w=examples.task.at(bounds.w),
        w_prior=examples.prior,
        primal=bounds.primal,
        dual=dual.value,
        gap=bounds.gap,
        rounding=bounds.gap_rounding,
        advice=advice,
        tolerance=program.allowed(bounds.primal),
        status=status,
        guarantee=guarantee_of(problem, imputes=not solver.needs_labels),
        iterations=len(bounds.history),
        oracle_calls=tally.calls,
        seconds={**tally.seconds, "total": run.seconds},
        history=bounds.history,
        labels=dual.labels if isinstance(problem, SelfLabelledProblem) else None,
        support=dual.support,
        multipliers=dual.multipliers,
        n_examples=examples.n,
        C=program.C,
        best_iteration=None if run.watch is None else run.watch.iteration,
        rescaling=solver.rescaling,
        loss=solver.loss,
        solver=f"{run.described(status)}{reason}",
    )


def report(result: Result, solver: str, reason: str) -> None:
    """Log the result, and warn if w is still 0 or the prior."""
    if logger.isEnabledFor(logging.INFO):
        fields: dict[str, Any] = {"solver": solver, "reason": reason}
        fields.update(status=result.status.name, seconds=result.seconds["total"])
        numbers = ("primal", "dual", "gap", "tolerance", "iterations", "oracle_calls")
        fields.update({name: getattr(result, name) for name in numbers})
        logger.info("%s", result, extra={"structsvm": fields})
    forced = result.multipliers.any()  # constraints may require w = 0
    if result.status is not Status.CONVERGED or forced:
        return
    if result.w_prior is not None:
        fits = result.primal <= result.tolerance
        if np.array_equal(result.w, result.w_prior) and not fits:
            warn_user(
                "training ended at w_prior, which is within the tolerance of the optimum: "
                f"C={result.C:g} may be too small for the scale of the features or of w_prior, or "
                "w_prior may be the best for these examples already"
            )
    elif not result.w.any():
        warn_user(
            "training ended at w = 0, which is within the tolerance of the optimum: "
            f"C={result.C:g} may be too small for the scale of the features, an offset that they "
            "have in common may hide their differences (subtract the mean), or the joint feature "
            "may not depend on y"
        )


def scaling_advice(program: Program, bounds: Bounds, status: Status) -> str:
    """Return advice on how to scale features that kept a run from its optimum."""
    examples, terms = program.examples, program.rounding.terms
    if status in (Status.NUMERICAL, Status.QP_FAILED):
        prior = examples.prior
        if prior is not None and terms.offset - terms.loss > HUGE * max(terms.loss, 1.0):
            return (
                f"; weights of w_prior are as large as {np.abs(prior).max():.0e}, and their scores "
                "hide the losses: scale w_prior, or leave it out"
            )
        advice = _largest_features(terms.rows, LARGE)
        if not advice and program.rounding.unit > DOUBLE:
            return "; in double precision, as X.astype(float), the errors would be smaller"
        return advice or "; features are not large, so a lower C would do"
    unfinished = status in (Status.STALLED, Status.MAX_ITER, Status.TIME_LIMIT)
    advice = _largest_features(terms.rows, HUGE) if unfinished else ""
    if not examples.task.at(bounds.w).any():
        advice += "; it is w = 0, at which all outputs score the same: too few passes were made"
    return advice


def _largest_features(sizes: np.ndarray, least: float) -> str:
    """Return advice on the largest joint features, or '' if they are below `least`."""
    j = int(np.argmax(sizes))
    if not sizes[j] >= least:
        return ""
    factor = 10.0 ** -round(math.log10(sizes[j]))
    return (
        f" (joint features are of size {sizes[j]:.0e} at index {j} of w: centre them, or scale "
        f"them; a factor of {factor:.0e} would bring them near 1)"
    )
