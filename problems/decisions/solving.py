"""Calls of optimizers for many examples, with errors that name the example."""

from __future__ import annotations

from typing import Any

import joblib
import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.examples import Spans
from structsvm.exceptions import ProblemError
from structsvm.oracle.processes import again_where_workers_die, process_pool
from structsvm.problems.decisions.optimizers import Optimizer
from structsvm.problems.decisions.optimizers.costs import checked_decisions

#: Parts of the data that are solved at the same time, for each job.
PARTS = 4
#: What an optimizer is called with, for messages: the numbers of examples are put in.
TRUE = "the true costs of example {}"
TRAINING = "example {}, called with 2 predicted - true costs, which may be negative"
PREDICTED = "the predicted costs of example {}"


def solve_in_parts(
    optimizers: Any,
    costs: Vector,
    spans: Spans,
    numbers: Indices,
    n_jobs: int | None,
    called_with: str,
) -> Vector:
    """Find what ``solve`` does, by ``n_jobs`` processes at the same time.

    Training uses the same processes, which joblib keeps for later calls.
    """
    jobs = min(joblib.effective_n_jobs(n_jobs), len(spans))
    if jobs == 1:
        return solve(optimizers, costs, spans, numbers, called_with)
    several = isinstance(optimizers, list)
    parts = np.array_split(np.arange(len(spans)), min(len(spans), PARTS * jobs))
    tasks = [
        joblib.delayed(solve)(
            [optimizers[i] for i in part] if several else optimizers,
            costs[spans.rows_of(part)],
            Spans(spans.sizes[part]),
            numbers[part],
            called_with,
        )
        for part in parts
    ]
    with process_pool(jobs, "processes") as pool:
        return np.concatenate(again_where_workers_die(lambda: pool(tasks)))


def solve(
    optimizers: Any, costs: Vector, spans: Spans, numbers: Indices, called_with: str
) -> Vector:
    """The best decision for the costs of each example, one after the other.

    ``optimizers`` is a list with one for each example, or the one that all have in common. A
    ProblemError says for which example it failed, and what costs it was ``called_with``.
    """
    if isinstance(optimizers, Optimizer) and (spans.sizes == spans.sizes[0]).all():
        rows = costs.reshape(len(spans), -1)
        try:
            found = checked_decisions("batch", optimizers.batch(rows), rows.shape)
            return found.flatten()  # a copy: the optimizer may use its array again
        except Exception as error:
            _one_by_one(optimizers, costs, spans, numbers, called_with)  # to name the example
            raise ProblemError(
                f"optimize failed for {len(spans)} examples at once, and not for any of them "
                f"alone: {_described(error)}"
            ) from error
    return _one_by_one(optimizers, costs, spans, numbers, called_with)


def _one_by_one(
    optimizers: Any, costs: Vector, spans: Spans, numbers: Indices, called_with: str
) -> Vector:
    common = isinstance(optimizers, Optimizer)
    decisions = np.empty(len(costs))
    for i in range(len(spans)):
        own, optimize = costs[spans.rows(i)], optimizers if common else optimizers[i]
        try:
            decisions[spans.rows(i)] = checked_decisions("optimize", optimize(own), own.shape)
        except Exception as error:
            raise ProblemError(
                f"optimize failed for {called_with.format(numbers[i])}: {_described(error)}"
            ) from error
    return decisions


def _described(error: Exception) -> str:
    """The text of an error, after its type unless it is a ValueError with a text, as ours are."""
    text = str(error)
    if text and isinstance(error, ValueError):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
