"""Means over all 45 pairs of digits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.reproduction._baselines import kmeans_single
from benchmarks.reproduction._cpm3c_fits import fitted, protocol_row, set_rows
from benchmarks.reproduction._protocol import GRID_C, PAPERS, over_seeds
from benchmarks.reproduction._sets import Set
from benchmarks.store import Row

GRID = GRID_C[2::2]


def pair_means(
    name: str, data: Iterator[Set], rows_of: Callable[[Set], list[Row]]
) -> Iterator[list[Row]]:
    """The means over the pairs so far."""
    rows: list[Row] = []
    for pair in data:
        rows += rows_of(pair)
        yield mean_over_pairs(name, rows)


def mean_over_pairs(name: str, rows: list[Row]) -> list[Row]:
    """One row for every method: the means over pairs, the worst being the worst pair."""
    result = []
    for method in dict.fromkeys(row["method"] for row in rows):
        those = [row for row in rows if row["method"] == method]
        keys = ("accuracy", "RI", "NMI", "F", "CPU s", "C", "objective", "passes")
        values = {key: mean_or_dash([row[key] for row in those]) for key in keys}
        values["worst"] = min(row["accuracy"] for row in those)
        row = {"data": name, "method": method, "seeds": those[0]["seeds"], "pairs": len(those)}
        result.append(row | values)
    return result


def mean_or_dash(values: list[Any]) -> Any:
    return "-" if isinstance(values[0], str) else float(np.mean(values))


def digit_pair_rows(data: Set) -> list[Row]:
    return [*set_rows(data), protocol_row(data, GRID)]


def mnist_pair_rows(data: Set) -> list[Row]:
    """The defaults, plain rows and k-means from a single start, one seed each."""
    name, X, y, k = data
    return [
        over_seeds(name, "default", y, partial(fitted, X, k), 1),
        over_seeds(name, "linear", y, partial(fitted, X, k, **PAPERS), 1),
        over_seeds(name, "k-means, single starts", y, partial(kmeans_single, X, k), 1),
    ]
