"""The first picture: what a structure gains."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.colors import ListedColormap
from sklearn.linear_model import LogisticRegression

from benchmarks.sequences.letters import RESULTS, words
from benchmarks.store import stored
from structsvm.displays.drawing import new_figure
from structsvm.problems import ChainSVM

#: The words shown have LENGTH letters, of which MISTAKES are wrong without the chain: the fraction
#: nearest to the mean error of letters alone.
SHOWN, LENGTH, MISTAKES = 6, 8, 2
#: Of letters: read at once, wrong, and put right by the chain.
GREY, RED, BLUE = "#767676", "#d6303a", "#3b82c4"
#: The bars, from the results of ten folds.
METHODS = {
    "LogisticRegression()": ("letters alone", GREY),
    "CRFsuite lbfgs": ("CRFsuite", GREY),
    "ChainSVM()": ("ChainSVM", BLUE),
}


def words_read() -> Any:
    """Words of a fold not trained on: their letters, and as read one by one and in a chain."""
    X, Y, fold = words()
    train, test = (np.flatnonzero(fold == number) for number in (1, 0))
    rows, letters = ([data[i] for i in train] for data in (X, Y))
    chain = ChainSVM().fit(rows, letters)
    alone = LogisticRegression(max_iter=1000).fit(np.concatenate(rows), np.concatenate(letters))
    first = {}
    for i in test:
        if len(X[i]) == LENGTH and (alone.predict(X[i]) != Y[i]).sum() == MISTAKES:
            first.setdefault("".join(Y[i]), i)
    figure = new_figure(5, 5.2)
    above, below = figure.subfigures(2, 1, height_ratios=[1, 4.2])
    _bars(above.subplots())
    for ax, i in zip(below.subplots(SHOWN // 2, 2).ravel(), first.values(), strict=False):
        ax.imshow(np.hstack(X[i].reshape(-1, 16, 8)), cmap=_ink(), aspect="equal")
        _write(ax, Y[i], alone.predict(X[i]), chain.predict([X[i]])[0])
        ax.set(xticks=[], yticks=[], xlim=(-20, 65), ylim=(42, -1), frame_on=False)
    return figure


def _bars(ax: Any) -> None:
    (rows,) = stored(RESULTS).values()
    errors = {row["trainer"]: row["error"] for row in rows}
    for place, (trainer, (name, colour)) in enumerate(METHODS.items()):
        ax.barh(-place, errors[trainer], color=colour)
        ax.text(-0.5, -place, name, ha="right", va="center")
        text = f"{errors[trainer]:.1f} % of the letters wrong"
        ax.text(errors[trainer] + 0.5, -place, text, va="center", color=colour)
    ax.set(xlim=(-11, 47))
    ax.axis("off")


def _write(ax: Any, truth: Any, alone: Any, chain: Any) -> None:
    """Three rows of letters under the picture of a word."""
    for line, (name, labels) in enumerate({"truth": truth, "alone": alone, "chain": chain}.items()):
        height = 21.5 + 8 * line
        ax.text(-3, height, name, ha="right", va="center", fontsize=9)
        for place, (letter, true) in enumerate(zip(labels, truth, strict=True)):
            corrected = labels is chain and alone[place] != true
            colour = RED if letter != true else BLUE if corrected else GREY
            weight = "normal" if colour == GREY else "bold"
            x = 8 * place + 3.5
            ax.text(x, height, letter, ha="center", va="center", color=colour, weight=weight)


def _ink() -> Any:
    """Ink on no ground."""
    return ListedColormap([(0, 0, 0, 0), GREY])
