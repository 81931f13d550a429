"""A network in front of a chain."""

from __future__ import annotations

import runpy
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from benchmarks.sequences.letters import words
from benchmarks.store import stored
from docs.pictures.readings import BLUE, GREY, INK
from structsvm.displays.drawing import new_figure

#: A word of the data, which lack the first letters.
WORD = "hadow"
#: The bars, from the results of ten folds.
READERS = {
    "ChainSVM()": ("chain of pixels", GREY),
    "network, softmax": ("network alone", GREY),
    "network, chain, hinge": ("network, chain, hinge", GREY),
    "network, chain, mu = 0.3": ("network, chain, smoothed", BLUE),
}


def network_and_chain() -> Any:
    """The parts of the model, and the errors of letters with and without each."""
    figure = new_figure(5, 4.4)
    above, below = figure.subplots(2, 1, height_ratios=[1.35, 1])
    _model(above)
    _bars(below)
    return figure


def gallery_network() -> Any:
    """Digits that a network reads before a softmax and before a chain."""
    return _of_the_gallery("sequences/plot_network")


def gallery_map() -> Any:
    """Shortest paths on a map that two networks read."""
    return _of_the_gallery("graphs/plot_map")


def _of_the_gallery(name: str) -> Any:
    """The picture of an example that the site does not run."""
    runpy.run_path(f"docs/gallery/{name}.py")
    return plt.gcf()


def _model(ax: Any) -> None:
    """From the images up: a network for each letter, a chain over all."""
    X, Y, _ = words()
    pixels = next(x for x, y in zip(X, Y, strict=True) if "".join(y) == WORD)
    ax.imshow(np.hstack(pixels.reshape(-1, 16, 8)), cmap=INK, extent=(0, 8 * len(WORD), 0, 16))
    box = {"boxstyle": "round", "facecolor": "none", "edgecolor": GREY}
    label = {"boxstyle": "circle", "facecolor": "none", "edgecolor": BLUE}
    arrow = {"arrowstyle": "->", "color": GREY}
    centres = 8 * np.arange(len(WORD)) + 4
    ax.hlines([36] * (len(WORD) - 1), centres[:-1] + 2.2, centres[1:] - 2.2, color=BLUE)
    for x, letter in zip(centres, WORD, strict=True):
        ax.annotate("", (x, 22), xytext=(x, 16.5), arrowprops=arrow)
        ax.text(x, 24.5, "net", ha="center", va="center", bbox=box, fontsize=9)
        ax.annotate("", (x, 33.5), xytext=(x, 27.5), arrowprops=arrow)
        ax.text(x, 36, letter, ha="center", va="center", bbox=label, color=BLUE)
    ax.axis("off")
    ax.set(xlim=(-12, 8 * len(WORD) + 12), ylim=(0, 41))


def _bars(ax: Any) -> None:
    rows = stored("networks/letters")["error of a letter"]
    errors = {row["trainer"]: row["error"] for row in rows}
    for place, (trainer, (name, colour)) in enumerate(READERS.items()):
        ax.barh(-place, errors[trainer], color=colour)
        ax.text(-0.5, -place, name, ha="right", va="center")
        text = f"{errors[trainer]:.1f} % wrong"
        ax.text(errors[trainer] + 0.5, -place, text, va="center", color=colour)
    ax.set(xlim=(-16, 27))
    ax.axis("off")
