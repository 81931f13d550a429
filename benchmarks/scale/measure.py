"""The inputs of the plan for many machines, measured on this one in CPU seconds of one thread.

The oracles, the soft oracle and the sums of joint features are those of one task of generated
text; clustering is a product of rows with ten vectors. The master's work is what training takes
beside the problem's methods. SmoothedLBFGS runs without the first steps on mini-batches that 'auto'
plans before it, since these are not divided among machines. The bytes of a pass are those in the
pipes of two processes, or on the local network between two Dask workers, in twelve passes less
those in four.

    python -m benchmarks.scale.measure
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import dask.array as da
import numpy as np

from benchmarks.report import cpu_seconds, one_thread, report
from benchmarks.scale._bytes import by_dask, by_processes
from benchmarks.scale._text import chains, topics
from benchmarks.store import Row
from structsvm import OneSlackCuttingPlane, SmoothedLBFGS
from structsvm.problems import CPM3C
from structsvm.problems.margin_clustering.rows import DaskRows
from structsvm.task.task import Task

SIZES = (100_000, 1_000_000)
#: Problems with their number of examples in the block that is measured.
PROBLEMS = {"chain": (chains, 500), "multiclass": (topics, 5000)}
CLUSTERS = 10
PASSES_OF = (1_000, 10_000, 100_000)
MOST_PASSES = 300
BLOCKS = 32


def main() -> None:
    tables = {
        "oracles": [_oracle(name, size) for size in SIZES for name in PROBLEMS]
        + [_rows_times_vectors(size) for size in SIZES],
        "block times": [_spread()],
        "master": [_master(solver, size) for size in SIZES for solver in _solvers(30)],
        "passes": list(_passes()),
        "reads of the rows": [_reads(n) for n in PASSES_OF],
        "bytes of a pass": [by_processes(size) for size in (50_000, 100_000)]
        + [by_dask(size) for size in (50_000, 100_000)],
    }
    report("scale/measure", tables)


def _solvers(passes: int, rtol: float = 0.0) -> Iterator[Any]:
    yield OneSlackCuttingPlane(rtol=rtol, max_iter=passes)
    yield SmoothedLBFGS(rtol=rtol, max_iter=passes)


# ---------------------------------------------------------------------- oracles


def _task(name: str, size: int, n: int) -> Task:
    problem, X, Y = PROBLEMS[name][0](n, size)
    problem.initialize(X, Y)
    return problem.task(X, Y)


def _oracle(name: str, size: int) -> Row:
    """Seconds an example, and its bytes: as input, as output, in the answer of the soft oracle."""
    n = PROBLEMS[name][1]
    task, weights = _task(name, size, n), np.full(n, 1 / n)
    w = 0.1 * np.random.default_rng(1).normal(size=task.size)
    oracle, outputs = cpu_seconds(lambda: task.search(w))
    sums, _ = cpu_seconds(lambda: task.plane(outputs, weights))
    soft, found = cpu_seconds(lambda: task.soft(w, 0.1, weights))
    values = 8 * (1 if found.slacks is None else 2)
    return {
        "oracle": name,
        "size of w": task.size,
        "oracle, us": 1e6 * oracle / n,
        "sums, us": 1e6 * sums / n,
        "soft oracle, us": 1e6 * soft / n,
        "bytes of the input": len(pickle.dumps((task.X, task.Y))) / n,
        "bytes of the output": len(pickle.dumps(outputs)) / n,
        "bytes of soft values": values,
    }


def _rows_times_vectors(size: int) -> Row:
    d, n = size // CLUSTERS, 500
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d), dtype=np.float32)
    W = rng.standard_normal((d, CLUSTERS), dtype=np.float32)
    weights = rng.standard_normal((CLUSTERS, n), dtype=np.float32)
    scores, _ = cpu_seconds(lambda: X @ W)
    sums, _ = cpu_seconds(lambda: weights @ X)
    return {
        "oracle": "clustering",
        "size of w": size,
        "oracle, us": 1e6 * scores / n,
        "sums, us": 1e6 * sums / n,
        "bytes of the input": 4 * d,
        "bytes of the output": 4 * CLUSTERS,
    }


def _spread() -> Row:
    """The spread of the logarithm of the CPU seconds of blocks of as many sentences."""
    whole = _task("chain", SIZES[0], 3200)
    blocks = [whole.part(places) for places in _ranges(3200)]
    w = 0.1 * np.random.default_rng(1).normal(size=blocks[0].size)
    seconds = [cpu_seconds(lambda b=block: b.search(w), 1)[0] for block in blocks[1:]]
    return {"blocks": len(seconds), "sigma": float(np.std(np.log(seconds)))}


def _ranges(n: int) -> list[Any]:
    return np.split(np.arange(n), BLOCKS)


def _master(solver: Any, size: int) -> Row:
    problem, X, Y = topics(1000, size)
    cpu, wall = time.process_time(), time.perf_counter()
    result = solver.solve(problem, X, Y, 1000.0)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    own = result.seconds["total"] - result.seconds["oracle"] - result.seconds["joint_feature"]
    return {
        "solver": type(solver).__name__,
        "size of w": len(result.w),
        "passes": len(result.history),
        "planes": result.history[-1].n_planes,
        "ms a pass": 1e3 * own * cpu / wall / len(result.history),
    }


# ---------------------------------------------------------------------- passes


def _passes() -> Iterator[Row]:
    """Passes to 1e-3 for C that stays, and for C that grows with the examples."""
    for n in PASSES_OF:
        problem, X, Y = topics(n, SIZES[0])
        for C in sorted({PASSES_OF[-1] / 100, n / 100}):
            for solver in _solvers(MOST_PASSES, 1e-3):
                cpu = time.process_time()
                result = solver.solve(problem, X, Y, C)
                row = {"solver": type(solver).__name__, "examples": n, "C": C}
                row |= {"passes": result.oracle_calls / n, "status": result.status.name}
                row["CPU s"] = time.process_time() - cpu
                print(row, flush=True)
                yield row


def _reads(n: int) -> Row:
    """How often clustering reads all rows of a dask array, and the numbers that come back."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(CLUSTERS, 64))
    X = (centres[np.arange(n) % CLUSTERS] + 2 * rng.normal(size=(n, 64))).astype(np.float32)
    counted: dict[str, int] = {"scores": 0, "sums": 0}

    def counting(kind: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def counted_method(*args: Any) -> Any:
            counted[kind] += 1
            return method(*args)

        return counted_method

    with (
        mock.patch.object(DaskRows, "map_blocks", counting("scores", DaskRows.map_blocks)),
        mock.patch.object(DaskRows, "combined", counting("sums", DaskRows.combined)),
    ):
        rows = da.from_array(X, chunks=(-(-n // 4), 64))
        CPM3C(CLUSTERS, kernel="linear", random_state=0, rtol=1e-3).fit(rows)
    return {"rows": n, "products with all rows": counted["scores"], "sums of rows": counted["sums"]}


if __name__ == "__main__":
    with one_thread():
        main()
