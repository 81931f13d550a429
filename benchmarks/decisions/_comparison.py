"""All methods on draws of a problem: means, deviations and paired differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks.decisions._draws import Draw, Learned
from benchmarks.decisions._methods import OURS, TWO_STAGE
from benchmarks.experiment import Experiment, Other
from benchmarks.store import Row

COMPARED, THEIRS = ("ours, auto", "ours, chosen"), ("PyEPO SPO+", "PyEPO perturbed")


def pyepo(draw: Draw, name: str) -> Learned:
    from benchmarks.decisions._pyepo import learned

    return learned(draw, name)


METHODS: dict[str, Callable[[Draw], Learned]] = {
    **TWO_STAGE,
    **{name: partial(pyepo, name=name) for name in THEIRS},
    **OURS,
}


def measured(fits: Any, draw: Draw) -> dict[str, tuple[float, Learned]]:
    """Return the regret, the calls and the seconds of each method."""
    return {name: (draw.test.regret(fit.found.predict), fit.found) for name, fit in fits.items()}


def summary(draws: Sequence[dict[str, tuple[float, Learned]]]) -> Row:
    """Rows of four tables: regrets, and their differences, calls and seconds."""
    regrets = {name: [draw[name][0] for draw in draws] for name in draws[0]}
    costs = [{name: learned for name, (_, learned) in draw.items()} for draw in draws]
    count = {"draws": len(draws)}
    row: Row = count | {name: float(np.mean(values)) for name, values in regrets.items()}
    return row | {
        "differences": Other(count | _differences(regrets)),
        "calls per example": Other(count | _costs(costs, "calls")),
        "CPU seconds": Other(count | _costs(costs, "seconds")),
    }


def _differences(regrets: dict[str, list[float]]) -> Row:
    """Return ours minus the better of PyEPO's losses on average, draw by draw."""
    means = {method: np.mean(regrets[method]) for method in THEIRS if method in regrets}
    if not means:
        return {}
    best = min(means, key=lambda method: means[method])
    row: Row = {"PyEPO's best": best}
    for method in COMPARED:
        difference = np.subtract(regrets[method], regrets[best])
        row[method] = float(difference.mean())
        error = float(np.std(difference, ddof=1) / len(difference) ** 0.5)
        row[f"{method}, standard error"] = error
    return row


def _costs(costs: list[dict[str, Learned]], attribute: str) -> Row:
    """Means over draws."""
    row: Row = {
        method: float(np.mean([getattr(found[method], attribute) for found in costs]))
        for method in costs[0]
    }
    return {name: value for name, value in row.items() if value}


def comparison(name: str, drawn: Callable[..., Draw], n: int, draws: int) -> Experiment:
    """The comparison on draws of a problem with n examples to learn from."""
    return Experiment(
        "regret, percent",
        ("problem", "degree", "n"),
        {(name, degree, n): partial(drawn, n, degree) for degree in (1, 2, 4, 6, 8)},
        METHODS,
        measured,
        wide=True,
        draws=draws,
        summary=summary,
        strict=True,
    )
