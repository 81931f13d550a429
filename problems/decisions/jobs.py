"""Optimizers called in several processes."""

from __future__ import annotations

from typing import Any

import joblib
import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.ragged import Spans
from structsvm.problems.decisions.solving import PARTS, solve


def solve_in_parts(
    optimizers: Any, costs: Vector, spans: Spans, numbers: Indices, n_jobs: int | None
) -> Vector:
    """Find what ``solve`` does, by ``n_jobs`` processes at the same time.

    The processes are those of joblib, which keeps them for later calls.
    """
    jobs = min(joblib.effective_n_jobs(n_jobs), len(spans))
    if jobs == 1:
        return solve(optimizers, costs, spans, numbers)
    several = isinstance(optimizers, list)
    parts = np.array_split(np.arange(len(spans)), min(len(spans), PARTS * jobs))
    tasks = (
        joblib.delayed(solve)(
            [optimizers[i] for i in part] if several else optimizers,
            costs[spans.rows_of(part)],
            Spans(spans.sizes[part]),
            numbers[part],
        )
        for part in parts
    )
    return np.concatenate(joblib.Parallel(n_jobs=jobs)(tasks))
