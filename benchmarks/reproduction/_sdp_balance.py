"""Unequal clusters and the parameter balance of the semidefinite program."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.reproduction._baselines import error
from benchmarks.store import Row
from structsvm.datasets import digits_pair, load_file
from structsvm.problems import SDPMMC

#: A balance that allows nine rows in ten in one cluster.
LARGE = 0.8
SETS = (
    ("clouds", (100, 20)), ("clouds", (90, 30)), ("clouds", (60, 60)),
    ("digits 4v9", (80, 20)), ("digits 0v6", (75, 25)), ("digits 2v3", (50, 50)),
    ("mnist 0v1", (80, 20)), ("mnist 6v7", (70, 30)), ("mnist 0v6", (50, 50)),
    ("satimage 1v2", (70, 30)), ("letter 0v1", (80, 20)), ("letter 0v1", (50, 50)),
)  # fmt: skip


def drawn(name: str, sizes: tuple[int, int]) -> tuple[Any, Any]:
    """Random rows, so many of each class, and their classes."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], sizes)
    if name == "clouds":
        return rng.normal(size=(len(y), 2)) + np.where(y, 2.0, -2.0)[:, None], y
    file, classes = name.split(" ")
    pair = [int(c) for c in classes.split("v")]
    if file == "digits":
        X, labels = digits_pair(*pair)
    else:
        data = load_file(file)
        X, labels = data["X"] / data["X"].max(), data["y"]
    of_class = (
        rng.permutation(np.flatnonzero(labels == c))[:m] for c, m in zip(pair, sizes, strict=True)
    )
    return X[np.concatenate(list(of_class))], y


def fit(X: Any, balance: float) -> tuple[SDPMMC, str]:
    """The fit and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sdp = SDPMMC(balance=balance, random_state=0).fit(X)
    return sdp, "; ".join(str(one.message) for one in caught)


def balance_row(name: str, sizes: tuple[int, int]) -> Row:
    X, y = drawn(name, sizes)
    default, said = fit(X, 0.1)
    advice = re.search(r"set balance to ([\d.]+)", said)
    advised = fit(X, float(advice[1]))[0] if advice else default
    large, said_of_large = fit(X, LARGE)
    row: Row = {"data": name, "sizes": list(sizes)}
    for column, sdp in (("default", default), ("advised", advised), ("large", large)):
        row |= {column: error(sdp.labels_, y), f"f, {column}": sdp.label_objective_}
        row[f"smaller, {column}"] = int(np.bincount(sdp.labels_).min())
    row |= {"advice": float(advice[1]) if advice else None}
    row |= {"warnings": said, "warnings of large": said_of_large}
    print(row, flush=True)
    return row


def balance_rows() -> Iterator[Row]:
    for data in SETS:
        try:
            yield balance_row(*data)
        except FileNotFoundError as reason:
            print(f"skipped: {data[0]} ({reason})")
