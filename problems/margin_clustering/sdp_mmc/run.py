"""The common part of the runs of all solvers, and the certificate of the result."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import Any

from structsvm.exceptions import InfeasibleConstraintsError
from structsvm.results.status import Guarantee, Iteration, Outcome, Status
from structsvm.results.verification import Verification
from structsvm.solvers.shared.loop import Limits

logger = logging.getLogger(__name__)


def guarantee(matrix: str) -> Guarantee:
    """Return the guarantee of a solver of the relaxation, with a text that ends with ``matrix``."""
    return Guarantee(
        upper_bound=False,
        lower_bound=True,
        text="convex relaxation: no labelling that keeps the labels, links and the balance has an "
        f"objective below the dual; the primal is that of a matrix {matrix}",
    )


@dataclass(frozen=True, repr=False)
class ProgramResult(Outcome):
    """The result of a semidefinite program, with its certificate."""

    violation: float

    def _compared(
        self, primal: float, dual: float, violation: float, allowed: bool, tol: float
    ) -> Verification:
        """Compare recomputed numbers with the numbers in the result.

        ``allowed`` says whether the dual point is feasible.
        """
        scale = tol * (1 + abs(self.primal))
        near = abs(primal - self.primal) <= scale and abs(dual - self.dual) <= scale
        matches = bool(near and abs(violation - self.violation) <= tol and allowed)
        return Verification(primal, dual, primal - dual, 0.0, violation, matches)


class Run:
    """One run of a solver, with its program and its history."""

    name = "SDPMMC"
    step: Any
    result: Any

    def __init__(self, program: Any, tol: float) -> None:
        self.program, self.tol = program, tol
        self.history: list[Iteration] = []
        self.started = time.perf_counter()

    def solved(self, limits: Limits) -> Any:
        """Run until the tolerance or a limit is reached, and return the result."""
        result = self.result(limits.run(self))
        logger.info("%s", result)
        return result

    def record(self, primal: float, dual: float, n_planes: int) -> Iteration:
        """Add a pass to the history, and return its entry."""
        number, seconds = len(self.history) + 1, time.perf_counter() - self.started
        made = Iteration(number, primal, primal, dual, primal - dual, n_planes, number, seconds)
        self.history.append(made)
        return made

    def outcome(
        self, primal: float, dual: float, status: Status, guarantee: Guarantee
    ) -> dict[str, Any]:
        """Return the arguments of an :class:`Outcome`."""
        passes, seconds = len(self.history), {"total": time.perf_counter() - self.started}
        return {
            "primal": primal, "dual": dual, "gap": primal - dual, "status": status,
            "tolerance": self.tol * abs(primal), "guarantee": guarantee, "iterations": passes,
            "oracle_calls": passes, "seconds": seconds, "history": tuple(self.history),
        }  # fmt: skip

    def require_feasible(self, dual: float) -> None:
        """Raise an error if the lower bound ``dual`` exceeds the largest possible objective."""
        largest = self.program.largest_margin
        if dual > largest:
            raise InfeasibleConstraintsError(
                "no labelling satisfies all labels and links within the balance: the lower bound "
                f"of the objective, {dual:.6g}, is above the largest it can be, {largest:.6g}; "
                "raise balance, or remove links"
            )
