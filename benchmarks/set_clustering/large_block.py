"""Time and memory of CorrelationClustering on one block of many records, by its listed pairs.

Entities have five records, and each record is listed with some of the records at most twenty places
away; the only feature is noisy. Each size is measured in its own process.

    python -m benchmarks set_clustering/large_block    # ten minutes; Linux
"""

from __future__ import annotations

import resource
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.experiment import Experiment, cpu_seconds
from benchmarks.store import Row
from structsvm.problems import CorrelationClustering, PairTable

#: Records and pairs drawn, of which some are drawn twice.
DRAWN = ((1_000, 14_000), (10_000, 140_000))


def table(m: int, drawn: int, unlisted: str) -> tuple[PairTable, dict[int, int]]:
    """A block of m records, and the entity of each."""
    rng = np.random.default_rng(0)
    entity = np.arange(m) // 5
    left = rng.integers(m, size=drawn)
    right = left + 1 + rng.integers(20, size=drawn)
    pairs = pd.DataFrame({"left": left, "right": right})[right < m].drop_duplicates()
    same = entity[pairs["left"]] == entity[pairs["right"]]
    pairs["score"] = same + 0.3 * rng.normal(size=len(pairs))
    pairs["block"] = 0
    ids = "left", "right"
    listed = PairTable(pairs, ids, block="block", unlisted=unlisted, records=range(m))
    return listed, dict(enumerate(entity.tolist()))


def trained(data: tuple[PairTable, dict[int, int]]) -> CorrelationClustering:
    return CorrelationClustering().fit(*data)


def costs(fits: Any, data: tuple[PairTable, dict[int, int]]) -> Row:
    """CPU seconds, and the largest memory of the process."""
    pairs, _ = data
    model, seconds = fits["CorrelationClustering"]
    predicting, _ = cpu_seconds(lambda: model.predict(pairs), 1)
    return {
        "pairs": pairs[0].n_pairs,
        "training, s": round(seconds, 1),
        "prediction, s": round(predicting, 1),
        "memory, MB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


EXPERIMENTS = (
    Experiment(
        "sizes",
        ("records", "unlisted"),
        {
            (m, unlisted): partial(table, m, drawn, unlisted)
            for m, drawn in DRAWN
            for unlisted in ("impossible", "learned")
        },
        {"CorrelationClustering": trained},
        costs,
        wide=True,
        apart=True,
    ),
)
