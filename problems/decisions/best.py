"""Compute the decisions that are best for the true costs."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.validation import require_n_jobs
from structsvm.problems.decisions.checks import require_best_known
from structsvm.problems.decisions.data import Optima, flat_costs
from structsvm.problems.decisions.optimizers import Optimizer, as_optimizer
from structsvm.problems.decisions.optimizers.base import Sense
from structsvm.problems.decisions.search import TRUE, solve_in_parts
from structsvm.problems.programs.program import Program


def best_decisions(
    optimize: Any, costs: Any, sense: Sense = "min", n_jobs: int | None = None
) -> Optima:
    """Find the best decisions for true costs: the outputs of a :class:`DecisionProblem`.

    Parameters
    ----------
    optimize : Optimizer, Program or callable, or a sequence of them
        Either an optimizer of ``structsvm.problems.decisions``, or a
        :class:`structsvm.problems.Program`, or a function that returns the best decision for costs
        of shape (m,). The decisions of a program are its feasible 0/1 vectors. A sequence of
        optimizers holds one for each example.
    costs : array-like of shape (n, m), or sequence of n arrays
        The true costs.
    sense : {'min', 'max'}, default='min'
        Whether the optimizer minimises or maximises.
    n_jobs : int, optional
        Number of parallel processes; -1 uses all processors.

    Returns
    -------
    sequence of n Optimum
        The costs of each example, and its best decision.

    Raises
    ------
    ValueError
        If costs are not finite, if an optimizer fails or returns no decision, or if its decisions
        contradict ``sense`` or each other. The message names the example.

    Examples
    --------
    >>> from structsvm.problems.decisions import GridPaths, best_decisions
    >>> best_decisions(GridPaths(2, 2), [[1.0, 2.0, 3.0, 1.0]])[0].decision
    array([0., 1., 0., 1.])
    """
    return optima_of(optimize, costs, sense, n_jobs, "costs")


def optima_of(optimize: Any, costs: Any, sense: Any, n_jobs: int | None, called: str) -> Optima:
    """Find the best decisions; ``called`` is the name of the costs in error messages."""
    require_n_jobs(n_jobs)
    values, layout = flat_costs(costs, called)
    several = isinstance(optimize, (list, tuple)) and not isinstance(optimize, Program)
    if several and len(optimize) != len(layout):
        raise ValueError(f"there are {len(optimize)} optimizers for {len(layout)} costs")
    made = [as_optimizer(o, sense) for o in optimize] if several else as_optimizer(optimize, sense)
    numbers = np.arange(len(layout))
    decisions = solve_in_parts(made, values, layout, numbers, n_jobs, TRUE)
    optima = Optima(values, decisions, layout, numbers)
    if isinstance(made, Optimizer):
        sign = -1.0 if sense == "max" else 1.0
        require_best_known(optima, sign, made.oracle_quality == "exact")
    return optima
