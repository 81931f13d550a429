"""CPU time of the features as the number of rows grows, and of predictions for new rows.

Ten clusters are drawn, of 64 dense features, or of counts of 5000 words, sparse.

    python -m benchmarks.clustering.large

At 10^5 dense rows the search for neighbours of 'diffusion' takes minutes.
"""

from __future__ import annotations

import resource
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

from benchmarks.report import cpu_seconds, one_thread
from benchmarks.store import Row, save
from benchmarks.tables.pages import show
from structsvm.problems import CPM3C

RESULTS = "clustering/large"
CLUSTERS = 10
SIZES = {"dense": (1_000, 10_000, 100_000), "sparse": (1_000, 10_000, 30_000)}
#: New rows to predict.
NEW = 1_000


def dense(n: int) -> Any:
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(CLUSTERS, 64))
    return (centres[np.arange(n) % CLUSTERS] + 2 * rng.normal(size=(n, 64))).astype(np.float32)


def words(n: int) -> Any:
    """Documents of some sixty words; most are of the common language."""
    rng = np.random.default_rng(0)
    language = 1 / np.arange(1.0, 5001)
    language /= language.sum()
    topics = [0.7 * language + 0.3 * rng.permutation(language) for _ in range(CLUSTERS)]
    counts = [sparse.csr_matrix(rng.multinomial(60, topics[i % CLUSTERS])) for i in range(n)]
    return TfidfTransformer(sublinear_tf=True).fit_transform(sparse.vstack(counts, "csr"))


def row(kind: str, n: int, kernel: str) -> Row:
    X = (dense if kind == "dense" else words)(n + NEW)
    cpm3c = CPM3C(CLUSTERS, kernel=kernel, random_state=0)
    fit, _ = cpu_seconds(lambda: cpm3c.fit(X[:n]), repeats=1)
    predict, labels = cpu_seconds(lambda: cpm3c.predict(X[n:]), repeats=1)
    truth = np.arange(n, n + NEW) % CLUSTERS
    shared = np.zeros((CLUSTERS, CLUSTERS))
    np.add.at(shared, (labels, truth), 1)
    found = {
        "rows": n,
        "data": kind,
        "kernel": kernel,
        "fit, CPU s": fit,
        f"predict {NEW} rows, ms": 1000 * predict,
        "new rows in the majority class of their cluster, %": 100 * shared.max(axis=1).sum() / NEW,
        "peak memory of the process, GB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        / 2**20,
    }
    print(found, flush=True)
    return found


def main() -> None:
    rows: list[Row] = []
    with one_thread():
        for kind, sizes in SIZES.items():
            for n in sizes:
                for kernel in ("linear", "diffusion"):
                    rows.append(row(kind, n, kernel))
                    save(RESULTS, "rows", rows)
    show(RESULTS)


if __name__ == "__main__":
    main()
