"""Find the best decisions of many examples; errors name the example."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import joblib
import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.examples import Spans
from structsvm.exceptions import ProblemError
from structsvm.oracle.processes import again_where_workers_die, process_pool
from structsvm.problems.decisions.data import flat_decisions
from structsvm.problems.decisions.optimizers import Optimizer
from structsvm.problems.decisions.optimizers.costs import checked_decisions

#: Number of parts of the data for each job.
PARTS = 4
#: Costs with which an optimizer is called, in the words of error messages.
TRUE = "the true costs of example {}"
TRAINING = "example {}, called with 2 predicted - true costs, which may be negative"
PREDICTED = "the predicted costs of example {}"
#: Decisions of a pool that agree in these decimals are equal: linear programs have rounding errors.
DIGITS = 9
#: Largest number of decisions of a pool, for memory.
MOST = 20_000
#: Number of values that are computed at a time.
TABLE = 4_000_000


def solve_in_parts(
    optimizers: Any,
    costs: Vector,
    layout: Spans,
    numbers: Indices,
    n_jobs: int | None,
    called_with: str,
) -> Vector:
    """Find the best decisions as :func:`solve` does, with ``n_jobs`` processes.

    joblib keeps the processes, which later calls and training use again.
    """
    jobs = min(joblib.effective_n_jobs(n_jobs), len(layout))
    if jobs == 1:
        return solve(optimizers, costs, layout, numbers, called_with)
    parts = np.array_split(np.arange(len(layout)), min(len(layout), PARTS * jobs))
    tasks = []
    for part in parts:
        spans, rows = layout.taken(part)
        own = some_of(optimizers, part), costs[rows], spans, numbers[part]
        tasks.append(joblib.delayed(solve)(*own, called_with))
    with process_pool(jobs, "processes") as pool:
        return np.concatenate(again_where_workers_die(lambda: pool(tasks)))


def solve(
    optimizers: Any, costs: Vector, layout: Spans, numbers: Indices, called_with: str
) -> Vector:
    """Return the concatenated best decisions for the costs of all examples.

    ``optimizers`` is one optimizer for all examples, or a list with an optimizer for each example.
    A ProblemError names the example that failed; ``called_with`` describes its costs in the
    message.
    """
    failed = None
    if isinstance(optimizers, Optimizer) and (layout.sizes == layout.sizes[0]).all():
        rows = costs.reshape(len(layout), -1)
        try:
            found = checked_decisions("batch", optimizers.batch(rows), rows.shape)
            return found.flatten()  # a copy: the optimizer may use its array again
        except Exception as error:
            failed = error  # the calls for single examples name one
    decisions = np.empty(len(costs))
    for i in range(len(layout)):
        own, optimize = layout.rows(i), optimizer_of(optimizers, i)
        try:
            decisions[own] = checked_decisions("optimize", optimize(costs[own]), costs[own].shape)
        except Exception as error:
            raise ProblemError(
                f"optimize failed for {called_with.format(numbers[i])}: {_described(error)}"
            ) from error
    if failed is not None:
        raise ProblemError(
            f"optimize failed for {len(layout)} examples at once, and not for any of them alone: "
            f"{_described(failed)}"
        ) from failed
    return decisions


def optimizer_of(optimizers: Optimizer | list[Optimizer], i: int) -> Optimizer:
    """Return the optimizer of an example."""
    return optimizers[i] if isinstance(optimizers, list) else optimizers


def some_of(optimizers: Any, which: Any) -> Any:
    """Return the optimizers of some examples as a list, or the common optimizer of all examples."""
    return [optimizers[i] for i in which] if isinstance(optimizers, list) else optimizers


def _described(error: Exception) -> str:
    """Return the type and text of an error; omit the type of a ValueError that has a text."""
    text = str(error)
    if text and isinstance(error, ValueError):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


# ---------------------------------------------------------------------- the pool


def merged(pool: Vector | None, outputs: Sequence[Any]) -> Vector:
    """Add new decisions to a pool, without duplicates; keep at most ``MOST`` decisions."""
    found = flat_decisions(outputs).reshape(len(outputs), -1)
    both = found if pool is None else np.concatenate([pool, found])
    keys = np.round(both, DIGITS) + 0.0  # 0.0 for -0.0
    rows: dict[bytes, Vector] = {}
    for key, row in zip(keys, both, strict=True):
        rows.setdefault(key.tobytes(), row)
    return np.array(list(rows.values())[:MOST])


def lowest(costs: Vector, pool: Vector) -> Indices:
    """Return, for each of n rows of costs, the index of the pool's decision of lowest value."""
    step = max(1, TABLE // len(pool))
    parts = (costs[start : start + step] for start in range(0, len(costs), step))
    return np.concatenate([(part @ pool.T).argmin(axis=1) for part in parts])
