"""Dependency trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.displays.drawing import new_figure
from structsvm.problems import DependencyParser

#: Words of the sentences shown, and their wrong heads, the rounded mean.
LENGTHS, WRONG, SENTENCES_SHOWN = (12, 13), 2, 2


def parsed() -> Any:
    """The first sentences of a test part with as many wrong arcs as usual."""
    from benchmarks.treebank import first_sentences, tagged

    train, test = (first_sentences(part, n) for part, n in (("train", 3000), ("test", None)))
    parser = DependencyParser().fit(tagged(train), [sentence.heads for sentence in train])
    test = [sentence for sentence in test if len(sentence.heads) in LENGTHS]
    usual = [
        (sentence, heads)
        for sentence, heads in zip(test, parser.predict(tagged(test)), strict=True)
        if np.sum(heads != sentence.heads) == WRONG
    ]
    figure = new_figure(5, 1.8 * SENTENCES_SHOWN)
    axes = figure.subplots(SENTENCES_SHOWN)
    for ax, (sentence, heads) in zip(axes, usual, strict=False):
        _draw_tree(ax, sentence, heads.tolist())
    return figure


def _draw_tree(ax: Any, sentence: Any, heads: list[int]) -> None:
    """A sentence with its arcs above it: right ones blue, wrong ones orange, missed ones dashed."""
    words = ["root", *sentence.words]
    ends = np.cumsum([len(word) + 1.5 for word in words])
    centers = ends - [len(word) / 2 + 0.75 for word in words]
    for word, center in zip(words, centers, strict=True):
        style = "italic" if word is words[0] else "normal"
        ax.text(center, -0.35, word, ha="center", va="top", fontsize=8, style=style)
    for j, (head, true) in enumerate(zip(heads, sentence.heads, strict=True), start=1):
        if head != true:
            _draw_arc(ax, centers, true, j, color="C5", linestyle="dashed")
        _draw_arc(ax, centers, head, j, color="C0" if head == true else "C1")
    ax.set(xlim=(0, ends[-1]), ylim=(-1.4, 8.0))
    ax.axis("off")


def _draw_arc(ax: Any, centers: Any, head: int, dependent: int, **style: Any) -> None:
    low, high = sorted((head, dependent))
    middle = (centers[low] + centers[high]) / 2
    angles = np.linspace(0, np.pi, 60)
    # Longer arcs are higher, but not in proportion.
    height = 1.4 * (high - low) ** 0.7
    x = middle + (centers[high] - centers[low]) / 2 * np.cos(angles)
    ax.plot(x, height * np.sin(angles) ** 0.6, **style)
    ax.plot(centers[dependent], 0.05, marker="v", markersize=5, color=style["color"])
