"""Outputs with a latent part."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from matplotlib.patches import Rectangle

from structsvm import CCCP, LatentSVM
from structsvm.displays.drawing import new_figure

EXAMPLES = Path(__file__).parents[1] / "examples"
#: Test images.
SHOWN = slice(1000, 1010)


def hidden_digits() -> Any:
    """Noisy images with the places and digits that were found."""
    sys.path.insert(0, str(EXAMPLES))
    import hidden_place

    images, digits, _ = hidden_place.hidden_digits(side=14)
    X = hidden_place.windows(images)
    solver = CCCP(search=False, rtol=1e-2, max_iter=500)
    svm = LatentSVM(hidden_place.MostInk(10), n_init=1, solver=solver).fit(X[:500], digits[:500])
    figure = new_figure(5, 2.4)
    axes = figure.subplots(2, 5).ravel()
    outputs = svm.predict(X[SHOWN])
    for ax, image, (digit, place), true in zip(
        axes, images[SHOWN], outputs, digits[SHOWN], strict=True
    ):
        ax.imshow(image, cmap="Greys")
        row, column = divmod(int(place), 7)
        colour = "C0" if digit == true else "tab:red"
        frame = Rectangle((column - 0.5, row - 0.5), 8, 8, fill=False, edgecolor=colour, lw=2)
        ax.add_patch(frame)
        ax.set_title(digit, fontsize=11, color=colour)
        ax.axis("off")
    return figure
