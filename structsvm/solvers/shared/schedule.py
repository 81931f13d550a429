"""When an algorithm evaluates P, or solves the dual, if that costs time that no pass needs."""

from __future__ import annotations

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
    first : int
        The first time is at this pass,
    visible : float
        the others are after this fraction of the passes so far.
    """

    def __init__(self, first: int = FIRST, visible: float = VISIBLE) -> None:
        self._due, self._visible = float(first), visible

    def is_due(self, passes: int, gap: float, tolerance: float) -> bool:
        """Whether the estimated gap is near the tolerance, or enough passes were made."""
        return gap <= NEAR * tolerance or self.is_overdue(passes)

    def is_overdue(self, passes: int) -> bool:
        """Whether enough passes were made, whatever the gap."""
        return passes >= self._due

    def done(self, passes: int) -> None:
        """Learn that it was done after this number of passes."""
        self._due = (1 + self._visible) * passes
