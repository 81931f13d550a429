"""What a method learned from a draw, and what it took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.decisions._draws import Draw, Predict


@dataclass
class Learned:
    """A prediction of costs, with the calls of the optimizer and the CPU seconds of its training.

    The calls are per example. They leave out the one that finds the best decision for the true
    costs, which all methods need that train for decisions; the seconds include it.

    Attributes
    ----------
    search_calls, search_seconds : float
        Those of all fits that this one was chosen from.
    gap : float or None
        The certified gap, in percent of the objective, of the worst of these fits.
    converged : bool or None
        Whether all of them converged.
    """

    predict: Predict
    seconds: float
    calls: float = 0.0
    search_seconds: float = 0.0
    search_calls: float = 0.0
    gap: float | None = None
    converged: bool | None = None


def chosen(draw: Draw, fits: Sequence[Learned]) -> Learned:
    """The fit of least regret on the validation examples, with the cost of all of them."""
    best = min(fits, key=lambda fit: draw.validation.regret(fit.predict))
    totals: dict[str, Any] = {
        "search_seconds": sum(fit.seconds for fit in fits),
        "search_calls": sum(fit.calls for fit in fits),
    }
    if best.gap is not None:
        totals["gap"] = max(fit.gap or 0.0 for fit in fits)
        totals["converged"] = all(fit.converged for fit in fits)
    return replace(best, **totals)
