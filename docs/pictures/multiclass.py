"""Classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.colors import ListedColormap
from sklearn.svm import LinearSVC

from structsvm.displays.drawing import new_figure
from structsvm.problems import MulticlassSVM

#: The site's colours of lines.
CLASSES = ListedColormap(["#3b82c4", "#d9730d", "#2f9e6e", "#b05fa3", "#8a8a3c"])


def together() -> Any:
    """Regions of five classes in a row, learned one against the rest and together."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(5), 60)
    X = np.column_stack([2.5 * y, np.zeros(len(y))]) + rng.normal(scale=0.6, size=(len(y), 2))
    low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
    grid = np.stack(np.meshgrid(*np.linspace(low, high, 300).T), axis=-1)
    trained = {
        "LinearSVC, one class against the rest": LinearSVC(),
        "MulticlassSVM, all classes together": MulticlassSVM(),
    }
    figure = new_figure(5, 4)
    for ax, (name, svm) in zip(figure.subplots(2), trained.items(), strict=True):
        svm.fit(X, y)
        regions = svm.predict(grid.reshape(-1, 2)).reshape(grid.shape[:2])
        style = {"cmap": CLASSES, "vmin": 0, "vmax": 4}
        ax.imshow(
            regions,
            extent=(low[0], high[0], low[1], high[1]),
            origin="lower",
            aspect="auto",
            alpha=0.3,
            interpolation="nearest",
            **style,
        )
        ax.scatter(*X.T, c=y, s=8, **style)
        ax.set(xticks=[], yticks=[], title=f"{name}: {100 * svm.score(X, y):.0f} % right")
        ax.spines[:].set_visible(False)
    return figure
