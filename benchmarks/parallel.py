"""What n_jobs gives on work that the oracle dominates: threads, processes, a Dask cluster.

The dear oracle is that of a chain, asked one sequence at a time, and busy for 10 ms of a
processor's time at each call. The soft oracle is that of a chain, on all the handwritten words, in
threads. The trainings with the dear oracle make four passes, the other goes to 1e-3. Each is run
twice; the first time also starts the workers and sends the data. What it costs to ask is the time
by which a pass over 32 sequences takes longer with an oracle of next to no time. Speed-ups are of
wall time, so this script wants a machine to itself.

    python benchmarks/parallel.py       # the words are read from the folder in STRUCTSVM_DATA
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from _race import letter_words
from _report import one_thread, report
from joblib import parallel_config

from structsvm import OneSlackCuttingPlane, SmoothedCuttingPlane, SmoothedLBFGS
from structsvm.problems import Chain

SECONDS_PER_CALL = 0.01
SEQUENCES, PASSES = 800, 4
FEW, ASKED = 32, 100
WORKERS = 4


class SingleChain(Chain):
    """A chain whose oracle is asked one sequence at a time, in processes."""

    parallelism = "processes"
    batch_separation_oracle = None

    def separation_oracle(self, x: Any, y: Any, w: Any) -> Any:
        return Chain.batch_separation_oracle(self, [x], [y], w)[0]


class DearChain(SingleChain):
    """One that takes 10 ms."""

    def separation_oracle(self, x: Any, y: Any, w: Any) -> Any:
        started = time.thread_time()
        found = super().separation_oracle(x, y, w)
        while time.thread_time() < started + SECONDS_PER_CALL:
            pass
        return found


def main() -> None:
    rows = []
    for name, train in trainings():
        alone, before = _timed(name, "1 job", partial(train, n_jobs=1), rows)
        _timed(name, "n_jobs=2", partial(train, n_jobs=2), rows, alone, before)
        if "dear" in name:
            rows += _on_a_cluster(name, train, alone, before)
    tables = {"Wall seconds of a training, and the speed-up": rows, "Milliseconds to ask": asking()}
    report("parallel", tables)


def asking() -> list[dict]:
    """What it costs to ask processes once, over the time of a pass."""
    X, Y = sequences(FEW)
    train = partial(OneSlackCuttingPlane(0, max_iter=ASKED).solve, SingleChain(), X, Y, 10.0)
    rows: list[dict] = []
    alone, before = _timed("quick oracle", "1 job", partial(train, n_jobs=1), rows)
    _timed("quick oracle", "n_jobs=2", partial(train, n_jobs=2), rows, alone, before)
    rows += _on_a_cluster("quick oracle", train, alone, before)
    passes = len(alone.history)
    return [
        {"where": row["where"], "ms": 1e3 * (row["second s"] - before) / passes} for row in rows[1:]
    ]


def sequences(n: int) -> tuple[list[Any], list[Any]]:
    """Labels that rise now and then, and rows near a corner for each."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(3, 11, size=n)
    Y = [np.cumsum(rng.integers(2, size=length)) % 5 for length in lengths]
    return [np.eye(5, 20)[y] + 0.8 * rng.normal(size=(len(y), 20)) for y in Y], Y


def trainings() -> Iterator[tuple[str, Callable[..., Any]]]:
    X, Y = sequences(SEQUENCES)
    for solver in (OneSlackCuttingPlane, SmoothedCuttingPlane):
        train = partial(solver(max_iter=PASSES).solve, DearChain(), X, Y, 0.1 * len(X))
        yield f"dear oracle, {solver.__name__}", train
    try:
        folds = [letter_words(fold) for fold in range(10)]
    except FileNotFoundError as error:
        print(f"OCR words skipped: {error}")
        return
    X = [x.astype(np.float32) for words, _ in folds for x in words]
    Y = [y for _, labels in folds for y in labels]
    train = partial(SmoothedLBFGS().solve, Chain(), X, Y, 0.1 * len(X))
    yield f"soft oracle, {len(X)} words, SmoothedLBFGS", train


def _on_a_cluster(name: str, train: Callable[..., Any], alone: Any, before: float) -> list[dict]:
    try:
        from dask.distributed import Client, LocalCluster
    except ImportError as error:
        print(f"Dask skipped: {error}")
        return []
    rows: list[dict] = []
    with (
        LocalCluster(WORKERS, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
        parallel_config(backend="dask"),
    ):
        _timed(name, f"{WORKERS} Dask workers", train, rows, alone, before)
    return rows


def _timed(
    name: str,
    where: str,
    train: Callable[..., Any],
    rows: list[dict],
    alone: Any = None,
    before: float | None = None,
) -> tuple[Any, float]:
    """Train twice and note it; the result, and the wall seconds of the second training."""
    seconds = []
    for _ in range(2):
        started = time.perf_counter()
        result = train()
        seconds.append(time.perf_counter() - started)
    rows.append(
        {
            "work": name,
            "where": where,
            "first s": seconds[0],
            "second s": seconds[1],
            "speed-up": (before or seconds[1]) / seconds[1],
            "same bits": alone is None or bool(np.array_equal(result.w, alone.w)),
        }
    )
    print(rows[-1], flush=True)
    return result, seconds[1]


if __name__ == "__main__":
    with one_thread():
        main()
