"""Label sets, rankings, sequences and grids whose columns have different units.

Tables make most of them: labels are attributes that classes share, a query has random rows to be
ranked by their grade, and sequences and grids have a random row of the right class at every
position.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits

from benchmarks.defaults import _keel
from benchmarks.defaults._rows import Rows, sample
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


Load = Callable[[], Examples]


def of_label_sets() -> dict[str, Load]:
    tables: dict[str, Any] = {"digits": load_digits_rows, **_keel.named("vowel")}
    return {
        **{name: partial(_labelled, name) for name in ("scene", "yeast")},
        **{name: partial(_with_attributes, load) for name, load in tables.items()},
    }


def of_rankings() -> dict[str, Load]:
    tables: dict[str, Any] = {"diabetes": _graded, **_keel.named("tae", "saheart")}
    queries = {name: partial(_in_queries, load) for name, load in tables.items()}
    return {"mq2008": _mq2008, **queries}


def of_sequences() -> dict[str, Load]:
    def labels(rng: Any, classes: int) -> list[Any]:
        return labellings(rng, EXAMPLES, classes, 0.0, (4, 10))

    files = ("letter", "satimage", "ocr_letters")
    return {
        "digits": lambda: _of_table(labels, *load_digits(return_X_y=True)),
        **{name: partial(_of_file, labels, name) for name in files},
    }


def of_graphs() -> dict[str, Load]:
    def labels(rng: Any, _: int) -> list[Any]:
        """Grids with one class on the left, and the other on the right of a slanting border."""
        rows, columns = np.indices((SIDE, SIDE))
        draws = zip(rng.uniform(-1, 1, EXAMPLES), rng.uniform(1, SIDE - 1, EXAMPLES), strict=True)
        return [
            (columns > at + slant * (rows - SIDE / 2)).astype(int).ravel() for slant, at in draws
        ]

    return {
        "horses": _horses,
        "breast cancer": lambda: _of_table(labels, *load_breast_cancer(return_X_y=True)),
        **{name: partial(_of_file, labels, name) for name in ("ionosphere", "diabetes")},
    }


def load_digits_rows() -> Rows:
    return Rows("digits", *load_digits(return_X_y=True))


def _with_attributes(load: Callable[[], Rows]) -> Examples:
    _, X, y = load()
    X, y = sample(X, y, ROWS)
    return Examples(X, _attributes(y), np.arange(len(y)))


def _graded() -> Rows:
    X, progression = load_diabetes(return_X_y=True)
    grades = np.digitize(progression, np.quantile(progression, (0.5, 0.75, 0.9)))
    return Rows("diabetes", X, grades)


def _in_queries(load: Callable[[], Rows]) -> Examples:
    _, X, y = load()
    X, y = sample(X, y, len(y) // DOCUMENTS * DOCUMENTS)
    return Examples(X, y, np.arange(len(y)) // DOCUMENTS)


def _labelled(name: str) -> Examples:
    X, Y, _ = label_sets(name)
    X, Y = sample(X.astype(np.float64), Y, ROWS)
    return Examples(X, Y, np.arange(len(Y)))


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
    return Examples(X, y, np.unique(own[rows], return_inverse=True)[1])


def _of_file(labels: Callable[..., list[Any]], name: str) -> Examples:
    data = load_file(name)
    X, y = sample(data["X"], data["y"], 2 * ROWS)
    X = np.unpackbits(X, axis=1) if name == "ocr_letters" else X
    return _of_table(labels, X.astype(np.float64), y)


def _of_table(labels: Callable[..., list[Any]], X: Any, y: Any) -> Examples:
    """Examples with these labels, and random rows of their classes."""
    rng = np.random.default_rng(0)
    classes, codes = np.unique(y, return_inverse=True)
    drawn = labels(rng, len(classes))
    chosen = [rng.choice(np.flatnonzero(codes == c)) for c in np.concatenate(drawn)]
    example = np.repeat(np.arange(len(drawn)), [*map(len, drawn)])
    return Examples(X[chosen], y[chosen], example)


def _horses() -> Examples:
    part, _ = horses()
    features, masks = part.features[:HORSES], part.masks[:HORSES]
    X = features.reshape(-1, features.shape[-1]).astype(np.float64)
    return Examples(X, masks.ravel(), np.repeat(np.arange(HORSES), masks[0].size))
