"""The end of a run: its certificate, its status and its result."""

from __future__ import annotations

from typing import Any

from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.objective.rounding import NEGLIGIBLE
from structsvm.results.result import Result
from structsvm.results.status import Status, guarantee_of
from structsvm.solvers.shared.record import Record
from structsvm.solvers.shared.reporting import scaling_advice

#: The fraction of a gap above which rounding errors are the reason why it is not closed.
HINDERING = 1e-2


def judged(record: Record, status: Status) -> Status:
    """NUMERICAL where rounding errors are the reason why a run could not go on."""
    best, tolerance = record.found, record.tolerance
    if best.gap <= tolerance or _fits_already(record):
        return status
    least = max(tolerance, HINDERING * best.gap)
    # By its rounding the last dual solution may be worth less than an earlier one.
    errors = best.gap_rounding, record.dual.rounding, record.qp_rounding
    hindered = 2 * max(errors) > least
    stuck = status in (Status.STALLED, Status.QP_FAILED) and hindered
    return Status.NUMERICAL if stuck or status is Status.CONVERGED else status


def _fits_already(record: Record) -> bool:
    """Whether the objective is 0 at the prior, up to the rounding errors of double precision.

    They must be small beside the objective of one loss for each example: the products with a prior
    of 1e14 leave no digit of it.
    """
    best = record.found
    at_prior = not best.w.any() and best.primal <= 2 * best.rounding
    return at_prior and not record.examples.may_double and best.gap <= _tolerance_of_a_loss(record)


def _tolerance_of_a_loss(record: Record) -> float:
    """The gap allowed where every example has the largest loss, 1 if none is declared."""
    whole = record.C * (record.examples.problem.max_loss or 1.0)
    return max(record.allowed(whole), NEGLIGIBLE * whole)


def outcome(solver: Any, run: Any, status: Status) -> Result:
    """Return the result of a solver's run, for its best point."""
    record = run.record
    # Ctrl-C may have come before there was a dual solution for the labels of the best point.
    if not solver.needs_labels and record.found.dual.labels is not record.found.labels:
        record.forget_dual()
    best, dual = record.found, record.found.dual
    problem, tally = record.examples.problem, record.examples.tally
    stalled = run.solver.after_a_stall if status is Status.STALLED else ""
    reason = f"; chosen because {solver.reason}" if solver.reason else ""
    return Result(
        w=record.examples.first.at(best.w),
        w_prior=record.examples.prior,
        primal=best.primal,
        dual=dual.value,
        gap=best.gap,
        rounding=best.gap_rounding,
        advice="" if status is Status.CONVERGED else stalled + scaling_advice(record, status),
        # A part of an objective of 0 would allow no gap, not even rounding errors.
        tolerance=_tolerance_of_a_loss(record) if _fits_already(record) else record.tolerance,
        status=status,
        guarantee=guarantee_of(problem, imputes=not solver.needs_labels),
        iterations=len(record.history),
        oracle_calls=tally.calls,
        seconds={**tally.seconds, "qp": record.qp_seconds, "total": record.seconds},
        history=tuple(record.history),
        labels=dual.labels if isinstance(problem, SelfLabelledProblem) else None,
        support=dual.support,
        multipliers=dual.multipliers,
        n_examples=record.examples.n,
        C=record.C,
        best_iteration=None if run.watch is None else run.watch.iteration,
        rescaling=solver.rescaling,
        loss=solver.loss,
        solver=f"{run.described(status)}{reason}",
    )
