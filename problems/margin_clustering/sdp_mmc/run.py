"""Runs of the two solvers, and the certificates that they end with."""

from __future__ import annotations

import logging
import time
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

from structsvm.data.arrays import Indices, Vector
from structsvm.exceptions import InfeasibleConstraintsError
from structsvm.problems.margin_clustering.sdp_mmc.program import Program
from structsvm.results.status import Guarantee, Iteration, Outcome, Status
from structsvm.results.verification import Verification
from structsvm.solvers.shared.loop import Limits

logger = logging.getLogger(__name__)


class Recomputed(NamedTuple):
    """The numbers of a result, from the kernel and the dual point alone.

    Attributes
    ----------
    primal, dual, violation : float
    allowed : bool
        Whether the dual variables are feasible.
    """

    primal: float
    dual: float
    violation: float
    allowed: bool


@dataclass(frozen=True, repr=False)
class ProgramResult(Outcome):
    """The solution of a semidefinite program, with its certificate."""

    violation: float

    @property
    @abstractmethod
    def factors(self) -> list[Vector]:
        """Matrices Y, of which Y times a random vector is a draw for the rounding."""

    @abstractmethod
    def soft_assignment(self, counts: Indices) -> Vector:
        """sqrt(mu) v of the largest eigenvalue mu of M and its eigenvector v, for each node.

        It is the soft assignment of Xu et al. A node of m rows counts m times, as in M.
        """

    @abstractmethod
    def column(self, node: int) -> Vector:
        """The similarity of each node to this one."""

    @abstractmethod
    def recomputed(self, program: Any) -> Recomputed:
        """The numbers by the program."""

    def verify(self, program: Any, tol: float = 1e-6) -> Verification:
        """Recompute all numbers from the kernel and the dual point; see :class:`Verification`."""
        found = self.recomputed(program)
        scale = tol * (1 + abs(self.primal))
        matches = (
            abs(found.primal - self.primal) <= scale
            and abs(found.dual - self.dual) <= scale
            and abs(found.violation - self.violation) <= tol
            and found.allowed
        )
        gap = found.primal - found.dual
        return Verification(found.primal, found.dual, gap, 0.0, found.violation, bool(matches))


class Run:
    """One run of a solver: its program and its history."""

    name = "SDPMMC"
    step: Any
    result: Any

    def __init__(self, program: Program, tol: float) -> None:
        self.program: Any = program
        self.tol = tol
        self.history: list[Iteration] = []
        self.started = time.perf_counter()

    def solved(self, limits: Limits) -> Any:
        """The result at the tolerance, or where a limit is met."""
        result = self.result(limits.run(self))
        logger.info("%s", result)
        return result

    def record(self, primal: float, dual: float, n_planes: int) -> Iteration:
        """Add a pass to the history."""
        number, seconds = len(self.history) + 1, time.perf_counter() - self.started
        self.history.append(
            Iteration(number, primal, primal, dual, primal - dual, n_planes, number, seconds)
        )
        return self.history[-1]

    def outcome(
        self, primal: float, dual: float, status: Status, guarantee: Guarantee
    ) -> dict[str, Any]:
        """The arguments of :class:`Outcome`."""
        return {
            "primal": primal,
            "dual": dual,
            "gap": primal - dual,
            "tolerance": self.tol * abs(primal),
            "status": status,
            "guarantee": guarantee,
            "iterations": len(self.history),
            "oracle_calls": len(self.history),
            "seconds": {"total": time.perf_counter() - self.started},
            "history": tuple(self.history),
        }

    def require_feasible(self, dual: float) -> None:
        """Raise an InfeasibleConstraintsError if the lower bound is above all objectives."""
        largest = self.program.largest_margin
        if dual > largest:
            raise InfeasibleConstraintsError(
                "no labelling satisfies all labels and links within the balance: the lower bound "
                f"of the objective, {dual:.6g}, is above the largest it can be, {largest:.6g}; "
                "raise balance, or remove links"
            )
