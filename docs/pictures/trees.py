"""Dependency trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.displays.drawing import BLUE, RED, new_figure
from structsvm.problems import DependencyParser

#: Sentences of the test part of the treebank.
PARSED = (936, 1128)


def parsed() -> Any:
    """Sentences of the test part of a treebank, with the right and the wrong arcs of a parser."""
    from benchmarks.treebank import first_sentences, tagged

    train, test = (first_sentences(part, n) for part, n in (("train", 3000), ("test", None)))
    parser = DependencyParser().fit(tagged(train), [sentence.heads for sentence in train])
    chosen = [test[i] for i in PARSED]
    figure = new_figure(9, 2.2 * len(chosen))
    found = parser.predict(tagged(chosen))
    for ax, sentence, heads in zip(figure.subplots(len(chosen)), chosen, found, strict=True):
        _draw_tree(ax, sentence, heads.tolist())
    return figure


def _draw_tree(ax: Any, sentence: Any, heads: list[int]) -> None:
    """A sentence with its arcs above it: right ones blue, wrong ones red, missed ones dashed."""
    words = ["root", *sentence.words]
    ends = np.cumsum([len(word) + 2.5 for word in words])
    centers = ends - [len(word) / 2 + 1.25 for word in words]
    for word, center, tag in zip(words, centers, ["", *sentence.tags], strict=True):
        ax.text(center, -0.35, word, ha="center", va="top", fontsize=9)
        ax.text(center, -1.2, tag, ha="center", va="top", fontsize=6, color="0.5")
    for j, (head, true) in enumerate(zip(heads, sentence.heads, strict=True), start=1):
        if head != true:
            _draw_arc(ax, centers, true, j, color="0.5", linestyle="dashed")
        _draw_arc(ax, centers, head, j, color=BLUE if head == true else RED)
    ax.set(xlim=(0, ends[-1]), ylim=(-1.7, 7.5))
    ax.axis("off")


def _draw_arc(ax: Any, centers: Any, head: int, dependent: int, **style: Any) -> None:
    low, high = sorted((head, dependent))
    middle = (centers[low] + centers[high]) / 2
    angles = np.linspace(0, np.pi, 60)
    # Longer arcs are higher, but not in proportion.
    height = 1.4 * (high - low) ** 0.7
    x = middle + (centers[high] - centers[low]) / 2 * np.cos(angles)
    ax.plot(x, height * np.sin(angles) ** 0.6, linewidth=1, **style)
    ax.plot(centers[dependent], 0.05, marker="v", markersize=4, color=style["color"])
