"""A million rows: time, passes and memory of one slack and of L-BFGS, on generated data.

Ten overlapping clouds in 100 dimensions, rows of float32. ``solver="auto"`` takes SmoothedLBFGS.
Each solver has its own process, and trains with one job, then with two.

    python -m benchmarks speed/large
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

from benchmarks.experiment import Experiment
from benchmarks.speed._memory import resident
from benchmarks.store import Row
from structsvm import OneSlackCuttingPlane, SmoothedLBFGS
from structsvm.problems import Multiclass

N, D, K, C, RTOL = 1_000_000, 100, 10, 1000.0, 1e-2


def clouds() -> tuple[Any, Any]:
    """Rows around ten centres, and the index of each row's centre."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(K, D)).astype(np.float32)
    y = rng.integers(K, size=N, dtype=np.uint8)
    X = rng.standard_normal((N, D), dtype=np.float32)
    X *= 2.5
    for start in range(0, N, 100_000):
        X[start : start + 100_000] += centres[y[start : start + 100_000]]
    return X, y


def trained(data: tuple[Any, Any], solver: Any) -> list[Row]:
    """A row for each number of jobs."""
    rows: list[Row] = []
    for n_jobs in (1, 2):
        wall, cpu = time.perf_counter(), time.process_time()
        result = solver.solve(Multiclass(), *data, C, n_jobs=n_jobs)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        row: Row = {"n_jobs": n_jobs, "CPU s": cpu, "wall s": wall}
        row |= {"passes": result.oracle_calls / N, "gap / primal": result.gap / result.primal}
        rows.append(row | {"status": result.status.name, "MB, at the end": resident()})
    return rows


EXPERIMENTS = (
    Experiment(
        f"{N} rows of {D} float32, {K} classes, C = {C:g}, to {RTOL:g}",
        ("solver", "n_jobs"),
        {(): clouds},
        {
            kind.__name__: partial(trained, solver=kind(rtol=RTOL))
            for kind in (OneSlackCuttingPlane, SmoothedLBFGS)
        },
        apart=True,
    ),
)
