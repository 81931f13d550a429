"""Least squares and trees, which ignore decisions, and DecisionFocusedRegressor.

DecisionFocusedRegressor has the automatic C, a chosen C, or the Hamming loss in place of SPO+."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression

from benchmarks.decisions._draws import Draw, Learned
from benchmarks.experiment import cpu_seconds
from structsvm.problems.decisions import DecisionFocusedRegressor

#: Factors of the automatic C, to choose from.
FACTORS = (0.1, 10.0)


def predicted(draw: Draw, model: Any) -> Learned:
    X, costs = draw.train.X, draw.train.costs
    seconds, _ = cpu_seconds(lambda: model.fit(X, costs), repeats=1)
    return Learned(model.predict, seconds)


def fitted(draw: Draw, costs: Any, C: Any = "auto") -> tuple[Learned, float]:
    """A fit to some costs of the training examples, and its C."""
    model = DecisionFocusedRegressor(draw.optimizer, sense=draw.optimizer.sense, C=C)
    seconds, _ = cpu_seconds(lambda: model.fit(draw.train.X, costs), repeats=1)
    calls = model.result_.oracle_calls / len(costs)
    return Learned(model.predict, seconds, calls), model.C_


def best_of(draw: Draw, costs: Any) -> Learned:
    """The fit of least regret on the validation examples, with the automatic C or another."""
    automatic, C = fitted(draw, costs)
    others = [fitted(draw, costs, factor * C)[0] for factor in FACTORS]
    return min([automatic, *others], key=lambda fit: draw.validation.regret(fit.predict))


def hamming_costs(best: Any, sense: str) -> Any:
    """Costs at which the regret of z is the number of entries that differ from the best one."""
    return 2 * best - 1 if sense == "max" else 1 - 2 * best


def hamming(draw: Draw) -> Learned:
    """The structural SVM whose loss is the Hamming distance: SPO+ for other costs.

    C is chosen by the regret at the true costs.
    """
    costs = hamming_costs(draw.train.best, draw.optimizer.sense)
    return best_of(draw, costs)


TWO_STAGE: dict[str, Callable[[Draw], Learned]] = {
    "least squares": lambda draw: predicted(draw, LinearRegression()),
    "forest": lambda draw: predicted(draw, RandomForestRegressor(random_state=draw.seed)),
}
OURS: dict[str, Callable[[Draw], Learned]] = {
    "Hamming SVM": hamming,
    "ours, auto": lambda draw: fitted(draw, draw.train.costs)[0],
    "ours, chosen": lambda draw: best_of(draw, draw.train.costs),
}
