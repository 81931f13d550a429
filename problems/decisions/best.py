"""The best decisions for known costs."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Vector
from structsvm.data.containers import n_examples
from structsvm.data.examples import Spans
from structsvm.data.matrices import checked_numbers
from structsvm.data.validation import require_n_jobs
from structsvm.problems.decisions.checks import require_numbers
from structsvm.problems.decisions.comparisons import require_best_known
from structsvm.problems.decisions.optima import Optima
from structsvm.problems.decisions.optimizers import Optimizer, as_optimizer
from structsvm.problems.decisions.optimizers.base import Sense
from structsvm.problems.decisions.solving import TRUE, solve_in_parts
from structsvm.problems.programs.program import Program


def best_decisions(
    optimize: Any, costs: Any, sense: Sense = "min", n_jobs: int | None = None
) -> Optima:
    """Find the best decisions for known costs: the outputs that :class:`DecisionProblem` takes.

    Parameters
    ----------
    optimize : Optimizer, Program or callable, or a sequence of them
        Returns the best decision for costs of shape (m,): an optimizer of
        ``structsvm.problems.decisions``, a function, or a program whose constraints 0/1 decisions
        satisfy. A sequence has one for each example.
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
    return optima_of(optimize, costs, sense, n_jobs, "costs")


def optima_of(optimize: Any, costs: Any, sense: Any, n_jobs: int | None, called: str) -> Optima:
    """The same; ``called`` is the caller's name for the costs."""
    require_n_jobs(n_jobs)
    values, spans = flat_costs(costs, called)
    several = isinstance(optimize, (list, tuple)) and not isinstance(optimize, Program)
    if several and len(optimize) != len(spans):
        raise ValueError(f"there are {len(optimize)} optimizers for {len(spans)} costs")
    made = [as_optimizer(o, sense) for o in optimize] if several else as_optimizer(optimize, sense)
    require_numbers(made, spans, called)
    numbers = np.arange(len(spans))
    decisions = solve_in_parts(made, values, spans, numbers, n_jobs, TRUE)
    optima = Optima(values, decisions, spans, numbers)
    if isinstance(made, Optimizer):
        require_best_known(optima, sense, made.oracle_quality == "exact")
    return optima


def flat_costs(costs: Any, called: str) -> tuple[Vector, Spans]:
    """Costs of one example after the other, and where they are; a ValueError for others."""
    if sparse.issparse(costs):
        raise ValueError(f"{called} must be an array; pass {called}.toarray()")
    n = n_examples(costs, called)
    if n == 0:
        raise ValueError(f"{called} is empty; expected the costs of at least one example")
    if isinstance(costs, np.ndarray) and costs.ndim == 2 and costs.dtype != object:
        values, spans = checked_numbers(called, costs), Spans(np.full(n, costs.shape[1]))
    else:
        rows = [checked_numbers(f"{called}[{i}]", costs[i]) for i in range(n)]
        for i, row in enumerate(rows):
            if row.ndim != 1:
                raise ValueError(
                    f"{called} must hold an array of m costs for each example; {called}[{i}] has "
                    f"shape {row.shape}"
                )
        values, spans = np.concatenate(rows), Spans(np.array([len(row) for row in rows]))
    if not spans.sizes.all():
        i = int(spans.sizes.argmin())
        raise ValueError(f"{called}[{i}] is empty; expected at least one cost")
    values = values.reshape(-1)
    if not np.isfinite(values).all():
        place = int(np.argmin(np.isfinite(values)))
        i = int(spans.owner[place])
        raise ValueError(
            f"costs must be finite; {called}[{i}] has {values[place]} at {place - spans.starts[i]}"
        )
    return values, spans
