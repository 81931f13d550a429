"""The first picture: a Sudoku of handwritten digits, read one by one and by its rules."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import LinearConstraint
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from docs.pictures.readings import BLUE, INK
from structsvm.displays.drawing import RED, new_figure
from structsvm.problems import AssignmentSVM, IntegerProgram, Program

#: The first images train, the others make the Sudoku; rows to train on.
N_TRAIN, N_ROWS = 450, 40
#: The width of a cell, of which an image takes 8.
CELL = 12


def sudoku() -> Any:
    """Train on rows, which have each digit once, and read a Sudoku with the weights learned."""
    images, digits = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    rows = [rng.permutation(9) for _ in range(N_ROWS)]
    known = np.array(_images(images[:N_TRAIN], digits[:N_TRAIN], np.concatenate(rows), rng))
    alone = LogisticRegression(max_iter=5000).fit(known, np.concatenate(rows))
    pairs = [_pairs(row).reshape(9, 9, -1) for row in known.reshape(-1, 9, 64)]
    svm = AssignmentSVM().fit(pairs, rows)
    truth = _solution(rng)
    shown = np.array(_images(images[N_TRAIN:], digits[N_TRAIN:], truth.ravel(), rng))
    chosen = IntegerProgram().decode(Program(_pairs(shown), _rules()), svm.coef_)
    readings = {
        "read one by one": alone.predict(shown).reshape(9, 9),
        "read as a Sudoku": np.reshape(chosen, (9, 9, 9)).argmax(axis=2),
    }
    figure = new_figure(5, 3)
    for ax, (name, found) in zip(figure.subplots(1, 2), readings.items(), strict=True):
        _draw(ax, shown.reshape(9, 9, 8, 8), found, truth)
        wrong = (found != truth).sum()
        ax.set_title(f"{name}:\n{f'{wrong} of 81 wrong' if wrong else 'all right'}")
    return figure


def _images(images: Any, digits: Any, wanted: Any, rng: Any) -> list[Any]:
    """Images of the digits 1 to 9, numbered from 0, each image once."""
    left = [list(rng.permutation(np.flatnonzero(digits == d + 1))) for d in range(9)]
    return [images[left[d].pop()] for d in wanted]


def _pairs(images: Any) -> Any:
    """Features of each pair of an image and a digit: the image, in the place of the digit."""
    return np.kron(images, np.eye(9)).reshape(len(images) * 9, -1)


def _solution(rng: Any) -> Any:
    """A Sudoku: one with shifted rows, with bands, lines and digits in random order."""
    rows, columns = (
        np.concatenate([3 * band + rng.permutation(3) for band in rng.permutation(3)])
        for _ in range(2)
    )
    return rng.permutation(9)[(3 * (rows[:, None] % 3) + rows[:, None] // 3 + columns) % 9]


def _rules() -> LinearConstraint:
    """One digit in each cell, and each digit once in each row, column and block."""
    one, lines, blocks = np.ones((1, 9)), np.eye(9), np.kron(np.eye(3), np.ones((1, 3)))
    cells = np.kron(lines, one), np.kron(one, lines), np.kron(blocks, blocks), np.eye(81)
    each = [np.kron(cell, digit) for cell, digit in zip(cells, (*[lines] * 3, one), strict=True)]
    return LinearConstraint(sparse.csr_array(np.vstack(each)), 1, 1)


def _draw(ax: Any, images: Any, found: Any, truth: Any) -> None:
    """Draw the handwriting of each cell, and beside it the digit that was read."""
    for (row, column), digit in np.ndenumerate(found):
        x, y = CELL * column, CELL * row
        wrong = digit != truth[row, column]
        if wrong:
            ax.fill_between([x, x + CELL], y, y + CELL, color=RED, alpha=0.25, lw=0)
        extent = (x + 0.5, x + 8.5, y + 11.5, y + 3.5)
        ax.imshow(images[row, column], cmap=INK, extent=extent, interpolation="nearest")
        style = {"color": RED if wrong else BLUE, "weight": "bold", "fontsize": 8}
        ax.text(x + CELL - 0.7, y + 0.7, digit + 1, ha="right", va="top", **style)
    for place in range(10):
        width = 1.6 if place % 3 == 0 else 0.4
        ax.plot([0, 9 * CELL], [CELL * place] * 2, color="C5", lw=width)
        ax.plot([CELL * place] * 2, [0, 9 * CELL], color="C5", lw=width)
    ax.set(xlim=(-0.5, 9 * CELL + 0.5), ylim=(9 * CELL + 0.5, -0.5))
    ax.axis("off")
