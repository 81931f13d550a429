"""Fits of CPM3C to one data set: over seeds, and by the protocol of the papers."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from benchmarks.reproduction._baselines import accuracy
from benchmarks.reproduction._protocol import PAPERS, baseline_rows, over_seeds, scored
from benchmarks.reproduction._sets import Set
from benchmarks.store import Row
from structsvm.problems import CPM3C

#: The settings of each method that uses no labels.
METHODS: dict[str, dict[str, Any]] = {
    "default": {},
    "linear": PAPERS,
    "one start": {**PAPERS, "n_init": 1},
}


def fitted(X: Any, k: int, seed: int, **settings: Any) -> CPM3C:
    return CPM3C(k, random_state=seed, **settings).fit(X)


def set_rows(data: Set) -> list[Row]:
    """All methods without labels on one set."""
    name, X, y, k = data
    ours = (
        over_seeds(name, method, y, partial(fitted, X, k, **settings))
        for method, settings in METHODS.items()
    )
    return [*baseline_rows(data), *ours]


def protocol_row(data: Set, Cs: Iterable[float], as_they_are: bool = False) -> Row:
    """The best of a grid by the true labels, one seed."""
    name, X, y, k = data
    settings: dict[str, Any] = {"center": False, "min_cluster_size": 0} if as_they_are else {}
    tried = {C: fitted(X, k, 0, C=C, **PAPERS, **settings).labels_ for C in Cs}
    C = max(tried, key=lambda C: accuracy(tried[C], y))
    method = "protocol, as they are" if as_they_are else "protocol"
    row = scored(name, method, y, tried[C], f"{C:g}")
    print(name, method, row["accuracy"], C, flush=True)
    return row
