"""Calls of optimizers for many examples, with errors that name the example."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import joblib
import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import n_examples
from structsvm.data.matrices import checked_numbers
from structsvm.data.ragged import Spans
from structsvm.data.validation import require_n_jobs
from structsvm.problems.decisions.optima import Optima, sums
from structsvm.problems.decisions.optimizers import Optimizer, as_optimizer
from structsvm.problems.programs.program import Program

#: Difference of two values that counts as rounding, relative to the size of their terms.
ROUNDING = 1e-7
#: By the sign of a regret that is positive.
VERBS = {1.0: "minimise, unless sense is 'max'", -1.0: "maximise, unless sense is 'min'"}
#: Parts of the data that are solved at the same time, for each job.
PARTS = 4


def solve(optimizers: Any, costs: Vector, spans: Spans, numbers: Indices) -> Vector:
    """The best decision for the costs of each example, one after the other.

    ``optimizers`` is a list with one for each example, or the one that all have in common.
    """
    if isinstance(optimizers, Optimizer) and (spans.sizes == spans.sizes[0]).all():
        rows = costs.reshape(len(spans), -1)
        try:
            return _checked(optimizers.batch(rows), rows.shape, "batch").reshape(-1)
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
            decisions[spans.rows(i)] = _checked(of(i)(own), own.shape, "optimize")
        except Exception as error:
            raise ValueError(f"optimize failed for example {numbers[i]}: {error}") from error
    return decisions


def _checked(found: Any, shape: tuple[int, ...], name: str) -> Vector:
    decisions = checked_numbers(f"what {name} returned", found)
    if decisions.shape != shape:
        raise ValueError(
            f"{name} must return decisions of shape {shape}, as the costs are; it returned shape "
            f"{decisions.shape}"
        )
    if not np.isfinite(decisions).all():
        raise ValueError(f"{name} must return finite numbers; it returned NaN or infinity")
    return decisions


def best_decisions(
    optimize: Any, costs: Any, sense: Any = "min", n_jobs: int | None = None
) -> Optima:
    """Find the best decisions for known costs: the outputs that :class:`DecisionProblem` takes.

    Parameters
    ----------
    optimize : Optimizer, Program or callable, or a sequence of them
        As in :class:`DecisionProblem`; a sequence has one for each example.
    costs : array-like of shape (n, m), or sequence of n arrays
        The true costs.
    sense : {'min', 'max'}, default='min'
        Whether the optimizer minimises or maximises.
    n_jobs : int, optional
        Number of processes that solve at the same time, -1 for all processors.

    Returns
    -------
    sequence of n Optimum
        The costs of each example, and its best decision.

    Raises
    ------
    ValueError
        Costs are not finite; or an optimizer fails, returns something that is no decision, or
        contradicts itself or ``sense``. The message names the example.

    Examples
    --------
    >>> from structsvm.problems.decisions import GridPaths, best_decisions
    >>> best_decisions(GridPaths(2, 2), [[1.0, 2.0, 3.0, 1.0]])[0].decision
    array([0., 1., 0., 1.])
    """
    require_n_jobs(n_jobs)
    values, spans = flat_costs(costs)
    several = isinstance(optimize, (list, tuple)) and not isinstance(optimize, Program)
    if several and len(optimize) != len(spans):
        raise ValueError(f"there are {len(optimize)} optimizers for {len(spans)} costs")
    made = [as_optimizer(o, sense) for o in optimize] if several else as_optimizer(optimize, sense)
    jobs = joblib.effective_n_jobs(n_jobs)
    parts = np.array_split(np.arange(len(spans)), min(len(spans), PARTS * jobs if jobs > 1 else 1))
    tasks = (
        joblib.delayed(solve)(
            [made[i] for i in part] if several else made,
            values[spans.rows_of(part)],
            Spans(spans.sizes[part]),
            part,
        )
        for part in parts
    )
    decisions = np.concatenate(joblib.Parallel(n_jobs=jobs)(tasks))
    optima = Optima(values, decisions, spans, np.arange(len(spans)))
    if isinstance(made, Optimizer):
        require_best_known(optima, sense, made.oracle_quality == "exact")
    return optima


def flat_costs(costs: Any) -> tuple[Vector, Spans]:
    """Costs of one example after the other, and where they are; a ValueError for others."""
    n = n_examples(costs, "costs")
    if n == 0:
        raise ValueError("costs are empty; expected at least one example")
    table = isinstance(costs, np.ndarray) and costs.ndim == 2 and costs.dtype != object
    if table:
        values, spans = checked_numbers("costs", costs), Spans(np.full(n, costs.shape[1]))
    else:
        rows = [checked_numbers(f"costs[{i}]", costs[i]) for i in range(n)]
        for i, row in enumerate(rows):
            if row.ndim != 1:
                raise ValueError(
                    "costs must hold an array of shape (m,) for each example; "
                    f"costs[{i}] has shape {row.shape}"
                )
        values, spans = np.concatenate(rows), Spans(np.array([len(row) for row in rows]))
    if not spans.sizes.all():
        raise ValueError(f"costs[{int(spans.sizes.argmin())}] is empty; expected at least one cost")
    values = values.reshape(-1)
    if not np.isfinite(values).all():
        place = int(np.argmin(np.isfinite(values)))
        i = int(spans.owner[place])
        raise ValueError(
            f"costs must be finite; costs[{i}] has {values[place]} at {place - spans.starts[i]}"
        )
    return values, spans


def require_best_known(optima: Optima, sense: str, exact: bool) -> None:
    """Raise a ValueError where decisions are not the best of those known, but should be.

    The decisions are feasible for all examples. Those of an optimizer that is not exact may be
    beaten, but they may not be the worst of all.
    """
    n, m = len(optima), optima.spans.sizes[0]
    if (optima.spans.sizes != m).any():
        return
    costs, decisions = optima.costs.reshape(n, m), optima.decisions.reshape(n, m)
    some = np.unique(np.linspace(0, n - 1, min(n, 100)).astype(np.intp))
    values = costs[some] @ decisions[some].T
    own, size = np.diagonal(values), np.abs(costs[some]) @ np.abs(decisions[some]).T
    error = ROUNDING * size.max(axis=1)
    beaten, worse = (own - values.min(axis=1) > error), (values.max(axis=1) - own > error)
    if sense == "max":
        beaten, worse = worse, beaten
    if not beaten.any():
        return
    i = int(np.argmax(beaten))
    best = values[i].min() if sense == "min" else values[i].max()
    what = (
        f"the decision that optimize returned for the costs of example {some[i]} has the value "
        f"{own[i]:.6g}, but one that it returned for other costs has {best:.6g} there"
    )
    if not worse.any():
        other = "max" if sense == "min" else "min"
        raise ValueError(
            f"{what}: its decisions are the worst known instead of the best. Does it "
            f"{'maximise' if sense == 'min' else 'minimise'}? Then write sense={other!r}"
        )
    if not exact:
        return
    raise ValueError(
        f"{what}. Either it misses the best decision (declare oracle_quality='undergenerating'), "
        "or returns infeasible ones"
    )


def losses(optima: Optima, decisions: Vector, sign: float, exact: bool) -> Vector:
    """The regret of decisions; a ValueError where they are better than the best ones.

    Where the optimizer is not exact, better ones count as if they were as good.
    """
    c, spans = optima.costs, optima.spans
    found = sign * sums(c * (decisions - optima.decisions), spans)
    size = sums(np.abs(c) * (np.abs(decisions) + np.abs(optima.decisions)), spans)
    if exact and (found < -ROUNDING * size).any():
        i = int(np.argmin(found / np.maximum(size, np.finfo(float).tiny)))
        known = float(optima.values[i])
        raise ValueError(
            f"the decision that optimize returned for the true costs of example "
            f"{optima.numbers[i]} has the value {known:.6g}, but one that it returned for other "
            f"costs has {known + sign * found[i]:.6g} there, which is better. Either it misses the "
            "best decision (declare oracle_quality='undergenerating'), or returns infeasible ones, "
            "or sense is the wrong one"
        )
    return np.maximum(found, 0.0)


def require_not_worse(optima: Optima, costs: Vector, decisions: Vector, sign: float) -> None:
    """Raise a ValueError where an exact optimizer returned a decision worse than one known."""
    spans = optima.spans
    lead = sign * sums(costs * (decisions - optima.decisions), spans)
    size = sums(np.abs(costs) * (np.abs(decisions) + np.abs(optima.decisions)), spans)
    if (lead > ROUNDING * size).any():
        i = int(np.argmax(lead / np.maximum(size, np.finfo(float).tiny)))
        rows = spans.rows(i)
        found = float(costs[rows] @ decisions[rows])
        raise ValueError(
            f"optimize returned a decision of value {found:.6g} for costs of example "
            f"{optima.numbers[i]}, 2 predicted - true costs, where the decision that it returned "
            f"for the true costs has {found - sign * lead[i]:.6g}, which is better. It must find "
            f"the best decision for negative costs too, and {VERBS[sign]}; if it may miss it, "
            "declare oracle_quality='undergenerating'"
        )
