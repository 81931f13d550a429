"""The searches of supervised clustering: their CPU time, and the gain from restarts.

    python -m benchmarks.speed.clustering_oracles

*Blocks*: five clusters plus noise. *Noise*: a symmetric matrix of noise alone, whose eigenvalues
have no gap. *Restarts*: similarities of held-out sets, learned on SYNTH at noise .45 and .48; the
mean objective relative to the best that any search found, and the loss of the partition found.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.item_sets import synth_sets
from benchmarks.report import cpu_seconds, one_thread, report
from structsvm.problems import (
    DiscreteOracle,
    GreedyOracle,
    IterativeOracle,
    RelaxedOracle,
    SpectralOracle,
    SupervisedKMeans,
)
from structsvm.problems.set_clustering.supervised_kmeans.loss import clustering_matrix, trace_loss
from structsvm.problems.set_clustering.supervised_kmeans.oracles.iterative import (
    local_optimum,
    random_labels,
)
from structsvm.problems.set_clustering.ties import margin_of

K_CLUSTERS = 5


def similarity(kind: str, m: int) -> Any:
    rng = np.random.default_rng(m)
    noise = rng.normal(size=(m, m))
    y = rng.integers(K_CLUSTERS, size=m)
    blocks = 2.0 * (y[:, None] == y) if kind == "blocks" else 0.0
    return noise + noise.T + blocks


def one_restart(K: Any) -> Any:
    start = random_labels(len(K), K_CLUSTERS, np.random.default_rng(0))
    return local_optimum(K, start, K_CLUSTERS, margin_of(K))


SEARCHES: dict[str, Callable[[Any], Any]] = {
    "Iterative, one random start": one_restart,
    "Iterative, five starts": lambda K: IterativeOracle().cluster(K, K_CLUSTERS),
    "Spectral": lambda K: SpectralOracle().cluster(K, K_CLUSTERS),
    "Discrete": lambda K: DiscreteOracle().cluster(K, K_CLUSTERS),
    "Greedy (correlation)": lambda K: GreedyOracle().cluster(K),
}


def time_rows() -> list[dict[str, Any]]:
    """Milliseconds by search, kind of matrix and size."""
    rows = []
    for kind in ("blocks", "noise"):
        for name, search in SEARCHES.items():
            row: dict[str, Any] = {"matrix": kind, "search": name}
            for m in (100, 300, 1000):
                row[f"m = {m}, ms"] = 1000 * cpu_seconds(partial(search, similarity(kind, m)), 7)[0]
            rows.append(row)
    return rows


def relaxed_rows() -> list[dict[str, Any]]:
    """Milliseconds of the linear program, for few items."""
    rows = []
    for kind in ("blocks", "noise"):
        row: dict[str, Any] = {"matrix": kind, "search": "Relaxed (correlation)"}
        for m in (20, 40, 60):
            search = partial(RelaxedOracle().cluster, similarity(kind, m))
            row[f"m = {m}, ms"] = 1000 * cpu_seconds(search, 1)[0]
        rows.append(row)
    return rows


def learned() -> list[tuple[Any, Any]]:
    """Learned similarities of held-out sets, and their partitions."""
    found = []
    for noise in (0.45, 0.48):
        for draw in range(3):
            collection = synth_sets(noise, draw)
            for C in (10.0, 100.0):
                model = SupervisedKMeans(C=C).fit(collection.X[:3], collection.y[:3])
                found += [
                    (model.similarity(x), y)
                    for x, y in zip(collection.X[3:], collection.y[3:], strict=True)
                ]
    return found


def random_restarts(n: int, K: Any) -> Any:
    rng, margin = np.random.default_rng(0), margin_of(K)
    starts = (random_labels(len(K), K_CLUSTERS, rng) for _ in range(n))
    optima = (local_optimum(K, start, K_CLUSTERS, margin) for start in starts)
    return max(optima, key=lambda found: found[1])[0]


def restart_rows() -> list[dict[str, Any]]:
    """IterativeOracle's starts compared with random ones."""
    tasks, results = learned(), {}
    for n in (1, 5, 10, 30, 100, 300):
        results[f"{n} random starts"] = partial(random_restarts, n)
    for n in (5, 10, 30, 100):
        oracle = IterativeOracle(n)
        results[f"IterativeOracle({n})"] = partial(oracle.cluster, n_clusters=K_CLUSTERS)
    rows, values = [], []
    for name, search in results.items():
        seconds, labels = cpu_seconds(lambda s=search: [s(K) for K, _ in tasks], 1)
        values.append([value(K, found) for (K, _), found in zip(tasks, labels, strict=True)])
        losses = [trace_loss(y, found) for (_, y), found in zip(tasks, labels, strict=True)]
        rows.append({"search": name, "loss": float(np.mean(losses)), "CPU s": seconds})
    best = np.max(values, axis=0)
    for row, found in zip(rows, values, strict=True):
        row["objective / best"] = float(np.mean(found / best))
    truth = np.mean([value(K, y) / b for (K, y), b in zip(tasks, best, strict=True)])
    rows.append(
        {"search": "the true partition", "loss": 0.0, "CPU s": "-", "objective / best": truth}
    )
    return rows


def value(K: Any, labels: Any) -> float:
    Y = clustering_matrix(labels)
    return float(np.sum(Y * (K @ Y)))


if __name__ == "__main__":
    with one_thread():
        report(
            "speed/clustering_oracles",
            {
                "CPU time of a search": time_rows(),
                "CPU time of the linear program": relaxed_rows(),
                "Restarts": restart_rows(),
            },
        )
