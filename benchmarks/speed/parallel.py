"""The speed-up by n_jobs where the oracle dominates: threads, processes, a Dask cluster.

The expensive oracle is the search of a chain, called for one sequence at a time, and keeps a
processor busy for 10 ms per call. The soft oracle is the soft oracle of a chain, on all handwritten
words, in threads. Fits with the expensive oracle make four passes, the other one runs to 1e-3. Each
is run twice; the first run also starts the workers and sends the data. The overhead is the
additional time of a pass over 32 sequences with a cheap oracle. Speed-ups are of wall time, so the
machine should be otherwise idle.

    python -m benchmarks speed/parallel    # the words are read from the folder in STRUCTSVM_DATA
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from joblib import parallel_config

from benchmarks.experiment import Data, Experiment
from benchmarks.sequences.letters import letter_words
from benchmarks.store import Row
from structsvm import OneSlackCuttingPlane, SmoothedCuttingPlane, SmoothedLBFGS
from structsvm.problems import Chain
from structsvm.problems.sequences.chain.problem import ChainTask
from structsvm.task.task import Task

#: CPU time of the expensive oracle.
SECONDS_PER_CALL = 0.01
#: Sequences and passes of a fit with the expensive oracle, and with the cheap one.
SEQUENCES, PASSES = 800, 4
FEW, CHEAP_PASSES = 32, 100
#: Dask workers, of one thread each.
WORKERS = 4


class SingleTask(ChainTask):
    """Sequences of a chain that are searched one at a time."""

    search = Task.search


class SingleChain(Chain):
    """A chain whose oracle is called for one sequence at a time, in processes."""

    parallelism, oracle_cost, block_size = "processes", "expensive", 1
    kind_of_task = SingleTask

    def separation_oracle(self, x: Any, y: Any, w: Any) -> Any:
        return ChainTask(self, [x], [y]).search(w)[0]


class ExpensiveChain(SingleChain):
    """A chain whose oracle takes 10 ms."""

    def separation_oracle(self, x: Any, y: Any, w: Any) -> Any:
        started = time.thread_time()
        found = super().separation_oracle(x, y, w)
        while time.thread_time() < started + SECONDS_PER_CALL:
            pass
        return found


class Fit(NamedTuple):
    """A training, and whether it is tried on a cluster."""

    train: Callable[..., Any]
    on_a_cluster: bool = True


def of_sequences(n: int, problem: Any, solver: Any) -> Fit:
    """Random label sequences that rise, and noisy one-hot rows for the labels."""
    rng = np.random.default_rng(0)
    Y = [np.cumsum(rng.integers(2, size=length)) % 5 for length in rng.integers(3, 11, size=n)]
    X = [np.eye(5, 20)[y] + 0.8 * rng.normal(size=(len(y), 20)) for y in Y]
    return Fit(partial(solver.solve, problem, X, Y, 0.1 * n))


def of_words() -> Fit:
    folds = [letter_words(fold) for fold in range(10)]
    X = [x.astype(np.float32) for words, _ in folds for x in words]
    Y = [y for _, labels in folds for y in labels]
    return Fit(partial(SmoothedLBFGS().solve, Chain(), X, Y, 0.1 * len(X)), on_a_cluster=False)


FITS: Data = {
    f"expensive oracle, {kind.__name__}": partial(
        of_sequences, SEQUENCES, ExpensiveChain(), kind(max_iter=PASSES)
    )
    for kind in (OneSlackCuttingPlane, SmoothedCuttingPlane)
} | {"soft oracle, 6877 words, SmoothedLBFGS": of_words}


class Twice(NamedTuple):
    """The wall seconds of two runs, and the result of the second."""

    first: float
    second: float
    result: Any


def twice(fit: Fit, **options: Any) -> Twice:
    seconds = []
    for _ in range(2):
        started = time.perf_counter()
        result = fit.train(**options)
        seconds.append(time.perf_counter() - started)
    return Twice(*seconds, result)


def on_a_cluster(fit: Fit) -> Twice | None:
    from dask.distributed import Client, LocalCluster

    if not fit.on_a_cluster:
        return None
    with (
        LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
        parallel_config(backend="dask"),
    ):
        return twice(fit)


PLACES = {
    "1 job": partial(twice, n_jobs=1),
    "n_jobs=2": partial(twice, n_jobs=2),
    f"{WORKERS} Dask workers": on_a_cluster,
}


def speed_ups(fits: Any, fit: Fit) -> list[Row]:
    found = {where: one.found for where, one in fits.items() if one.found is not None}
    alone = found["1 job"]
    return [
        {
            "where": where,
            "first s": one.first,
            "second s": one.second,
            "speed-up": alone.second / one.second,
            "same bits": bool(np.array_equal(one.result.w, alone.result.w)),
        }
        for where, one in found.items()
    ]


def overhead(fits: Any, fit: Fit) -> list[Row]:
    """Wall milliseconds that a pass takes longer than in one job."""
    found = {where: one.found for where, one in fits.items()}
    alone = found.pop("1 job")
    passes = len(alone.result.history)
    return [
        {"where": where, "ms": 1e3 * (one.second - alone.second) / passes}
        for where, one in found.items()
    ]


CHEAP = partial(of_sequences, FEW, SingleChain(), OneSlackCuttingPlane(0, max_iter=CHEAP_PASSES))
EXPERIMENTS = (
    Experiment(
        "Wall seconds of a fit, and the speed-up",
        ("work", "where"),
        FITS,
        PLACES,
        speed_ups,
        wide=True,
    ),
    Experiment("Overhead of a pass, ms", ("where",), {(): CHEAP}, PLACES, overhead, wide=True),
)
