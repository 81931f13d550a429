"""Labels of the nodes of graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import colormaps

from structsvm.displays.drawing import new_figure
from structsvm.problems import GraphSVM

#: Test images of horses.
HORSES = (2, 13, 31, 47, 58, 90)


def horses() -> Any:
    """The masks of test images, and the pixels found one by one and in a grid."""
    from benchmarks.graphs.horses import CS, graphs, labels, pixels, trained
    from benchmarks.graphs.horses import horses as data

    train, test = data(32)
    shown = type(test)(*(field[list(HORSES)] for field in test))
    alone = trained(train, CS[1]).predict(pixels(shown))
    grid = GraphSVM(attractive=True).fit(graphs(train), labels(train)).predict(graphs(shown))
    shape = shown.masks.shape
    lines = {
        "mask": shown.masks,
        "pixels": alone.reshape(shape),
        "grid": np.reshape(grid, shape),
    }
    figure = new_figure(1.2 * len(HORSES), 1.2 * len(lines))
    for axes, (name, pictures) in zip(
        figure.subplots(len(lines), shape[0]), lines.items(), strict=True
    ):
        axes[0].set_ylabel(name)
        for ax, picture in zip(axes, pictures, strict=True):
            ax.imshow(picture, cmap=colormaps["Greys"])
            ax.set(xticks=[], yticks=[])
    return figure
