"""Chains whose labels are known in part, by SmoothedCCCP and by CCCP.

The first sentences of the English treebank with ten features for each word, and half of the tags
left out at random. C is 3 n and the tolerance 1 %. One start each, from the same w. CPU seconds are
those of one thread; a run ends after LIMIT seconds at the latest. The objective is not convex, so
the two may end elsewhere: the lower one is better. Accuracy is that on the dev part, in percent.

    python -m benchmarks.speed.partial_chains    # needs the treebank in STRUCTSVM_DATA
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks.report import one_thread, report
from benchmarks.store import Row
from benchmarks.treebank import first_sentences, matrices
from structsvm import CCCP, SmoothedCCCP
from structsvm.problems import PartialChain

RESULTS = "speed/partial_chains"
#: Numbers of sentences, and the seconds that a run may take.
SENTENCES, LIMIT = (300, 1500), 200
C, RTOL = 3.0, 0.01


def rows_of(n: int) -> list[Row]:
    X, Y, columns = matrices(first_sentences("train", n))
    rng = np.random.default_rng(0)
    known = [[label if rng.random() < 0.5 else None for label in y] for y in Y]
    held_out, true, _ = matrices(first_sentences("dev", None), columns)
    rows = []
    for solver in (SmoothedCCCP, CCCP):
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the gap is in the row
            run = solver(rtol=RTOL, time_limit=LIMIT, max_iter=100_000)
            result = run.solve(PartialChain(), X, known, C * len(X))
        row: Row = {"sentences": len(X), "solver": solver.__name__}
        row["CPU s"] = time.process_time() - start
        row |= {"passes": result.iterations, "objective": result.primal}
        row["gap"] = 100 * result.gap / result.primal
        row["dev"] = 100 * accuracy(X, known, result.w, held_out, true)
        rows.append(row)
        print(row, flush=True)
    return rows


def accuracy(X: Any, known: Any, w: Any, held_out: Any, true: Any) -> float:
    problem = PartialChain()
    problem.initialize(X, known)
    found = problem.task(held_out).decode(w)
    return float(np.mean(np.concatenate(list(found)) == np.concatenate(true)))


def main() -> None:
    report(RESULTS, {"half of the labels": [row for n in SENTENCES for row in rows_of(n)]})


if __name__ == "__main__":
    with one_thread():
        main()
