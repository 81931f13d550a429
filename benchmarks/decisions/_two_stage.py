"""Two stages: predict the costs by least squares or trees, whatever the decisions are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression

from benchmarks.decisions._draws import Draw
from benchmarks.decisions._learned import Learned
from benchmarks.experiment import cpu_seconds


def _fitted(draw: Draw, model: Any) -> Learned:
    X, costs = draw.train.X, draw.train.costs
    seconds, _ = cpu_seconds(lambda: model.fit(X, costs), repeats=1)
    return Learned(model.predict, seconds)


TWO_STAGE: dict[str, Callable[[Draw], Learned]] = {
    "least squares": lambda draw: _fitted(draw, LinearRegression()),
    "forest": lambda draw: _fitted(draw, RandomForestRegressor(random_state=draw.seed)),
}
