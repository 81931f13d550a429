"""Labels of the nodes of graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.colors import to_rgb

from structsvm.displays.drawing import new_figure
from structsvm.problems import GraphSVM, grid_graph


def pixels() -> Any:
    """The example of the page: noisy images, and labels found one by one and in a graph."""
    rng = np.random.default_rng(0)
    disc = np.hypot(*np.indices((32, 32)) - 15.5) < 10
    masks = [np.roll(disc, shift, axis=(0, 1)) for shift in ((0, 0), (4, 2), (-3, 5), (2, -4))]
    images = [mask + rng.normal(size=(32, 32)) for mask in masks]
    X = [grid_graph(image[:, :, None]) for image in images]
    svm = GraphSVM(attractive=True).fit(X[:2], [mask.ravel() for mask in masks[:2]])
    true, alone = np.array(masks[2:]), np.array(images[2:]) > 0.5
    found = np.reshape(svm.predict(X[2:]), true.shape)
    figure = new_figure(5, 3)
    axes = figure.subplots(2, 4)
    titles = (
        "image",
        f"one by one\n{np.mean(alone == true):.0%} right",
        f"GraphSVM\n{np.mean(found == true):.0%} right",
        "truth",
    )
    for ax, title in zip(axes[0], titles, strict=True):
        ax.set_title(title, fontsize=10)
    for row, image, *labels in zip(axes, images[2:], alone, found, true, strict=True):
        row[0].imshow(image, cmap="Greys")
        for ax, mask in zip(row[1:], labels, strict=True):
            _draw_mask(ax, mask, labels[-1])
    for ax in axes.ravel():
        ax.set(xticks=[], yticks=[])
        ax.spines[["top", "right"]].set_visible(True)
    return figure


def _draw_mask(ax: Any, mask: Any, true: Any) -> None:
    """The pixels of a mask, and those that are wrong."""
    image = np.zeros((*true.shape, 4))
    mask, true = mask.astype(bool), true.astype(bool)
    image[mask & true] = *to_rgb("C0"), 1
    image[mask != true] = *to_rgb("tab:red"), 1
    ax.imshow(image, interpolation="nearest")
