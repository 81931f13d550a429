"""CPU time of the features as the number of rows grows.

Ten clusters are drawn, of 64 dense features, or of counts of 5000 words, sparse.

    python -m benchmarks clustering/large

At 10^5 dense rows the search for neighbours of 'diffusion' takes minutes.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

from benchmarks.experiment import Experiment
from structsvm.problems import CPM3C

CLUSTERS = 10


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


def fitted(X: Any, kernel: str) -> CPM3C:
    return CPM3C(CLUSTERS, kernel=kernel, random_state=0).fit(X)


SIZES = {
    "dense": (dense, (1_000, 10_000, 100_000)),
    "sparse": (words, (1_000, 10_000, 30_000)),
}
EXPERIMENTS = (
    Experiment(
        "rows",
        ("data", "rows", "kernel"),
        {(kind, n): partial(draw, n) for kind, (draw, sizes) in SIZES.items() for n in sizes},
        {kernel: partial(fitted, kernel=kernel) for kernel in ("linear", "diffusion")},
        lambda fit, X: {"fit, CPU s": fit.seconds},
    ),
)
