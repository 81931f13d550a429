"""What a method learned from a draw, and what it took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

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
    """

    predict: Predict
    seconds: float
    calls: float = 0.0
    search_seconds: float = 0.0
    search_calls: float = 0.0


def chosen(draw: Draw, fits: Sequence[Learned]) -> Learned:
    """The fit of least regret on the validation examples, with the cost of all of them."""
    best = min(fits, key=lambda fit: draw.validation.regret(fit.predict))
    return replace(
        best,
        search_seconds=sum(fit.seconds for fit in fits),
        search_calls=sum(fit.calls for fit in fits),
    )
