"""Sequences."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import colormaps
from sklearn.svm import LinearSVC

from benchmarks.store import stored
from structsvm.displays.drawing import BLUE, ORANGE, RED, new_figure
from structsvm.problems import ChainSVM

COLOURS = np.array([BLUE, ORANGE, (0.2, 0.55, 0.25), (0.55, 0.3, 0.6)])
#: Words of the picture of handwriting, and their length.
WORDS_SHOWN, WORD_LENGTH = 6, 8
#: Words in a range of probabilities that is shown, at least.
LEAST_SHOWN = 20


def handwritten_words() -> Any:
    """Words of a fold not trained on, with the letters found one by one and in a chain."""
    from benchmarks.sequences.letters import words

    X, Y, fold = words()
    train = np.flatnonzero(fold == 1)
    rows, letters = ([data[i] for i in train] for data in (X, Y))
    chain = ChainSVM().fit(rows, letters)
    alone = LinearSVC().fit(np.concatenate(rows), np.concatenate(letters))
    different = {"".join(Y[i]): i for i in np.flatnonzero(fold == 0) if len(X[i]) == WORD_LENGTH}
    shown = list(different.values())[:WORDS_SHOWN]
    figure = new_figure(9, 3.2)
    for ax, i in zip(figure.subplots(2, WORDS_SHOWN // 2).ravel(), shown, strict=True):
        ax.imshow(np.hstack(X[i].reshape(-1, 16, 8)), cmap=colormaps["Greys"], aspect="equal")
        for line, found in enumerate((alone.predict(X[i]), chain.predict([X[i]])[0])):
            for place, (letter, true) in enumerate(zip(found, Y[i], strict=True)):
                colour = BLUE if letter == true else RED
                ax.text(8 * place + 3.5, 22 + 7 * line, letter, color=colour, ha="center")
        ax.set(xticks=[], yticks=[], xlim=(-9, 73), ylim=(32, -1), frame_on=False)
    figure.axes[0].text(-4, 22, "alone", ha="right", fontsize=7)
    figure.axes[0].text(-4, 29, "chain", ha="right", fontsize=7)
    return figure


def tag_probabilities() -> Any:
    """The fraction of right tags against their probability, at two temperatures."""
    rows = stored("sequences/tags")["right labels"]
    figure = new_figure(4.5, 3.4)
    ax = figure.subplots()
    ax.plot([0, 100], [0, 100], color="0.7")
    temperatures = sorted({row["temperature"] for row in rows})
    for colour, temperature in zip((BLUE, ORANGE), temperatures, strict=True):
        found = [r for r in rows if r["temperature"] == temperature and r["words"] >= LEAST_SHOWN]
        x, y = ([row[key] for row in found] for key in ("probability", "right"))
        label = f"temperature {temperature:.2g}"
        ax.plot(x, y, "o-", color=colour, markersize=4, linewidth=1, label=label)
    ax.set(xlabel="probability of the tag, percent", ylabel="right, percent")
    ax.legend(frameon=False, fontsize=8)
    return figure


def adaptation() -> Any:
    """Accuracy of tags over the number of labelled sentences of another kind of text."""
    rows = stored("sequences/adaptation")["accuracy"]
    figure = new_figure(5, 3.5)
    ax = figure.subplots()
    sizes = [row["labelled"] for row in rows]
    names = {"prior, C": "few, source as prior", "both": "few and source", "alone": "few alone"}
    for colour, (name, label) in zip(COLOURS, names.items(), strict=False):
        ax.semilogx(sizes, [row[name] for row in rows], color=colour, label=label)
    ax.axhline(rows[0]["source"], ls="--", color="0.4", label="source alone")
    ax.set(xlabel="labelled sentences", ylabel="right tags, %")
    ax.set_xticks(sizes, [f"{size:,}" for size in sizes])
    ax.legend(frameon=False)
    return figure
