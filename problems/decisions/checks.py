"""Checks of costs and their best decisions by a few calls of the optimizer, before training."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.examples import Spans
from structsvm.exceptions import ProblemError
from structsvm.problems.decisions.comparisons import (
    ROUNDING,
    losses,
    require_not_worse,
    sizes_of_terms,
)
from structsvm.problems.decisions.optima import Optima, sums
from structsvm.problems.decisions.optimizers import Optimizer
from structsvm.problems.decisions.optimizers.costs import checked_decisions
from structsvm.problems.decisions.pool import lowest
from structsvm.problems.decisions.solving import TRAINING, TRUE, solve

#: Examples whose best decision is searched again, at most.
MOST = 5
#: A regret that counts as rounding, relative to the size of its terms.
NEGLIGIBLE = 1e-12
#: The remedy for decisions of another optimizer.
REMEDY = (
    "The decisions in y must be those of optimize: pass best_decisions(optimize, costs, sense) of "
    "the same optimizer and sense. It must return the same at every call"
)


def is_exact(optimizers: Any) -> bool:
    """Whether the optimizer, or each of a list, finds the best decision."""
    each = optimizers if isinstance(optimizers, list) else [optimizers]
    return all(optimizer.oracle_quality == "exact" for optimizer in each)


def require_numbers(optimizers: Any, spans: Spans, called: str) -> None:
    """Raise a ValueError where an optimizer decides by another number of costs."""
    for i, size in enumerate(spans.sizes.tolist()):
        optimizer = _of(optimizers, i)
        if optimizer.n_costs not in (None, size):
            raise ValueError(
                f"{called}[{i}] has {size} costs; {optimizer!r} needs {optimizer.n_costs}, one for "
                "each entry of a decision"
            )


def require_own_decisions(optimizers: Any, optima: Optima, sense: str) -> None:
    """Raise a ValueError where a few of the decisions are those of another optimizer.

    ``optimizers`` is the one that all examples have in common, or a list with one for each.
    """
    require_numbers(optimizers, optima.spans, "y")
    _require_feasible(optimizers, optima)
    if not is_exact(optimizers):  # it may return another one, within its limits
        return
    n = len(optima)
    few = np.unique(np.linspace(0, n - 1, min(MOST, -(-n // 8))).astype(np.intp))
    some = optima.part(few)
    found = solve(_some(optimizers, few), some.costs, some.spans, some.numbers, TRUE)
    values = sums(some.costs * found, some.spans)
    more = values - some.values
    wrong = np.flatnonzero(np.abs(more) > ROUNDING * sizes_of_terms(some, some.costs, found))
    if len(wrong):
        i = wrong[0]
        than = "better" if (more[i] < 0) == (sense == "min") else "worse"
        raise ValueError(
            f"the decision in y for example {some.numbers[i]} has the value {some.values[i]:.6g} "
            f"at its true costs, and optimize returns one of {values[i]:.6g} for them, which is "
            f"{than}. {REMEDY}"
        )


def _require_feasible(optimizers: Any, optima: Optima) -> None:
    known: set[tuple[int, bytes]] = set()
    for i in range(len(optima)):
        optimizer, decision = _of(optimizers, i), optima.example(i).decision
        key = id(optimizer), decision.tobytes()
        if key in known:
            continue
        known.add(key)
        try:
            optimizer.require_feasible(decision)
        except ValueError as error:
            raise ValueError(
                f"the decision in y for example {optima.numbers[i]} is not feasible for optimize: "
                f"{error}. {REMEDY}"
            ) from error


def require_regret(optimizers: Any, optima: Optima, sign: float) -> None:
    """Raise a ValueError where no decision of any example is worse than the best one.

    The decisions for the negated costs, which are the worst, are searched until one has a regret.
    """
    if not optima.costs.any():
        raise ValueError(
            "all true costs are 0, so no decision is better than another: there is nothing to learn"
        )
    worst = np.empty_like(optima.decisions)
    for i in range(len(optima)):
        one = optima.part([i])
        found = solve(_some(optimizers, [i]), -one.costs, one.spans, one.numbers, TRAINING)
        regret = losses(one, found, sign, exact=True)
        if (regret > NEGLIGIBLE * sizes_of_terms(one, one.costs, found)).any():
            if isinstance(optimizers, Optimizer):
                for given in (one.decisions, found):
                    _require_improvement(optimizers, one, given, found, sign)
            return
        worst[optima.spans.rows(i)] = found
    if isinstance(optimizers, Optimizer):
        _require_worst(optima, worst, sign)
    raise ProblemError(
        "for every example, optimize returned the same decision, or one of the same value, for the "
        "true costs and for their negatives, so there is nothing to learn. Is only one decision "
        "feasible, have all the same value at these costs, or does optimize not use the costs or "
        "their signs?"
    )


def _require_improvement(
    optimizer: Optimizer, one: Optima, given: Vector, best: Vector, sign: float
) -> None:
    """Raise a ValueError unless ``improve`` leads from a decision towards the best.

    Both are for the negated costs of an example.
    """
    costs = -one.costs
    name = f"improve, called for the negated true costs of example {one.numbers[0]},"
    improved = optimizer.improve(costs[None].copy(), given[None].copy())
    decision = checked_decisions(name, improved, (1, len(costs)))[0]
    try:
        optimizer.require_feasible(decision)
    except ValueError as error:
        raise ValueError(f"{name} must return a feasible decision: {error}") from error
    value, start, optimum = (float(costs @ z) for z in (decision, given, best))
    rounding = ROUNDING * float(np.abs(costs) @ (np.abs(decision) + np.abs(given) + np.abs(best)))
    if not sign * optimum - rounding <= sign * value <= sign * start + rounding:
        raise ValueError(
            f"{name} returned a decision of value {value:.6g} for one of {start:.6g}, where the "
            f"best has {optimum:.6g}: it must return feasible decisions that are no worse"
        )


def _require_worst(optima: Optima, decisions: Vector, sign: float) -> None:
    """Raise a ProblemError where decisions for negated costs are not the best of those known."""
    costs, m = -optima.costs, optima.spans.sizes[0]
    pool = optima.decisions.reshape(-1, m)
    known = pool[lowest(sign * costs.reshape(-1, m), pool)].reshape(-1)
    best = Optima(optima.costs, known, optima.spans, optima.numbers)
    require_not_worse(best, costs, decisions, sign)


def _of(optimizers: Any, i: int) -> Optimizer:
    """The optimizer of an example."""
    return optimizers[i] if isinstance(optimizers, list) else optimizers


def _some(optimizers: Any, which: Indices | list[int]) -> Any:
    """The optimizers of some examples: the one that all have in common, or a list."""
    return [optimizers[i] for i in which] if isinstance(optimizers, list) else optimizers
