"""What a method learned from a draw, and what it took."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.decisions._draws import Draw, Predict


class Learned(NamedTuple):
    """A prediction of costs, with the calls of the optimizer and the CPU seconds of its training.

    The calls are per example. They leave out the one that finds the best decision for the true
    costs, which all methods need that train for decisions; the seconds include it.
    """

    predict: Predict
    seconds: float
    calls: float = 0.0


def chosen(draw: Draw, fits: Sequence[Learned]) -> Learned:
    """The fit of least regret on the validation examples."""
    return min(fits, key=lambda fit: draw.validation.regret(fit.predict))
