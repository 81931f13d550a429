"""Fits over seeds, the grid of the papers' protocol, and baselines."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning

from benchmarks.report import cpu_seconds
from benchmarks.reproduction._baselines import (
    best_scored,
    kmeans,
    kmeans_single,
    measures,
    normalized_cut,
)
from benchmarks.store import Row
from benchmarks.tables.cells import MEASURES

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
    name: str,
    method: str,
    y: Any,
    run: Callable[[int], Any],
    most: int = MOST_SEEDS,
    budget: float = BUDGET,
) -> Row:
    """Mean measures and costs of a fit over seeds; run(seed) returns labels or a fitted model."""
    found: list[dict[str, float]] = []
    seconds: list[float] = []
    fits: list[Any] = []
    while len(fits) < most and sum(seconds) < budget:
        taken, fit = cpu_seconds(partial(run, len(fits)), repeats=1)
        seconds.append(taken)
        fits.append(fit)
        found.append(measures(getattr(fit, "labels_", fit), y))
    row = {"data": name, "method": method, "seeds": len(fits)} | means(found)
    row |= {"CPU s": float(np.mean(seconds))} | details(fits)
    print(name, method, len(fits), f"{row['accuracy']:.2f} {row['CPU s']:.1f} s", flush=True)
    return row


def means(found: list[dict[str, float]]) -> Row:
    """The mean of every measure, accuracy in percent, and the worst accuracy.

    Of several results, the standard deviations too.
    """
    values = {name: np.array([float(one[name]) for one in found]) for name in MEASURES}
    values["accuracy"] *= 100
    row = {name: float(of_one.mean()) for name, of_one in values.items()}
    if len(found) > 1:
        row |= {f"{name}, sd": float(of_one.std(ddof=1)) for name, of_one in values.items()}
    return row | {"worst": float(values["accuracy"].min())}


def details(fits: list[Any]) -> Row:
    """C, the mean objective and the mean number of passes of fits; '-' for mere labels."""
    if not hasattr(fits[0], "objective_"):
        return {"C": "-", "objective": "-", "passes": "-"}
    return {
        "C": float(fits[0].C_),
        "objective": float(np.mean([fit.objective_ for fit in fits])),
        "passes": float(np.mean([fit.n_iter_ for fit in fits])),
    }


def scored(name: str, method: str, y: Any, labels: Any, chosen: str) -> Row:
    """A row for labels; ``chosen`` names the setting that they were chosen by."""
    row = {"data": name, "method": method, "seeds": 1} | means([measures(labels, y)])
    return row | {"CPU s": "-", "C": chosen, "objective": "-", "passes": "-"}


def baseline_rows(data: Any) -> list[Row]:
    """One cluster, k-means, and where n allows it the cut of the best width by the labels."""
    name, X, y, k = data
    rows = [
        scored(name, "one cluster", y, np.zeros(len(y), dtype=int), "-"),
        over_seeds(name, "k-means", y, partial(kmeans, X, k)),
        over_seeds(name, "k-means, single starts", y, partial(kmeans_single, X, k), SINGLE_STARTS),
    ]
    cuts = normalized_cut(X, k, 0)
    if cuts is not None:
        best = best_scored(cuts, y)
        rows.append(scored(name, "cut, scored", y, best.labels, f"width {best.width:g}"))
    return rows


def grid(X: Any, k: int) -> tuple[float, ...]:
    """The grid of C; every second value for many clusters, and for texts in several."""
    return GRID_C[1::2] if k > 4 or (k > 2 and issparse(X)) else GRID_C


def without_warnings() -> None:
    """Silence warnings of convergence and of clusters at their least size: a grid has many."""
    warnings.simplefilter("ignore", ConvergenceWarning)
