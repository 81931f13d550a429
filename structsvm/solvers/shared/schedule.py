"""The schedule by which an algorithm evaluates P or solves the dual, which take extra time."""

from __future__ import annotations

#: The first evaluation is due at this pass.
FIRST = 4
#: A further evaluation is due when the passes have grown by this fraction.
VISIBLE = 0.25
#: An evaluation is due if the estimated gap is at most this multiple of the tolerance.
NEAR = 1.5


class Schedule:
    """A schedule of evaluations: whenever the passes have grown by a fraction, and near the end.

    Parameters
    ----------
    first : int
        The pass at which the first evaluation is due.
    visible : float
        The fraction by which the passes must have grown before a further evaluation is due.
    """

    def __init__(self, first: int = FIRST, visible: float = VISIBLE) -> None:
        self._due, self._visible = float(first), visible

    def is_due(self, passes: int, gap: float, tolerance: float) -> bool:
        """Whether the estimated gap is near the tolerance, or enough passes were made."""
        return gap <= NEAR * tolerance or self.is_overdue(passes)

    def is_overdue(self, passes: int) -> bool:
        """Whether enough passes were made since the last evaluation, whatever the gap is."""
        return passes >= self._due

    def done(self, passes: int) -> None:
        """Record an evaluation after this number of passes."""
        self._due = (1 + self._visible) * passes
