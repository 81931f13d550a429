"""Fits over seeds, the grid of the papers' protocol, and baselines."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import issparse

from benchmarks.experiment import cpu_seconds
from benchmarks.reproduction._baselines import (
    kmeans,
    kmeans_single,
    measures,
)
from benchmarks.reproduction._sets import Set
from benchmarks.store import Row

#: Makes a row of a data set.
Contender = Callable[[Set], Any]
#: Seeds of a mean, at most.
MOST_SEEDS = 10
#: CPU seconds after which no further seed is started.
BUDGET = 150.0
#: Number of single starts of k-means.
SINGLE_STARTS = 50
#: The grid of the papers' protocol.
GRID_C = (1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 200.0)
#: The features and the search of the papers; but rows are centred, and clusters have a least size.
PAPERS = {"kernel": "linear", "search": "cccp", "n_init": 10}


def over_seeds(
    run: Callable[[Set, int], Any], most: int = MOST_SEEDS, budget: float = BUDGET
) -> Contender:
    """Mean measures and costs over seeds; run(data, seed) returns labels or a fitted model."""

    def contender(data: Set) -> Row:
        found: list[dict[str, float]] = []
        seconds: list[float] = []
        fits: list[Any] = []
        while len(fits) < most and sum(seconds) < budget:
            taken, fit = cpu_seconds(partial(run, data, len(fits)), repeats=1)
            seconds.append(taken)
            fits.append(fit)
            found.append(measures(getattr(fit, "labels_", fit), data.y))
        row = {"seeds": len(fits)} | means(found)
        return row | {"CPU s": float(np.mean(seconds))}

    return contender


def means(found: list[dict[str, float]]) -> Row:
    """The mean of every measure, accuracy in percent."""
    row = {name: float(np.mean([one[name] for one in found])) for name in found[0]}
    return row | {"accuracy": 100 * row["accuracy"]}


def scored(y: Any, labels: Any, chosen: str) -> Row:
    """A row for labels; ``chosen`` names the setting that they were chosen by."""
    return {"seeds": 1, "C": chosen, "CPU s": "-"} | means([measures(labels, y)])


def one_cluster(data: Set) -> Row:
    return scored(data.y, np.zeros(len(data.y), dtype=int), "-")


def single_starts(most: int = SINGLE_STARTS) -> Contender:
    return over_seeds(lambda data, seed: kmeans_single(data.X, data.n_clusters, seed), most)


KMEANS = over_seeds(lambda data, seed: kmeans(data.X, data.n_clusters, seed))
BASELINES: dict[str, Contender] = {
    "one cluster": one_cluster,
    "k-means": KMEANS,
    "k-means, single starts": single_starts(),
}


def grid(X: Any, k: int) -> tuple[float, ...]:
    """The grid of C; every second value for many clusters, and for texts in several."""
    return GRID_C[1::2] if k > 4 or (k > 2 and issparse(X)) else GRID_C
