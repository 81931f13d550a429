"""The data sets of the paper, in random draws of rows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from benchmarks.reproduction._sets import article_text, ionosphere, some_mnist, tfidf
from benchmarks.texts import newsgroups
from structsvm.datasets import load_file

GROUPS = {
    "news 6v14": ("comp.windows.x", "sci.med"),
    "news 9v10": ("rec.motorcycles", "rec.sport.baseball"),
}


@cache
def whole(name: str) -> tuple[Any, Any]:
    """All rows of a set, with classes 0 and 1."""
    if name == "heart":
        data = load_file("heart")
        return StandardScaler().fit_transform(data["X"].astype(float)), data["y"].astype(int)
    if name == "ionosphere":
        X, y = ionosphere()
    elif name in GROUPS:
        texts, y = newsgroups(GROUPS[name])
        X, y = tfidf([article_text(text) for text in texts], y)
    else:
        X, y = some_mnist(*(int(digit) for digit in name.split()[1].split("v")))
        X = X.astype(float)
    return X, (y == np.max(y)).astype(int)


def draws(name: str, n: int | None, count: int) -> Iterator[tuple[Any, Any]]:
    """Random rows; all of them once where n is None."""
    X, y = whole(name)
    for seed in range(1 if n is None else count):
        size = len(y) if n is None else n
        rows = np.random.default_rng(seed).permutation(len(y))[:size]
        yield X[rows], y[rows]
