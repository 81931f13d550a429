"""CPU time of a fit by the sizes of the data: figures 1 to 4, and the largest collection."""

from __future__ import annotations

import resource

import numpy as np

from benchmarks.item_sets import synth_sets, webkb_sets
from benchmarks.report import cpu_seconds
from benchmarks.store import Row
from structsvm.problems import SupervisedKMeans

SIZES: dict[str, tuple[str, list[int]]] = {
    "figure 1": ("n_sets", [1, 2, 5, 10, 20, 50, 100]),
    "figure 2": ("n_clusters", [2, 3, 5, 8, 10]),
    "figure 3": ("region_size", [25, 50, 100, 200, 400, 800, 1600]),
    "figure 4": ("cluster_size", [10, 20, 40, 80, 160]),
}
TRAINING_SETS = 3


def time_rows() -> list[Row]:
    """CPU seconds of one fit by n, k, N and m/k."""
    rows = []
    for figure, (parameter, values) in SIZES.items():
        for value in values:
            for method in ("iterative", "spectral"):
                found = [_one_fit(method, draw, parameter, value) for draw in range(TRAINING_SETS)]
                row = {"figure": figure, "parameter": parameter, "value": value, "method": method}
                for column in ("CPU s", "passes", "nonzeros"):
                    row[column] = float(np.mean([one[column] for one in found]))
                rows.append(row)
                print(figure, parameter, value, method, f"{row['CPU s']:.3f}", flush=True)
    return rows


def largest_row() -> Row:
    """WebKB-L with all words: time and memory of one fit on three universities."""
    _, _, X, y, _ = webkb_sets(links=True, tfidf=True)
    model = SupervisedKMeans(C=1e4, scale="common")
    seconds, fitted = cpu_seconds(lambda: model.fit(X[:3], y[:3]), repeats=1)
    return {
        "features": fitted.n_features_in_,
        "CPU s": seconds,
        "passes": fitted.n_iter_,
        "peak MB, with the data": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def _one_fit(method: str, draw: int, parameter: str, value: int) -> Row:
    sizes = {"n_clusters": 5, parameter: value}
    if parameter == "n_clusters":
        sizes |= {"cluster_size": 100 // value, "region_size": round(750 * 2 / value / (value + 1))}
    if parameter == "region_size":
        sizes |= {"n_active": value // 10}
    collection = synth_sets(0.45, draw, **sizes)
    model = SupervisedKMeans(method, C=100.0, scale="common")
    seconds, fitted = cpu_seconds(lambda: model.fit(collection.X, collection.y), repeats=1)
    nonzeros = sum(items.pairs[2].nnz for items in collection.X)
    return {"CPU s": seconds, "passes": fitted.n_iter_, "nonzeros": nonzeros}
