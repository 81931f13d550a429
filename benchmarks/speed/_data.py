"""The data sets of the race and of other timings, and the objective that all minimise on them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from structsvm import OneSlackCuttingPlane
from structsvm.datasets import digits, load_file
from structsvm.problems import Chain, Multiclass


class Data(NamedTuple):
    """A data set, the problem trained on it, and C, which multiplies the sum of the slacks.

    Our solvers train in single precision where that certifies 1e-3.
    """

    name: str
    kind: type
    X: Any
    y: Any
    C: float
    single: bool = True

    @property
    def n(self) -> int:
        return len(self.y)


def data_sets() -> Iterator[Data]:
    """Yield the data sets of the table; print the names of missing files."""
    X, y = digits()
    for C in (0.1, 1.0, 10.0, 100.0):
        yield Data(f"digits/16 C={C:g}", Multiclass, X, y, C, single=C < 1)
    for name, rows, scale in (("letter", None, 15.0), ("mnist", 10_000, 255.0)):
        try:
            data = load_file(name)
        except FileNotFoundError as error:
            print(f"{name} skipped: {error}")
            continue
        X, y = data["X"][:rows] / scale, data["y"][:rows].astype(int)
        yield Data(f"{name}/{scale:.0f} C=0.01", Multiclass, X, y, 0.01)
    try:
        X, y = letter_words(fold=1)
    except FileNotFoundError as error:
        print(f"ocr_letters skipped: {error}")
        return
    yield Data("OCR chain C=0.1", Chain, X, y, 0.1)


def letter_words(fold: int) -> tuple[list[Any], list[Any]]:
    """The words of one fold of the handwritten letters: 128 pixels per letter, and the letters."""
    data = load_file("ocr_letters")
    kept = data["fold"] == fold
    cuts = np.flatnonzero(np.diff(data["word"][kept])) + 1
    pixels = np.unpackbits(data["X"][kept], axis=1).astype(np.float64)
    return np.split(pixels, cuts), np.split(data["classes"][data["y"][kept]], cuts)


def objective(data: Data, w: Any) -> float:
    """1/2 |w|^2 + C sum_i xi_i in double precision, for the w of any contender."""
    problem = data.kind()
    problem.initialize(data.X, data.y)
    task = problem.task(data.X, data.y)
    y_hat = task.search(w)
    psi = task.plane(y_hat, np.ones(data.n))
    return float(0.5 * w @ w + data.C * (task.losses(y_hat).sum() - psi @ w))


def optimum(data: Data) -> float:
    """The mean of a primal and a dual value that lie within 3e-5 of each other, relatively."""
    result = OneSlackCuttingPlane(rtol=3e-5).solve(data.kind(), data.X, data.y, data.C * data.n)
    return 0.5 * (result.primal + result.dual)


def inputs(data: Data) -> Any:
    """The inputs in the precision that our solvers get."""
    return single(data.X) if data.single else data.X


def single(X: Any) -> Any:
    """The inputs in single precision."""
    return X.astype(np.float32) if hasattr(X, "astype") else [x.astype(np.float32) for x in X]
