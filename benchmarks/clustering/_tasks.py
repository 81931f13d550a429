"""Labelled rows to cluster, divided by lot: tasks to choose defaults on, and to confirm them.

Constants and defaults are chosen only on the tasks of :data:`CHOOSING`. The division was drawn
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

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.preprocessing import StandardScaler

from benchmarks.clustering._sets import BUILDERS, ONE_FORM, TEXTS

CHOOSING = (
    *("breast cancer", "diabetes", "digits", "digits 2357", "digits 4v9", "letter HKLN"),
    *("letter, 8 letters", "mnist", "mnist 2357", "mnist 4v9", "ocr nvu", "satimage", "scene"),
    *("vote",),
)
CONFIRMING = (
    *("australian", "cora", "heart", "ionosphere", "iris", "landmarks", "letter UvV", "newsgroups"),
    *("ocr aeiou", "ocr, 10 letters", "promoters", "webkb", "wine"),
)
PACKAGES_CHOOSING = (
    *("crabs", "glass", "led digits", "magic", "mushroom", "pen 4v9", "penguins", "phoneme"),
    *("saheart", "splice", "texture", "wisconsin"),
)
PACKAGES_CONFIRMING = (
    *("bupa", "libras", "mammographic", "olive", "pen", "pen 2357", "segment", "sonar", "spambase"),
    *("twonorm", "vehicle", "vowel"),
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


def loaders(names: Iterable[str]) -> dict[tuple[str, str], Callable[[], Task]]:
    """Return functions that load the tasks of these names in all their forms."""
    return {(name, form): partial(task, name, form) for name in names for form in forms(name)}


def forms(name: str) -> tuple[str, ...]:
    if name in TEXTS:
        return ("tf-idf",)
    return ("raw",) if name in ONE_FORM else ("raw", "standardised")


def task(
    name: str, form: str, builders: Mapping[str, Callable[[], tuple[Any, Any]]] = BUILDERS
) -> Task:
    X, y = builders[name]()
    return Task(name, form, StandardScaler().fit_transform(X) if form == "standardised" else X, y)


def unscaled() -> dict[str, Callable[[], Task]]:
    """Return functions that load all tasks, raw or as texts."""
    return {name: partial(task, name, forms(name)[0]) for names in PARTS.values() for name in names}
