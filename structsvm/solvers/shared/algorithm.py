"""An algorithm at work, and the point and the dual solution from which one begins."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from structsvm.data.arrays import Vector
from structsvm.oracle.cuts import one_slack_cut
from structsvm.planes.plane import SupportPlane, WeightedPlanes
from structsvm.solvers.shared.consistency import require_any_loss
from structsvm.solvers.shared.loop import Pass, Passes
from structsvm.solvers.shared.record import Record


class Start(NamedTuple):
    """A point and a dual solution: a warm start, or a handover from one algorithm to the next.

    Attributes
    ----------
    point : ndarray of shape (size,) or None
        None for the solver's own.
    support : sequence of SupportPlane
        The planes of the dual solution.
    factor : float
        What their dual variables are multiplied by.
    planes : WeightedPlanes or None
        One-slack planes of the same dual solution, where their rows are known.
    """

    point: Vector | None = None
    support: Sequence[SupportPlane] = ()
    factor: float = 1.0
    planes: WeightedPlanes | None = None


class Algorithm(ABC):
    """An algorithm at work: it makes passes, and publishes what they find to the run's record.

    Where it yields None, its attributes and the record are all that it needs to go on: a copy of
    both makes the same passes from there.

    Attributes
    ----------
    record : Record
    """

    def __init__(self, record: Record) -> None:
        self.record = record

    @abstractmethod
    def passes(self) -> Passes:
        """Make one pass after another.

        Returns the status of a run without a further pass, or the start of the solver that is due
        now, or the algorithm with which the same solver goes on.
        """

    def complete(self) -> None:  # noqa: B027
        """Complete the certificate where a limit ended the passes, if the passes leave it open."""

    def handover(self) -> Start:
        """Return the start of the algorithm that goes on after a stall."""
        found = self.record.found
        return Start(found.w, found.dual.support)

    def return_to(self, w: Vector) -> None:
        """Make w the point that is returned, and evaluate the objective there."""
        record = self.record
        record.return_to(w, one_slack_cut(record.examples, record.labels, w))

    # ------------------------------------------------------------------ for several algorithms

    def first_pass(self, query: Vector) -> Pass:
        """Evaluate the objective at the point that a run begins with."""
        record = self.record
        cuts = one_slack_cut(record.examples, record.labels, query)
        require_any_loss(record, query, cuts.any_loss)
        record.loss = float(record.examples.first.losses_of(cuts.offsets, cuts.rows)[0])
        return Pass(record.add_pass(query, cuts), query, False)
