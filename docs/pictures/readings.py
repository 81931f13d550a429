"""Handwriting as read alone and in a chain."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from sklearn.linear_model import LogisticRegression

from benchmarks.sequences.letters import RESULTS, words
from benchmarks.store import stored
from structsvm.displays.drawing import new_figure
from structsvm.problems import ChainSVM

#: Of letters: right, wrong, and put right by the chain.
GREY, RED, BLUE = "#767676", "#d6303a", "#3b82c4"
#: Ink on no ground.
INK = LinearSegmentedColormap.from_list("ink", [(0.46, 0.46, 0.46, 0), GREY])
#: The words shown have LENGTH letters, of which MISTAKES are wrong without the chain: the fraction
#: nearest to the mean error of letters alone.
WORDS, LENGTH, MISTAKES = 6, 8, 2
#: The bars, from the results of ten folds.
METHODS = {
    "LogisticRegression()": ("letters alone", GREY),
    "CRFsuite lbfgs": ("CRFsuite", GREY),
    "ChainSVM()": ("ChainSVM", BLUE),
}


def words_read() -> Any:
    """The first words of a test fold with the usual mistakes, and the errors over all folds."""
    X, Y, fold = words()
    train, test = (np.flatnonzero(fold == number) for number in (1, 0))
    rows, letters = ([data[i] for i in train] for data in (X, Y))
    chain = ChainSVM().fit(rows, letters)
    alone = LogisticRegression(max_iter=1000).fit(np.concatenate(rows), np.concatenate(letters))
    chosen = {}
    for i in test:
        if len(X[i]) == LENGTH and (alone.predict(X[i]) != Y[i]).sum() == MISTAKES:
            chosen.setdefault("".join(Y[i]), i)
    figure = new_figure(5, 5.2)
    above, below = figure.subfigures(2, 1, height_ratios=[1, 4.2])
    _bars(above.subplots())
    for ax, i in zip(below.subplots(WORDS // 2, 2).ravel(), chosen.values(), strict=False):
        pixels = X[i].reshape(-1, 16, 8)
        _line(ax, pixels, Y[i], alone.predict(X[i]), chain.predict([X[i]])[0])
    return figure


def _bars(ax: Any) -> None:
    (rows,) = stored(RESULTS).values()
    errors = {row["trainer"]: row["error"] for row in rows}
    for place, (trainer, (name, colour)) in enumerate(METHODS.items()):
        ax.barh(-place, errors[trainer], color=colour)
        ax.text(-0.5, -place, name, ha="right", va="center")
        text = f"{errors[trainer]:.1f} %" + " of the letters wrong" * (place == 0)
        ax.text(errors[trainer] + 0.5, -place, text, va="center", color=colour)
    ax.set(xlim=(-11, 47))
    ax.axis("off")


def _line(ax: Any, pixels: Any, truth: Any, alone: Any, chain: Any) -> None:
    """The letters of a word, and under them the truth and both readings."""
    n, height, width = pixels.shape
    ax.imshow(np.hstack(pixels), cmap=INK)
    for row, (name, labels) in enumerate({"truth": truth, "alone": alone, "chain": chain}.items()):
        y = height + 5 + 8 * row
        ax.text(-3, y, name, ha="right", va="center", fontsize=9)
        for place, (label, true) in enumerate(zip(labels, truth, strict=True)):
            corrected = labels is chain and alone[place] != true
            colour = RED if label != true else BLUE if corrected else GREY
            weight = "normal" if colour == GREY else "bold"
            x = width * place + 3.5
            ax.text(x, y, label, ha="center", va="center", color=colour, weight=weight)
    ax.set(xlim=(-20, width * n + 1), ylim=(y + 5, -1), xticks=[], yticks=[], frame_on=False)
