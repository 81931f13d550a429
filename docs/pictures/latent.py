"""Outputs with a latent part."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from matplotlib import colormaps
from matplotlib.patches import Rectangle

from structsvm import CCCP, LatentSVM
from structsvm.displays.drawing import BLUE, RED, new_figure

EXAMPLES = Path(__file__).parents[1] / "examples"


def hidden_digits() -> Any:
    """Noisy images with the places and digits that were found, and what each digit looks like."""
    sys.path.insert(0, str(EXAMPLES))
    import hidden_place

    images, digits, _ = hidden_place.hidden_digits(side=14)
    X = hidden_place.windows(images)
    solver = CCCP(search=False, rtol=1e-2, max_iter=500)
    svm = LatentSVM(hidden_place.MostInk(10), n_init=1, solver=solver).fit(X[:500], digits[:500])
    figure = new_figure(9, 3.2)
    axes = figure.subplots(2, 10)
    shown = slice(1000, 1010)
    found = svm.predict(X[shown])
    for ax, image, (digit, place), true in zip(
        axes[0], images[shown], found, digits[shown], strict=True
    ):
        ax.imshow(image, cmap=colormaps["Greys"])
        row, column = divmod(int(place), 7)
        colour = BLUE if digit == true else RED
        ax.add_patch(Rectangle((column - 0.5, row - 0.5), 8, 8, fill=False, edgecolor=colour))
        ax.set_title(digit, fontsize=9, color=colour)
    weights = svm.w_.reshape(10, -1)[:, :-1].reshape(10, 8, 8)
    for ax, w in zip(axes[1], weights, strict=True):
        ax.imshow(w, cmap=colormaps["RdBu"], vmin=-abs(weights).max(), vmax=abs(weights).max())
    for ax in axes.ravel():
        ax.set(xticks=[], yticks=[])
    return figure
