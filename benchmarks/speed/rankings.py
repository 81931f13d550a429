"""Separation oracles of RankingProblem by the number of documents, beside plain loops.

    python -m benchmarks.speed.rankings

CPU milliseconds for a query after its scores, one thread, medians. 'Yue et al.' is their search for
average precision as they write it, in Python: quadratic in the number of documents. 'one by one'
is a loop over the queries of the set, 'batch' the task of all of them.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.report import one_thread, report
from benchmarks.store import Row
from structsvm.problems import Misranking, RankingProblem

MEASURES = [
    ("average precision", "average_precision", None),
    ("NDCG", "ndcg", None),
    ("NDCG@10", "ndcg", 10),
    ("precision at 10", "precision_at_k", 10),
    ("pairs", "roc_area", None),
]


def milliseconds(run: Callable[[], Any], least: float = 0.3) -> float:
    """Median CPU time of calls during about this many seconds."""
    times: list[float] = []
    while sum(times) < least or len(times) < 3:
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return 1000 * statistics.median(times)


def documents(m: int, fraction: float) -> tuple[Any, Any]:
    """Scores of m documents, and their relevance."""
    rng = np.random.default_rng(0)
    relevance = (rng.random(m) < fraction).astype(int)
    return rng.normal(size=(m, 1)) + 0.5 * relevance[:, None], relevance


def oracle(measure: str, k: int | None, X: list[Any], one_by_one: bool = False) -> Any:
    """A function that searches all queries, which are divided by relevance in advance."""
    problem, w = RankingProblem(measure, k), np.ones(1)
    Y = [Misranking.none(len(relevance)) for _, relevance in X]
    problem.initialize(X, Y)
    if not one_by_one:
        task = problem.task(X, Y)
        return lambda: task.search(w)
    return lambda: [problem.separation_oracle(x, y, w) for x, y in zip(X, Y, strict=True)]


def greedy(scores: Any, relevance: Any) -> list[int]:
    """For every other document, from the top, the number of relevant ones above it."""
    high = sorted(scores[relevance == 1], reverse=True)
    low = sorted(scores[relevance == 0], reverse=True)
    n, pairs, places = len(high), len(high) * len(low), []
    for j, score in enumerate(low, start=1):
        best, place, value = 0.0, n, 0.0
        for i in range(n, 0, -1):
            value += (i / (i + j - 1) - i / (i + j)) / n + (score - high[i - 1]) / pairs
            if value > best:
                best, place = value, i - 1
        places.append(place)
    return places


def by_size(m: int, fraction: float) -> Row:
    X, y = documents(m, fraction)
    row: Row = {"documents": m, "relevant": f"{100 * fraction:.0f} %"}
    for name, measure, k in MEASURES:
        cut = k is None or k < m  # else all rankings have the same precision at k
        row[name] = milliseconds(oracle(measure, k, [(X, y)])) if cut else "-"
    if m <= 1000:
        row["Yue et al."] = milliseconds(lambda: greedy(X[:, 0], y))
    return row


def by_queries(n: int, m: int) -> list[Row]:
    """n queries of m documents, one by one and as a batch."""
    rng, rows = np.random.default_rng(0), []
    X = [(rng.normal(size=(m, 1)), (rng.random(m) < 0.25).astype(int)) for _ in range(n)]
    for name, measure, k in MEASURES:
        row: Row = {"queries": n, "documents": m, "measure": name}
        row["one by one"] = milliseconds(oracle(measure, k, X, one_by_one=True))
        row["batch"] = milliseconds(oracle(measure, k, X))
        row["ratio"] = row["one by one"] / row["batch"]
        rows.append(row)
    return rows


def main() -> None:
    with one_thread():
        tables = {
            "one query, ms": [
                by_size(m, fraction) for m in (10, 100, 1000, 10_000) for fraction in (0.1, 0.5)
            ],
            "many queries, ms": by_queries(500, 20),
        }
    report("speed/rankings", tables)


if __name__ == "__main__":
    main()
