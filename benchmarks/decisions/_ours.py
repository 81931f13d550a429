"""DecisionFocusedRegressor: the automatic C, a chosen one, and the Hamming loss in SPO+'s place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.decisions._draws import Draw
from benchmarks.decisions._learned import Learned, chosen
from benchmarks.experiment import cpu_seconds
from structsvm.problems.decisions import DecisionFocusedRegressor

#: Factors of the automatic C, to choose from.
FACTORS = (0.1, 10.0)


def fitted(draw: Draw, costs: Any, C: Any = "auto") -> tuple[Learned, float]:
    """A fit to some costs of the training examples, and its C."""
    model = DecisionFocusedRegressor(draw.optimizer, sense=draw.optimizer.sense, C=C)
    seconds, _ = cpu_seconds(lambda: model.fit(draw.train.X, costs), repeats=1)
    calls = model.result_.oracle_calls / len(costs)
    return Learned(model.predict, seconds, calls), model.C_


def best_of(draw: Draw, costs: Any) -> Learned:
    """The best of the fit with the automatic C and of those with other C."""
    automatic, C = fitted(draw, costs)
    others = [fitted(draw, costs, factor * C)[0] for factor in FACTORS]
    return chosen(draw, [automatic, *others])


def hamming_costs(best: Any, sense: str) -> Any:
    """Costs at which the regret of z is the number of entries that differ from the best one."""
    return 2 * best - 1 if sense == "max" else 1 - 2 * best


def hamming(draw: Draw) -> Learned:
    """The structural SVM whose loss is the Hamming distance: SPO+ for other costs.

    C is chosen by the regret at the true costs.
    """
    costs = hamming_costs(draw.train.best, draw.optimizer.sense)
    return best_of(draw, costs)


OURS: dict[str, Callable[[Draw], Learned]] = {
    "Hamming SVM": hamming,
    "ours, auto": lambda draw: fitted(draw, draw.train.costs)[0],
    "ours, chosen": lambda draw: best_of(draw, draw.train.costs),
}
