"""Label sets, rankings, sequences and grids whose columns are in units of their own.

Tables make most of them: labels are attributes that classes share, a query has random rows to be
ranked by their grade, and sequences and grids have a random row of the right class at every
position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits

from benchmarks.defaults import _keel
from benchmarks.defaults._rows import sample
from benchmarks.defaults._scores import available
from benchmarks.defaults._structures import labellings
from benchmarks.graphs._horses import horses
from benchmarks.label_sets._data import label_sets
from structsvm.datasets import load_file

#: Rows of a table, at most, and examples that are made of it.
ROWS, EXAMPLES = 1000, 150
#: Documents of a query, and the side of a grid that is made of a table.
DOCUMENTS, SIDE = 15, 8
#: Images of horses, each with a thousand rows.
HORSES = 15
#: Powers of ten by which columns are multiplied, and deviations by which full ones are moved.
DECADES, SHIFT = 3.0, 10.0


class Examples(NamedTuple):
    """Rows of examples, which follow each other.

    Attributes
    ----------
    X : ndarray of shape (n_rows, d)
    y : ndarray of shape (n_rows,), or (n_rows, n_labels) for label sets
    example : ndarray of shape (n_rows,)
        The example that each row belongs to, from 0.
    """

    name: str
    X: Any
    y: Any
    example: Any

    def some(self, chosen: Any) -> Examples:
        """The rows of the chosen examples."""
        rows = np.isin(self.example, chosen)
        return self._replace(X=self.X[rows], y=self.y[rows], example=self.example[rows])

    def spans(self) -> list[slice]:
        """The rows of each example."""
        ends = np.flatnonzero(np.diff(self.example, prepend=-1, append=-1))
        return [slice(first, stop) for first, stop in pairwise(ends.tolist())]

    def in_other_units(self, moved: bool) -> Examples:
        """The rows with columns multiplied at random, and if ``moved`` full ones shifted first."""
        rng, d = np.random.default_rng(0), self.X.shape[1]
        factors = 10 ** rng.uniform(-DECADES, DECADES, size=d)
        full = (self.X != 0).mean(axis=0) > 0.5
        shifts = moved * full * rng.uniform(-SHIFT, SHIFT, size=d) * self.X.std(axis=0)
        return self._replace(X=factors * (self.X + shifts))


def of_label_sets() -> Iterator[Examples]:
    yield from available(partial(_labelled, name) for name in ("scene", "yeast"))
    for name, X, y in (("digits", *load_digits(return_X_y=True)), *_keel.named("vowel")):
        X, y = sample(X, y, ROWS)
        yield Examples(name, X, _attributes(y), np.arange(len(y)))


def of_rankings() -> Iterator[Examples]:
    yield from available([_mq2008])
    X, progression = load_diabetes(return_X_y=True)
    grades = np.digitize(progression, np.quantile(progression, (0.5, 0.75, 0.9)))
    tables = ("diabetes", X, grades), *_keel.named("tae", "saheart")
    for name, X, y in tables:
        X, y = sample(X, y, len(y) // DOCUMENTS * DOCUMENTS)
        yield Examples(name, X, y, np.arange(len(y)) // DOCUMENTS)


def of_sequences() -> Iterator[Examples]:
    def labels(rng: Any, classes: int) -> list[Any]:
        return labellings(rng, EXAMPLES, classes, 0.0, (4, 10))

    yield _of_table(labels, "digits", *load_digits(return_X_y=True))
    files = ("letter", "satimage", "ocr_letters")
    yield from available(partial(_of_file, labels, name) for name in files)


def of_graphs() -> Iterator[Examples]:
    def labels(rng: Any, _: int) -> list[Any]:
        """Grids with one class on the left, and the other on the right of a slanting border."""
        rows, columns = np.indices((SIDE, SIDE))
        draws = zip(rng.uniform(-1, 1, EXAMPLES), rng.uniform(1, SIDE - 1, EXAMPLES), strict=True)
        return [
            (columns > at + slant * (rows - SIDE / 2)).astype(int).ravel() for slant, at in draws
        ]

    yield from available([_horses])
    yield _of_table(labels, "breast cancer", *load_breast_cancer(return_X_y=True))
    yield from available(partial(_of_file, labels, name) for name in ("ionosphere", "diabetes"))


def _labelled(name: str) -> Examples:
    X, Y, _ = label_sets(name)
    X, Y = sample(X.astype(np.float64), Y, ROWS)
    return Examples(name, X, Y, np.arange(len(Y)))


def _attributes(y: Any) -> Any:
    """Attributes of the classes, each of which half of them have at random."""
    rng, classes = np.random.default_rng(0), int(y.max()) + 1
    half = [rng.permutation(classes)[: classes // 2] for _ in range(6)]
    return np.column_stack([np.isin(y, own) for own in half]).astype(int)


def _mq2008() -> Examples:
    data = load_file("mq2008")
    own = data["qid"]
    mixed = [q for q in np.unique(own) if np.ptp(data["y"][own == q])][:EXAMPLES]
    rows = np.isin(own, mixed)
    X, y = data["X"][rows].astype(np.float64), data["y"][rows].astype(int)
    return Examples("mq2008", X, y, np.unique(own[rows], return_inverse=True)[1])


def _of_file(labels: Callable[..., list[Any]], name: str) -> Examples:
    data = load_file(name)
    X, y = sample(data["X"], data["y"], 2 * ROWS)
    X = np.unpackbits(X, axis=1) if name == "ocr_letters" else X
    return _of_table(labels, name, X.astype(np.float64), y)


def _of_table(labels: Callable[..., list[Any]], name: str, X: Any, y: Any) -> Examples:
    """Examples with these labels, and random rows of their classes."""
    rng = np.random.default_rng(0)
    classes, codes = np.unique(y, return_inverse=True)
    drawn = labels(rng, len(classes))
    chosen = [rng.choice(np.flatnonzero(codes == c)) for c in np.concatenate(drawn)]
    return Examples(
        name, X[chosen], y[chosen], np.repeat(np.arange(len(drawn)), [*map(len, drawn)])
    )


def _horses() -> Examples:
    part, _ = horses(32)
    features, masks = part.features[:HORSES], part.masks[:HORSES]
    X = features.reshape(-1, features.shape[-1]).astype(np.float64)
    return Examples("horses", X, masks.ravel(), np.repeat(np.arange(HORSES), masks[0].size))
