"""Time and memory of CorrelationClustering on one block of many records, by its listed pairs.

Entities have five records, and each record is listed with some of those at most twenty places away;
the only feature is noisy. Each size is measured in a process of its own.

    python -m benchmarks set_clustering/large_block    # ten minutes
"""

from __future__ import annotations

import resource
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pandas as pd

from benchmarks.report import one_thread, report
from benchmarks.store import Row
from structsvm.problems import CorrelationClustering, PairTable

RESULTS = "set_clustering/large_block"
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


def measured(m: int, drawn: int, unlisted: str) -> Row:
    """CPU seconds, and the largest memory of the process."""
    warnings.simplefilter("ignore")  # of pairs that are not listed
    with one_thread():
        pairs, entity = table(m, drawn, unlisted)
        start = time.process_time()
        model = CorrelationClustering().fit(pairs, entity)
        trained = time.process_time()
        model.predict(pairs)
        predicted = time.process_time()
    return {
        "records": m,
        "pairs": pairs[0].n_pairs,
        "unlisted": unlisted,
        "training, s": round(trained - start, 1),
        "prediction, s": round(predicted - trained, 1),
        "memory, MB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def main() -> None:
    assert sys.platform == "linux"  # ru_maxrss is in KiB there
    rows = []
    for m, drawn in DRAWN:
        for unlisted in ("impossible", "learned"):
            with ProcessPoolExecutor(1, get_context("spawn")) as fresh:
                rows.append(fresh.submit(measured, m, drawn, unlisted).result())
            print(rows[-1], flush=True)
    report(RESULTS, {"sizes": rows})


if __name__ == "__main__":
    main()
