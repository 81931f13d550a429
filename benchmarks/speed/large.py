"""A million rows: time, passes and memory of one slack and of 'auto', on generated data.

Ten overlapping clouds in 100 dimensions, n rows of float32. A callback records the memory and the
number of planes after every pass: memory grows with the planes, not with the passes.

    python -m benchmarks.speed.large    # a million rows; change with --rows and --jobs
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from benchmarks.report import one_thread, report
from benchmarks.speed._memory import resident
from structsvm import OneSlackCuttingPlane, choose_solver
from structsvm.problems import Multiclass

D, K, RTOL = 100, 10, 1e-2


def main(n: int, jobs: list[int], C: float) -> None:
    X, y = clouds(n)
    solvers = {
        "OneSlackCuttingPlane": OneSlackCuttingPlane(rtol=RTOL),
        "auto": choose_solver(Multiclass(), X, y).solver.set_params(rtol=RTOL),
    }
    rows = [
        {"solver": name} | _trained(solver, X, y, C, n_jobs)
        for name, solver in solvers.items()
        for n_jobs in jobs
    ]
    report("speed/large", {f"{n} rows of {D} float32, {K} classes, C = {C:g}, to {RTOL:g}": rows})


def clouds(n: int) -> tuple[Any, Any]:
    """Rows around ten centres, and the index of each row's centre."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(K, D)).astype(np.float32)
    y = rng.integers(K, size=n, dtype=np.uint8)
    X = rng.standard_normal((n, D), dtype=np.float32)
    X *= 2.5
    for start in range(0, n, 100_000):
        X[start : start + 100_000] += centres[y[start : start + 100_000]]
    return X, y


def _trained(solver: Any, X: Any, y: Any, C: float, n_jobs: int) -> dict[str, Any]:
    data, memory = resident(), []
    wall, cpu = time.perf_counter(), time.process_time()

    def watch(iteration: Any, w: Any) -> None:
        memory.append((resident(), iteration.n_planes))

    result = solver.solve(Multiclass(), X, y, C, n_jobs=n_jobs, callback=watch)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    half = memory[len(memory) // 2]
    return {
        "n_jobs": n_jobs,
        "CPU s": cpu,
        "wall s": wall,
        "passes": result.oracle_calls / len(y),
        "gap / primal": result.gap / result.primal,
        "status": result.status.name,
        "data MB": data,
        "MB, half way": half[0],
        "planes, half way": half[1],
        "MB, at the end": memory[-1][0],
        "planes, at the end": memory[-1][1],
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--jobs", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--C", type=float, default=1000.0)
    arguments = parser.parse_args()
    with one_thread():
        main(arguments.rows, arguments.jobs, arguments.C)
