"""Table I of the paper: errors with a Universum."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.reproduction._baselines import error, kmeans, nearest_neighbour_cut
from benchmarks.reproduction._bayesian_draws import whole
from benchmarks.store import Row, merge
from benchmarks.tables.bayesian import PAPER_UNIVERSUM, RESULTS
from structsvm.problems import BayesianMMC

#: Random draws of rows and features.
DRAWS = 20


def small_draw(name: str, seed: int) -> tuple[Any, Any]:
    """A hundred rows and half of the features, those that vary."""
    X, y = whole(name)
    rng = np.random.default_rng(1000 + seed)
    rows = rng.permutation(len(y))[:100]
    columns = np.sort(rng.permutation(X.shape[1])[: X.shape[1] // 2])
    X, y = X[rows][:, columns], y[rows]
    if sparse.issparse(X):
        filled = X.getnnz(axis=1) > 0
        X, y = X[filled], y[filled]
    return X, y


def universum_row(name: str) -> Row:
    found: list[dict[str, float]] = []
    for seed in range(DRAWS):
        X, y = small_draw(name, seed)
        one = {"cut": error(nearest_neighbour_cut(X), y), "k-means": error(kmeans(X, 2, 0), y)}
        for kernel in ("diffusion", "rbf"):
            for universum in (None, "mean", "marginal"):
                fit = BayesianMMC(kernel=kernel, universum=universum, random_state=seed).fit(X)
                one[f"{kernel}, {universum}"] = error(fit.labels_, y)
                if universum is None:
                    wide = BayesianMMC(kernel=kernel, length_scale=2 * fit.length_scale_)
                    one[f"{kernel}, wide"] = error(wide.fit_predict(X), y)
        found.append(one)
    row: Row = {"data": name, "draws": len(found)}
    row |= {key: float(np.mean([one[key] for one in found])) for key in found[0]}
    print(row, flush=True)
    return row


def universum() -> None:
    for name in PAPER_UNIVERSUM:
        try:
            merge(RESULTS, "universum", [universum_row(name)], "data")
        except FileNotFoundError as reason:
            print(f"skipped: {name} ({reason})")
