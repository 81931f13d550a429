"""Sets of items in two collections: one to choose the defaults on, one to compare them on.

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

    The items are rows, an array or counts of words in CSR, or an ItemSet with only pair features.
    """

    name: str
    draw: Callable[[Any, int, bool], tuple[Any, Any]]
    forms: tuple[str, ...] = ("prepared", "raw")

    def sets(self, m: int, seed: int = 0) -> tuple[list[Any], list[Any]]:
        """Return the sets to learn from, then the sets to predict, and their partitions."""
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


def choice() -> list[Family]:
    """The families that the defaults were chosen on: drawn ones, and scikit-learn's data."""
    return [
        *(Family("on a line", _line), Family("records", _records)),
        *(Family("noise features", _noise_features), Family("unequal sizes", _unequal)),
        *(Family("other units", _other_units), Family("fresh topics", _fresh_topics)),
        Family("votes on pairs", _votes, ONE_FORM),
        *(Family(name, partial(_of_rows, "choice", name)) for name in ("digits", "wine")),
        Family("topics", partial(_of_rows, "choice", "words, 20 topics")),
    ]


def confirmation() -> list[Family]:
    """The families of the comparison; most are of files in STRUCTSVM_DATA."""
    of_tables = (Family(name, partial(_of_rows, "confirmation", name)) for name in TABLES)
    return [Family("synth", _synth, ONE_FORM), *of_tables]


@cache
def _table(collection: str, name: str) -> _rows.Rows:
    return getattr(_rows, collection)()[name]()


def _of_rows(collection: str, name: str, *draw: Any) -> tuple[Any, Any]:
    _, X, y = _table(collection, name)
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


def _line(rng: Any, m: int, _: bool) -> tuple[Any, Any]:
    """Draw points on a line, near the points of their cluster."""
    k = int(rng.integers(2, 6))
    centres, labels = np.cumsum(rng.uniform(3, 5, size=k)), _labels(rng, m, k)
    return (centres[labels] + 0.3 * rng.normal(size=m))[:, None], labels


def _records(rng: Any, m: int, _: bool) -> tuple[Any, Any]:
    """Records of which about three each are of one entity: the clusters are many."""
    k = m // 3
    entities, labels = rng.normal(size=(k, 6)), _labels(rng, m, k)
    fields = entities[labels] + 0.25 * rng.normal(size=(m, 6))
    return np.hstack([fields, rng.normal(size=(m, 4))]), labels


def _noise_features(rng: Any, m: int, _: bool) -> tuple[Any, Any]:
    """Five coordinates with clusters, twenty without."""
    k = int(rng.integers(2, 7))
    centres, labels = 3 * rng.normal(size=(k, 5)), _labels(rng, m, k)
    return np.hstack(
        [centres[labels] + rng.normal(size=(m, 5)), 3 * rng.normal(size=(m, 20))]
    ), labels


def _unequal(rng: Any, m: int, _: bool) -> tuple[Any, Any]:
    """Half of the items in one cluster."""
    k = int(rng.integers(3, 8))
    p = np.r_[0.5, np.full(k - 1, 0.5 / (k - 1))]
    labels = rng.permutation(np.r_[np.arange(k), rng.choice(k, p=p, size=m - k)])
    centres = 2.5 * rng.normal(size=(k, 4))
    return np.hstack([centres[labels] + rng.normal(size=(m, 4)), rng.normal(size=(m, 4))]), labels


def _other_units(rng: Any, m: int, _: bool) -> tuple[Any, Any]:
    """The noise in units that make its numbers large."""
    X, labels = _noise_features(rng, m, _)
    return X * np.r_[np.ones(5), np.full(20, 1000.0)], labels


def _fresh_topics(rng: Any, m: int, _: bool) -> tuple[Any, Any]:
    """Counts of words of topics that no other set has."""
    k = int(rng.integers(3, 7))
    language, labels = 1 / np.arange(1.0, 201), _labels(rng, m, k)
    language /= language.sum()
    topics = [rng.permutation(language) for _ in range(k)]
    counts = [rng.multinomial(40, 0.5 * language + 0.5 * topics[label]) for label in labels]
    return sparse.csr_matrix(np.array(counts, dtype=np.float64)), labels


def _votes(rng: Any, m: int, _: bool) -> tuple[Any, Any]:
    """Ten judges say of every pair whether it is together; 30 to 48 % of their votes are wrong."""
    labels = _labels(rng, m, int(rng.integers(3, 8)))
    together = labels[:, None] == labels
    features = [np.ones((m, m))]
    for wrong in 0.3 + 0.02 * np.arange(10):
        flipped = np.triu(rng.random((m, m)) < wrong, 1)
        features.append((together ^ flipped ^ flipped.T).astype(np.float64))
    return ItemSet(pairs=np.dstack(features)), labels


def _synth(rng: Any, m: int, _: bool) -> tuple[Any, Any]:
    k = 5
    ((rows, cols, features),), (labels,) = synth(0.45, 1, k, m // k, random_state=rng)
    features = sparse.hstack([np.ones((len(rows), 1)), features], format="csr")
    return ItemSet(pairs=(rows, cols, features), n_items=len(labels)), labels
