"""Training by every backend on this machine: wall and CPU seconds, equal bits, a worker killed.

The expensive oracle keeps a processor busy for 10 ms a sentence and is called for one at a time;
the chain of sparse features is evaluated in blocks. Where a worker is killed, that is after the
second pass, by SIGKILL, in the middle of the third. CPU seconds are those of this process and all
that descend from it, where none was killed; Ray's are not known. A pass before starts the workers
and is not counted.

    python -m benchmarks.scale.backends    # Ray is left out where it is not installed
"""

from __future__ import annotations

import importlib.util
import os
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from joblib import parallel_config

from benchmarks.report import one_thread, report
from benchmarks.scale._text import sentences
from benchmarks.speed.parallel import ExpensiveChain
from benchmarks.store import Row, save
from structsvm import OneSlackCuttingPlane
from structsvm.problems import Chain

RESULTS = "scale/backends"
WORKERS = 2
PASSES = 4
#: Sentences, and the size of w: for the expensive oracle, and for the chain of sparse features.
FEW, MANY = (120, 20_000), (8000, 100_000)


class TracedChain(ExpensiveChain):
    """Leaves the number of its process in a folder."""

    folder: Path

    def separation_oracle(self, x: Any, y: Any, w: Any) -> Any:
        (self.folder / str(os.getpid())).touch()
        return super().separation_oracle(x, y, w)


class TextChain(Chain):
    """A chain in blocks of at least 100 sentences."""

    def initialize(self, X: Any, Y: Any) -> None:
        super().initialize(X, Y)
        self.block_size = 100


class Killer:
    """A callback that kills one of the processes in the folder after the second pass."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.killed = folder, 0

    def __call__(self, iteration: Any, w: Any) -> None:
        if iteration.iteration == 2:
            threading.Timer(0.1, self._kill).start()

    def _kill(self) -> None:
        os.kill(int(next(self.folder.iterdir()).name), signal.SIGKILL)
        self.killed += 1


@contextmanager
def dask_workers() -> Iterator[Any]:
    from dask.distributed import Client, LocalCluster

    with (
        LocalCluster(WORKERS, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
        parallel_config(backend="dask"),
    ):
        yield


@contextmanager
def ray_workers() -> Iterator[Any]:
    import ray
    from ray.util.joblib import register_ray

    ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False)
    try:
        register_ray()
        with parallel_config(backend="ray", n_jobs=WORKERS):
            yield
    finally:
        ray.shutdown()


def backends() -> Iterator[tuple[str, int, Any]]:
    """Yield name, number of jobs and context."""
    yield "one process", 1, nullcontext
    yield "threads", WORKERS, partial(parallel_config, backend="threading")
    yield "processes", WORKERS, partial(parallel_config, backend="loky")
    yield "Dask", WORKERS, dask_workers
    if importlib.util.find_spec("ray"):
        yield "Ray", WORKERS, ray_workers
    else:
        print("Ray is not installed: it is left out")


def main() -> None:
    rows: list[Row] = []
    some, many = (sentences(*sizes) for sizes in (FEW, MANY))
    alone: dict[str, Any] = {}
    for name, jobs, context in backends():
        with context():
            _start(jobs, some)
            if name != "threads":  # Python code gains nothing in threads
                for kill in (False, True) if jobs > 1 else (False,):
                    rows.append(_expensive(name, jobs, some, kill, alone))
                    save(RESULTS, "runs", rows)
            rows.append(_row("chain of sparse features", name, jobs, TextChain(), many, alone))
            save(RESULTS, "runs", rows)
    report(RESULTS, {"runs": rows})


def _start(jobs: int, data: Any) -> None:
    """One pass, so that the workers have imported all that they need."""
    OneSlackCuttingPlane(max_iter=1).solve(ExpensiveChain(), *data, 1000.0, n_jobs=jobs)


def _expensive(name: str, jobs: int, data: Any, kill: bool, alone: dict[str, Any]) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        problem = TracedChain()
        problem.folder = Path(folder)
        killer = Killer(problem.folder) if kill else None
        row = _row("oracle of 10 ms", name, jobs, problem, data, alone, killer)
    assert killer is None or killer.killed == 1
    return row


def _row(
    work: str, name: str, jobs: int, problem: Any, data: Any, alone: Any, killer: Any = None
) -> Row:
    X, Y = data
    solver = OneSlackCuttingPlane(max_iter=PASSES)
    cpu, wall = _cpu_seconds(), time.perf_counter()
    result = solver.solve(problem, X, Y, 1000.0, n_jobs=jobs, callback=killer)
    wall, cpu = time.perf_counter() - wall, _cpu_seconds() - cpu
    first = alone.setdefault(work, result)
    row = {"oracle": work, "backend": name, "workers": jobs, "killed": int(killer is not None)}
    row |= {"examples": len(X), "size of w": len(result.w), "wall s": wall}
    if killer is None and name != "Ray":  # the seconds of its processes that ended are not known
        row["CPU s"] = cpu
    same = np.array_equal(first.w, result.w) and first.gap == result.gap
    row["same bits"] = bool(same)
    print(row, flush=True)
    return row


def _cpu_seconds() -> float:
    """Of this process and its descendants."""
    total = 0.0
    for process in [psutil.Process(), *psutil.Process().children(recursive=True)]:
        with suppress(psutil.NoSuchProcess):  # it may end while it is looked at
            # With those of the children that have ended.
            total += sum(process.cpu_times()[:4])
    return total


if __name__ == "__main__":
    with one_thread():
        main()
