"""Sequences."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.colors import ListedColormap
from sklearn.linear_model import LogisticRegression

from benchmarks.store import stored
from structsvm.displays.drawing import BLUE, ORANGE, new_figure
from structsvm.problems import ChainSVM

COLOURS = np.array([BLUE, ORANGE, (0.2, 0.55, 0.25), (0.55, 0.3, 0.6)])
#: Paper, which is transparent, and ink.
INK = ListedColormap(["#76767600", "#767676"])
TITLE = "error of a letter, percent"
#: The pixels of a letter.
HEIGHT, LETTER = 16, 8
#: The words shown have such lengths, and this many wrong letters alone, the rounded mean.
LENGTHS, WRONG_ALONE, WORDS_SHOWN = (8, 9), 2, 6
#: Words in a range of probabilities that is shown, at least.
LEAST_SHOWN = 20


def handwritten_words() -> Any:
    """The first words of a fold not trained on in which the letters alone are as bad as usual."""
    from benchmarks.sequences.letters import words

    X, Y, fold = words()
    train = np.flatnonzero(fold == 1)
    rows, letters = ([data[i] for i in train] for data in (X, Y))
    alone = LogisticRegression().fit(np.concatenate(rows), np.concatenate(letters))
    shown: dict[str, Any] = {}
    for i in np.flatnonzero(fold == 0):
        usual = len(Y[i]) in LENGTHS and np.sum(alone.predict(X[i]) != Y[i]) == WRONG_ALONE
        if usual and len(shown) < WORDS_SHOWN:
            shown.setdefault("".join(Y[i]), i)
    chain = ChainSVM().fit(rows, letters)
    rates = {row["trainer"]: row["error"] for row in stored("sequences/letters")[TITLE]}
    figure = new_figure(5, 4.2)
    axes = figure.subplots(WORDS_SHOWN // 2, 2)
    for ax, i in zip(axes.ravel(), shown.values(), strict=True):
        found = {"truth": Y[i], "alone": alone.predict(X[i]), "chain": chain.predict([X[i]])[0]}
        _draw_word(ax, X[i], Y[i], found)
    figure.suptitle(
        f"wrong letters: {rates['LogisticRegression()']:.1f} % alone, "
        f"{rates['ChainSVM()']:.1f} % in a chain",
        fontsize=10,
    )
    return figure


def _draw_word(ax: Any, pixels: Any, true: Any, found: dict[str, Any]) -> None:
    """A word, and below it lines of letters: right ones blue, wrong ones orange."""
    ax.imshow(np.hstack(pixels.reshape(-1, HEIGHT, LETTER)), cmap=INK)
    for line, (name, letters) in enumerate(found.items()):
        y = HEIGHT + 5 + 9 * line
        ax.text(-3, y, name, fontsize=8, ha="right", va="center")
        for place, (letter, right) in enumerate(zip(letters, true, strict=True)):
            colour = "0.46" if name == "truth" else "C0" if letter == right else "C1"
            weight = "normal" if letter == right else "bold"
            x = LETTER * (place + 0.5)
            ax.text(
                x, y, letter, color=colour, weight=weight, fontsize=11, ha="center", va="center"
            )
    ax.set(xlim=(-20, LETTER * max(LENGTHS)), ylim=(HEIGHT + 28, -1))
    ax.axis("off")


def tag_probabilities() -> Any:
    """The fraction of right tags against their probability, at two temperatures."""
    rows = stored("sequences/tags")["right labels"]
    figure = new_figure(4.5, 3.4)
    ax = figure.subplots()
    ax.plot([0, 100], [0, 100], color="C5", linewidth=1)
    for colour, temperature in zip(
        ("C1", "C0"), sorted({row["temperature"] for row in rows}, reverse=True), strict=True
    ):
        found = [r for r in rows if r["temperature"] == temperature and r["words"] >= LEAST_SHOWN]
        x, y = ([row[key] for row in found] for key in ("probability", "right"))
        label = f"temperature {temperature:.2g}"
        ax.plot(x, y, "o-", color=colour, markersize=4, linewidth=1, label=label)
    ax.set(xlabel="probability of the tag, percent", ylabel="right, percent")
    ax.legend()
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
