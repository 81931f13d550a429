"""Rankings."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.colors import to_rgba
from sklearn.linear_model import Ridge

from structsvm.displays.drawing import new_figure
from structsvm.problems import RankingSVM

#: Test searches.
SHOWN = 8


def offers() -> Any:
    """The example of the page: relevance of the offers of searches in the order of two models."""
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(60), 10)
    level, stars = rng.normal(scale=5, size=60)[qid], rng.normal(size=600)
    price = level + rng.normal(size=600)
    y = np.digitize(stars - (price - level) + 0.5 * rng.normal(size=600), [1.0, 2.5])
    X, train, test = np.column_stack([price, stars]), qid < 30, qid >= 30
    svm = RankingSVM("ndcg", k=5).fit(X[train], y[train], qid=qid[train])
    models = {"regression": Ridge().fit(X[train], y[train]), "RankingSVM": svm}
    figure = new_figure(5, 2.7)
    for ax, (name, model) in zip(figure.subplots(1, 2, sharey=True), models.items(), strict=True):
        order = np.argsort(-model.predict(X[test]).reshape(-1, 10), axis=1)
        grades = np.take_along_axis(y[test].reshape(-1, 10), order, axis=1)
        _draw_grades(ax, grades[:SHOWN])
        ax.set(title=name, xlabel="position", xticks=[1, 5, 10], yticks=[])
    figure.axes[0].set_ylabel("searches")
    return figure


def _draw_grades(ax: Any, grades: Any) -> None:
    colours = np.array([to_rgba("C5", 0.15), to_rgba("C0", 0.5), to_rgba("C0")])
    for (query, place), grade in np.ndenumerate(grades):
        ax.plot(place + 1, -query, "s", color=colours[grade], markersize=11, markeredgewidth=0)
    ax.set(xlim=(0.3, 10.7), ylim=(0.6 - len(grades), 0.6))
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
