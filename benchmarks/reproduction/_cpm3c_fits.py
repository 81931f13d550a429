"""Fits of CPM3C to one data set: over seeds, by the protocol of the papers, and objectives."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import issparse

from benchmarks.reproduction._baselines import accuracy
from benchmarks.reproduction._protocol import (
    DEFAULT,
    DIFFUSION,
    PAPERS,
    SINGLE_STARTS,
    WHITEN,
    baseline_rows,
    kmeans_on,
    mapped,
    over_seeds,
    scored,
)
from benchmarks.reproduction._sets import Set
from benchmarks.store import Row
from structsvm.problems import CPM3C, CPM3CProblem
from structsvm.problems.margin_clustering.restarts import centres
from structsvm.solvers import CCCP


def fitted(X: Any, k: int, seed: int, **settings: Any) -> CPM3C:
    return CPM3C(k, random_state=seed, **(PAPERS | settings)).fit(X)


def settings_of(name: str) -> dict[str, dict[str, Any]]:
    """The feature maps that a set is clustered with, by name."""
    maps: dict[str, dict[str, Any]] = {"linear": {}, "diffusion": DIFFUSION}
    return maps | {"whiten": WHITEN} if name == "letter ABCD" else maps


def set_rows(data: Set, single: int = SINGLE_STARTS) -> list[Row]:
    """The defaults, all feature maps with the papers' search, and the baselines, on one set."""
    name, X, y, k = data
    rows = baseline_rows(data, single)
    rows.append(over_seeds(name, "default", y, partial(fitted, X, k, **DEFAULT)))
    for method, settings in settings_of(name).items():
        rows.append(over_seeds(name, method, y, partial(fitted, X, k, **settings)))
        if settings:
            rows.append(kmeans_on(data, f"k-means on {method}", **settings))
    return rows


def protocol_row(data: Set, Cs: Iterable[float]) -> Row:
    """The best of a grid by the true labels, one seed."""
    name, X, y, k = data
    tried = {C: fitted(X, k, 0, C=C).labels_ for C in Cs}
    C = max(tried, key=lambda C: accuracy(tried[C], y))
    row = scored(name, "protocol", y, tried[C], f"{C:g}")
    print(name, "protocol", row["accuracy"], C, flush=True)
    return row


def objective_row(data: Set, method: str, settings: dict[str, Any]) -> Row:
    """The objective of our answer, and that of the descent from the means of the true classes."""
    name, X, y, k = data
    ours = fitted(X, k, 0, **settings)
    Z = mapped(X, **settings) if settings else X
    problem = CPM3CProblem(k, 0.0, ours.problem_.min_cluster_size)
    problem.initialize([Z])
    classes = np.unique(y, return_inverse=True)[1]
    w0 = problem.start(Z, centres(problem, Z, classes), 1e-3)
    truth = CCCP(search=False).solve(problem, [Z], None, ours.C_, w0=w0)
    labels = problem.clusters_of(truth.labels[0])
    return {
        "data": name,
        "method": method,
        "objective": ours.objective_,
        "accuracy": 100 * accuracy(ours.labels_, y),
        "from the classes": truth.primal,
        "its accuracy": 100 * accuracy(labels, y),
    }


def objective_rows(data: Set) -> list[Row]:
    """One row for each feature map; texts in more than two clusters have only 'linear'."""
    few = data.n_clusters > 2 and issparse(data.X)
    maps: dict[str, dict[str, Any]] = {"linear": {}} if few else settings_of(data.name)
    return [objective_row(data, method, settings) for method, settings in maps.items()]
