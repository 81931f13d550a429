"""Memory that each of four workers takes for 400 MB of examples: Dask workers, and processes.

The examples are rows of one array, or a list of small arrays. What a worker holds alone counts,
after some passes, without what it holds when the examples are few; memory that processes share is
given separately. Numbers are in MB.

    python -m benchmarks speed/worker_memory
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from joblib import parallel_config

from benchmarks.experiment import Experiment
from benchmarks.store import Row
from structsvm import Problem
from structsvm.data.arrays import Vector
from structsvm.oracle.cuts import one_slack_cut
from structsvm.oracle.examples import Examples
from structsvm.oracle.workers import Workers

#: Examples of 80 kB, of which there are 400 MB, or so few that they need no memory.
ENTRIES, MANY, FEW = 10_000, 5000, 100
WORKERS, PASSES = 4, 10


class Sides(Problem):
    """Whether the first entries of an array are positive, by an oracle of microseconds."""

    size_joint_feature = 10

    def initialize(self, X: Any, Y: Any) -> None:
        pass

    def joint_feature(self, x: Any, y: int) -> Vector:
        return y * np.ravel(x)[:10]

    def loss(self, y: int, y_hat: int) -> float:
        return float(y != y_hat)

    def separation_oracle(self, x: Any, y: int, w: Vector) -> int:
        return -y

    def decode(self, x: Any, w: Vector) -> int:
        return 1 if np.ravel(x)[:10] @ w > 0 else -1


def rows(n: int) -> Any:
    rng = np.random.default_rng(0)
    return rng.standard_normal((n, ENTRIES))


def arrays(n: int) -> Any:
    rng = np.random.default_rng(0)
    return [rng.standard_normal((10, ENTRIES // 10)) for _ in range(n)]


@contextmanager
def dask() -> Iterator[None]:
    from dask.distributed import Client, LocalCluster

    options: dict[str, Any] = {"threads_per_worker": 1, "dashboard_address": None}
    with (
        LocalCluster(n_workers=WORKERS, memory_limit=0, **options) as cluster,
        Client(cluster),
        parallel_config(backend="dask"),
    ):
        yield


@contextmanager
def processes() -> Iterator[None]:
    with parallel_config(backend="loky", n_jobs=WORKERS):
        yield


def held(X: Any, where: Any) -> Vector:
    """MB that each worker holds alone, sorted, and MB that are shared, after some passes."""
    import psutil

    with where(), Workers(None) as workers:
        examples = Examples(Sides(), X, [1, -1] * (len(X) // 2), workers=workers)
        for _ in range(PASSES):
            one_slack_cut(examples, None, np.zeros(examples.size))
        time.sleep(2)  # until the buffers of messages are freed
        children = psutil.Process().children(recursive=True)
        alone = sorted(child.memory_full_info().uss / 1e6 for child in children)
        return np.array([*alone[-WORKERS:], psutil.virtual_memory().shared / 1e6])


def memory(made: Any, where: Any) -> Row:
    before = held(made(FEW), where)  # first: processes keep the blocks of earlier runs
    *workers, shared = held(made(MANY), where) - before
    return {"least": min(workers), "most": max(workers), "shared by all": shared}


EXPERIMENTS = (
    Experiment(
        f"MB of each of {WORKERS} workers for 400 MB of examples",
        ("examples", "workers"),
        {"rows of an array": lambda: rows, "a list of arrays": lambda: arrays},
        {"Dask": partial(memory, where=dask), "processes": partial(memory, where=processes)},
        apart=True,
    ),
)
