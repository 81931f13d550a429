"""The detection of stalls, which are rounds in which the gap hardly falls."""

from __future__ import annotations

import math

from structsvm.solvers.thresholds import PATIENCE

#: A run has stalled when its last rounds have not lowered the gap to this fraction.
PROGRESS = 0.9


class Stall:
    """The lowest gap so far after each round, and a test of whether the gap has stopped falling."""

    def __init__(self) -> None:
        self._gaps = [math.inf]

    def note(self, gap: float) -> None:
        """Record the gap after a round."""
        self._gaps.append(min(self._gaps[-1], gap))

    @property
    def is_reached(self) -> bool:
        """Whether the last rounds have hardly lowered the gap."""
        gaps = self._gaps
        return len(gaps) > PATIENCE and gaps[-1] >= PROGRESS * gaps[-1 - PATIENCE]
