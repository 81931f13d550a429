"""Decisions for predicted costs."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LinearRegression

from structsvm.datasets import shortest_path_costs
from structsvm.displays.drawing import new_figure
from structsvm.problems.decisions import DecisionFocusedRegressor, GridPaths


def decisions() -> Any:
    """True and predicted costs of a grid's edges, and the cheapest path for each."""
    X, costs = shortest_path_costs(1200, degree=6, noise=0.5)
    paths, train = GridPaths(5, 5), slice(0, 200)
    squares = LinearRegression().fit(X[train], costs[train])
    focused = DecisionFocusedRegressor(paths).fit(X[train], costs[train])
    best = paths.batch(costs)
    found = [paths.batch(model.predict(X)) for model in (squares, focused)]
    extra = [(costs * (z - best)).sum(axis=1) / (costs * best).sum(axis=1) for z in found]
    # The first where the two differ three times as much as on average over all.
    ahead = extra[0] - extra[1]
    i = 200 + int(np.argmax(ahead[200:] >= 3 * ahead[200:].mean()))
    panels = [
        ("true costs,\nbest path", costs[i], best[i]),
        (f"least squares:\n{extra[0][i]:+.0%}", squares.predict(X[i : i + 1])[0], found[0][i]),
        (f"SPO+:\n{extra[1][i]:+.0%}", focused.predict(X[i : i + 1])[0], found[1][i]),
    ]
    figure = new_figure(5, 2.2)
    for ax, (title, shown, path) in zip(figure.subplots(1, 3), panels, strict=True):
        _draw_grid(ax, shown, path)
        ax.set_title(title, fontsize=10)
    return figure


def _draw_grid(ax: Any, costs: Any, path: Any) -> None:
    """A 5 x 5 grid, its edges the stronger the more they cost, and a path."""
    ends = [((r, c), (r + d, c + 1 - d)) for r in range(5) for d in (0, 1) for c in range(5)]
    ends = [(a, b) for a, b in ends if b[0] < 5 and b[1] < 5]
    strengths = 0.15 + 0.85 * (costs - costs.min()) / np.ptp(costs)
    for (a, b), strength, taken in zip(ends, strengths, path, strict=True):
        line = [a[1], b[1]], [-a[0], -b[0]]
        if taken:
            ax.plot(*line, color="C0", linewidth=8, alpha=0.6, solid_capstyle="round", zorder=0)
        ax.plot(*line, color="C1", alpha=strength, linewidth=3)
    ax.set_aspect("equal")
    ax.axis("off")
