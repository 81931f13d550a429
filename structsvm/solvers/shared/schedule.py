"""When an algorithm evaluates P, which takes a pass that it does not need otherwise."""

from __future__ import annotations

from structsvm.solvers.shared.record import Record

#: P is evaluated at this pass,
FIRST = 4
#: then after this fraction of the passes so far,
VISIBLE = 0.25
#: or where the estimated gap is at most this multiple of the tolerance.
NEAR = 1.5


class Schedule:
    """Whether P is due to be evaluated.

    Parameters
    ----------
    record : Record
    first : int
        P is evaluated after this number of passes,
    visible : float
        then after this fraction of the passes so far,
    near : float
        or where the estimated gap is at most this multiple of the tolerance.
    """

    def __init__(
        self, record: Record, first: int = FIRST, visible: float = VISIBLE, near: float = NEAR
    ) -> None:
        self._record, self._due = record, float(first)
        self._visible, self._near = visible, near

    def is_due(self, gap: float, tolerance: float) -> bool:
        """Whether the estimated gap is near the tolerance, or enough passes were made."""
        return gap <= self._near * tolerance or len(self._record.history) >= self._due

    def evaluated(self) -> None:
        """Learn that P was evaluated in the last pass."""
        self._due = (1 + self._visible) * len(self._record.history)
