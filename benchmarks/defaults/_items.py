"""Sets of items that the defaults are compared on: they played no part in any choice.

A family draws sets of any number of items, each with its partition. The sets to predict never hold
items of the sets to learn from. Where a family is made of a table of labelled rows, a set has
items of some of the classes, chosen at random, so that every set has other clusters.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from benchmarks.defaults import _rows
from structsvm.datasets import synth
from structsvm.problems import ItemSet

#: Sets to learn from, and sets to predict.
SETS = (6, 8)
#: Clusters of a set that is drawn from the classes of a table, at most.
CLASSES = 6
#: Items of a set.
SIZES = (10, 30)


class Family(NamedTuple):
    """A kind of item sets: ``draw(rng, m, predicted)`` returns the items of a set and its labels.

    The items are rows, an array or counts of words in CSR, or an ItemSet with pair features alone.
    """

    name: str
    draw: Callable[[Any, int, bool], tuple[Any, Any]]
    forms: tuple[str, ...] = ("prepared", "raw")

    def sets(self, m: int, seed: int = 0) -> tuple[list[Any], list[Any]]:
        """The sets to learn from, followed by those to predict, and their partitions."""
        rng = np.random.default_rng([m, seed])
        drawn = [
            self.draw(rng, m, predicted)
            for predicted in (False, True)
            for _ in range(SETS[predicted])
        ]
        return [items for items, _ in drawn], [labels for _, labels in drawn]


#: Tables of the comparison: those with enough classes, or with classes that are clusters.
TABLES = (
    *("letter", "satimage", "ionosphere", "vote", "heart", "promoters"),
    *("ocr letters", "webkb_linqs", "cora", "newsgroups"),
)


#: The form of items that have pair features alone.
ONE_FORM = ("prepared",)


def confirmation() -> list[Family]:
    """The families of the comparison; most are of files in STRUCTSVM_DATA."""
    of_tables = (Family(name, partial(_of_rows, name)) for name in TABLES)
    return [Family("synth", _synth, ONE_FORM), *of_tables]


@cache
def _table(name: str) -> _rows.Rows:
    return _rows.confirmation()[name]()


def _of_rows(name: str, *draw: Any) -> tuple[Any, Any]:
    _, X, y = _table(name)
    return _of_table(X, y, *draw)


def _of_table(X: Any, y: Any, rng: Any, m: int, predicted: bool) -> tuple[Any, Any]:
    classes = np.unique(y)
    classes = rng.permutation(classes)[: rng.integers(2, min(CLASSES, len(classes)) + 1)]
    half = np.arange(len(y)) % 2 == predicted
    labels = _labels(rng, m, len(classes))
    chosen = [rng.choice(np.flatnonzero(half & (y == classes[label]))) for label in labels]
    return X[chosen], labels


def _labels(rng: Any, m: int, k: int) -> Any:
    """Labels of m items in k clusters, none of which is empty."""
    return rng.permutation(np.r_[np.arange(k), rng.integers(k, size=m - k)])


def _synth(rng: Any, m: int, _: bool) -> tuple[Any, Any]:
    k = 5
    ((rows, cols, features),), (labels,) = synth(0.45, 1, k, m // k, random_state=rng)
    features = sparse.hstack([np.ones((len(rows), 1)), features], format="csr")
    return ItemSet(pairs=(rows, cols, features), n_items=len(labels)), labels
