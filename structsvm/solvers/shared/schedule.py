"""The schedule for evaluations of the objective and solutions of the dual problem."""

from __future__ import annotations

#: The first evaluation is due at this pass.
FIRST = 4
#: A further evaluation is due when the passes have grown by this fraction.
VISIBLE = 0.25
#: An evaluation is due if the estimated gap is at most this multiple of the tolerance.
NEAR = 1.5


class Schedule:
    """A schedule of evaluations, at growing intervals and when the gap is near the tolerance.

    Parameters
    ----------
    first : int
        The pass at which the first evaluation is due.
    visible : float
        The fraction by which the number of passes must grow until the next evaluation is due.
    """

    def __init__(self, first: int = FIRST, visible: float = VISIBLE) -> None:
        self._due, self._visible = float(first), visible

    def is_due(self, passes: int, gap: float, tolerance: float) -> bool:
        """Whether an evaluation is due, by the number of passes or because the gap is small."""
        return gap <= NEAR * tolerance or self.is_overdue(passes)

    def is_overdue(self, passes: int) -> bool:
        """Whether enough passes have been made since the last evaluation."""
        return passes >= self._due

    def done(self, passes: int) -> None:
        """Record that an evaluation was made after `passes` passes."""
        self._due = (1 + self._visible) * passes
