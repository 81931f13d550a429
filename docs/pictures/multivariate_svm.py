"""Training for a measure."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.colors import ListedColormap
from sklearn.metrics import f1_score

from structsvm.displays.drawing import new_figure
from structsvm.problems import MultivariateSVM

NAMES = {"error": "the error", "f1": "F1"}
#: Draws that the mean F1 is over; the first is shown.
DRAWS = 5


def for_f1() -> Any:
    """Rows predicted positive after training for the error and for F1."""
    draws = [_draw(np.random.default_rng(seed)) for seed in range(DRAWS)]
    X, y = draws[0][1]
    low, high = X.min(axis=0), X.max(axis=0)
    grid = np.stack(np.meshgrid(*np.linspace(low, high, 300).T), axis=-1)
    figure = new_figure(5, 4.6)
    for ax, (measure, name) in zip(figure.subplots(2), NAMES.items(), strict=True):
        trained = [MultivariateSVM(measure, C=1000.0).fit(*train) for train, _ in draws]
        f1 = [
            f1_score(true, svm.predict(rows))
            for svm, (_, (rows, true)) in zip(trained, draws, strict=True)
        ]
        positive = trained[0].predict(grid.reshape(-1, 2)).reshape(grid.shape[:2])
        ax.imshow(
            np.where(positive, 1.0, np.nan),
            extent=(low[0], high[0], low[1], high[1]),
            origin="lower",
            aspect="auto",
            cmap=ListedColormap(["C1"]),
            alpha=0.2,
        )
        ax.scatter(*X[~y].T, s=4, color="C0", alpha=0.5)
        ax.scatter(*X[y].T, s=8, color="C1")
        ax.set(xticks=[], yticks=[], title=f"trained for {name}: F1 {np.mean(f1):.2f}")
        ax.spines[:].set_visible(False)
    return figure


def _draw(rng: Any) -> list[Any]:
    """1,500 rows to train on and as many to judge by, one in ten positive."""
    y = rng.random((2, 1500)) < 0.1
    X = rng.normal(size=(2, 1500, 2)) + y[..., None] * [1.6, 1.2]
    return list(zip(X, y, strict=True))
