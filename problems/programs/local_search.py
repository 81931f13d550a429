"""Local search from a solution of a program, by flips of one or two variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.programs.program import Compiled

#: Gain of a flip or swap that counts as rounding, relative to the largest score.
ROUNDING = 1e-9
#: Number of variables, by decreasing gain, for which a partner of a swap is searched.
SWAPS = 20


def improved(program: Compiled, scores: Vector, y: Any) -> Any:
    """Improve a solution by flips of one variable and swaps of two variables.

    A swap flips two variables if flipping only the first would violate a constraint. The search
    ends when no flip and no tried swap improves the solution.
    """
    y = np.array(y)
    least = ROUNDING * float(np.abs(scores).max(initial=0.0))
    while len(step := _step(program, scores, y, least)):
        y[step] = 1 - y[step]
    return y


def _step(program: Compiled, scores: Vector, y: Any, least: float) -> Indices:
    """Return the one or two variables to flip, or none if no flip improves the solution."""
    gains = scores * (1 - 2 * y)
    allowed = np.where(program.violations_of_flips(y) == 0, gains, -np.inf)
    if allowed.max() > least:
        return np.array([allowed.argmax()])
    candidates = np.flatnonzero(gains > least)
    for i in candidates[np.argsort(-gains[candidates])][:SWAPS]:
        flipped = y.copy()
        flipped[i] = 1 - y[i]
        partners = np.where(program.violations_of_flips(flipped) == 0, gains, -np.inf)
        partners[i] = -np.inf
        if gains[i] + partners.max() > least:
            return np.array([i, partners.argmax()])
    return np.array([], dtype=np.intp)
