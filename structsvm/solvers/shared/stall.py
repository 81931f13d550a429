"""Whether the gap of a run still falls."""

from __future__ import annotations

import math

from structsvm.solvers.thresholds import PATIENCE

#: A stall is reached when its last rounds have not lowered the gap to this fraction.
PROGRESS = 0.9


class Stall:
    """Whether the gap still falls, from round to round.

    Parameters
    ----------
    patience : int
        Number of rounds that may hardly lower it; more where gaps are estimates.
    """

    def __init__(self, patience: int = PATIENCE) -> None:
        self._gaps, self._patience = [math.inf], patience

    def note(self, gap: float) -> None:
        """Learn of the gap after a round."""
        self._gaps.append(min(self._gaps[-1], gap))

    @property
    def is_reached(self) -> bool:
        """Whether the last rounds have hardly lowered the gap."""
        gaps, patience = self._gaps, self._patience
        return len(gaps) > patience and gaps[-1] >= PROGRESS * gaps[-1 - patience]
