"""Calls of optimizers for many examples, with errors that name the example."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import joblib
import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.ragged import Spans
from structsvm.problems.decisions.optimizers import Optimizer
from structsvm.problems.decisions.optimizers.costs import checked_decisions

#: Parts of the data that are solved at the same time, for each job.
PARTS = 4


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


def solve(optimizers: Any, costs: Vector, spans: Spans, numbers: Indices) -> Vector:
    """The best decision for the costs of each example, one after the other.

    ``optimizers`` is a list with one for each example, or the one that all have in common.
    """
    if isinstance(optimizers, Optimizer) and (spans.sizes == spans.sizes[0]).all():
        rows = costs.reshape(len(spans), -1)
        try:
            return checked_decisions("batch", optimizers.batch(rows), rows.shape).reshape(-1)
        except Exception:
            _one_by_one(lambda i: optimizers, costs, spans, numbers)  # to name the example
            raise
    common = isinstance(optimizers, Optimizer)
    return _one_by_one(lambda i: optimizers if common else optimizers[i], costs, spans, numbers)


def _one_by_one(
    of: Callable[[int], Optimizer], costs: Vector, spans: Spans, numbers: Indices
) -> Vector:
    decisions = np.empty(len(costs))
    for i in range(len(spans)):
        own = costs[spans.rows(i)]
        try:
            decisions[spans.rows(i)] = checked_decisions("optimize", of(i)(own), own.shape)
        except Exception as error:
            kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
            raise ValueError(f"optimize failed for example {numbers[i]}: {kind}{error}") from error
    return decisions
