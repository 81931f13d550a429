"""When an algorithm evaluates P, or solves the dual, if that costs time that no pass needs."""

from __future__ import annotations

from structsvm.solvers.shared.record import Record

#: The first time is at this pass,
FIRST = 4
#: the others are after this fraction of the passes so far,
VISIBLE = 0.25
#: or where the estimated gap is at most this multiple of the tolerance.
NEAR = 1.5


class Schedule:
    """Whether it is due: after a fraction of the passes so far, and near the tolerance.

    Parameters
    ----------
    record : Record
    first : int
        The first time is at this pass,
    visible : float
        the others are after this fraction of the passes so far.
    """

    def __init__(self, record: Record, first: int = FIRST, visible: float = VISIBLE) -> None:
        self._record, self._due, self._visible = record, float(first), visible

    def is_due(self, gap: float, tolerance: float) -> bool:
        """Whether the estimated gap is near the tolerance, or enough passes were made."""
        return gap <= NEAR * tolerance or self.is_overdue

    @property
    def is_overdue(self) -> bool:
        """Whether enough passes were made, whatever the gap."""
        return len(self._record.history) >= self._due

    def done(self) -> None:
        """Learn that it was done after the last pass."""
        self._due = (1 + self._visible) * len(self._record.history)
