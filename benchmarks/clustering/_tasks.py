"""Labelled rows to cluster, divided by lot: tasks to choose defaults on, and to confirm them.

Constants and defaults are chosen on the tasks of :data:`CHOOSING` alone. The division was drawn
once, by ``numpy.random.default_rng(22).permutation`` of the names in alphabetical order; its first
half is :data:`CHOOSING`. The pairs and subsets of digits, letters and articles in the papers'
tables (benchmarks/reproduction) are not here; samples of all digits are, and a few of their small
tables, such as ionosphere.

:data:`CONFIRMING` was seen when 'diffusion' for every task failed on it, and the choice between
features was made instead. So there are more tasks, from two packages with data (_packages.py),
divided in the same way by ``default_rng(23)``. :data:`PACKAGES_CONFIRMING` was measured once, after
everything was fixed. Later the settings that ``kernel='auto'`` tried were chosen on sets of which
three are in it: libras, sonar and vehicle count as fresh no more (benchmarks/tables/clustering.py).

A task has at most 800 rows, in two forms: raw, and standardised. Texts are tf-idf rows of norm 1
and indicators are raw: these have one form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from benchmarks.clustering._sets import BUILDERS, ONE_FORM
from benchmarks.report import one_thread
from benchmarks.store import Row, save

CHOOSING = (
    "breast cancer",
    "diabetes",
    "digits",
    "digits 2357",
    "digits 4v9",
    "letter HKLN",
    "letter, 8 letters",
    "mnist",
    "mnist 2357",
    "mnist 4v9",
    "ocr nvu",
    "satimage",
    "scene",
    "vote",
)
CONFIRMING = (
    "australian",
    "cora",
    "heart",
    "ionosphere",
    "iris",
    "landmarks",
    "letter UvV",
    "newsgroups",
    "ocr aeiou",
    "ocr, 10 letters",
    "promoters",
    "webkb",
    "wine",
)
PACKAGES_CHOOSING = (
    "crabs",
    "glass",
    "led digits",
    "magic",
    "mushroom",
    "pen 4v9",
    "penguins",
    "phoneme",
    "saheart",
    "splice",
    "texture",
    "wisconsin",
)
PACKAGES_CONFIRMING = (
    "bupa",
    "libras",
    "mammographic",
    "olive",
    "pen",
    "pen 2357",
    "segment",
    "sonar",
    "spambase",
    "twonorm",
    "vehicle",
    "vowel",
)
PARTS = {
    "choosing": CHOOSING,
    "confirming": CONFIRMING,
    "packages, choosing": PACKAGES_CHOOSING,
    "packages, confirming": PACKAGES_CONFIRMING,
}


class Task(NamedTuple):
    """Rows to cluster: a name, 'raw', 'standardised' or 'tf-idf', the rows and their classes."""

    name: str
    form: str
    X: Any
    y: Any

    @property
    def n_clusters(self) -> int:
        return len(np.unique(self.y))


def tasks(
    names: Iterable[str], builders: Mapping[str, Callable[[], tuple[Any, Any]]] = BUILDERS
) -> Iterator[Task]:
    """Yield the tasks of these names in all their forms; skip those without their file."""
    for name in names:
        try:
            X, y = builders[name]()
        except FileNotFoundError as error:
            print(f"skipped: {name} ({error})", flush=True)
            continue
        if sparse.issparse(X):
            yield Task(name, "tf-idf", X, y)
            continue
        yield Task(name, "raw", X, y)
        if name not in ONE_FORM:
            yield Task(name, "standardised", StandardScaler().fit_transform(X), y)


def measure_unscaled(results: str, rows_of: Callable[[Task], list[Row]]) -> None:
    """Store the rows of all tasks in their raw form, or of texts, after every task."""
    rows: list[Row] = []
    with one_thread():
        for task in tasks(name for names in PARTS.values() for name in names):
            if task.form != "standardised":
                rows += rows_of(task)
                save(results, "tasks", rows)
