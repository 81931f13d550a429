"""Compute regrets, and check that no decision is better than the stored best one."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.exceptions import ProblemError
from structsvm.problems.decisions.data import Optima
from structsvm.problems.decisions.optimizers import Optimizer
from structsvm.problems.decisions.search import TRAINING, TRUE, lowest, optimizer_of, solve, some_of

#: Difference of two values that counts as rounding, relative to the size of their terms.
ROUNDING = 1e-7
#: Relative difference of two values that unrounded integers in a decision may cause.
UNROUNDED = 1e-4
#: A regret that counts as rounding, relative to the size of its terms.
NEGLIGIBLE = 1e-12
#: Most examples whose best decision is computed again.
MOST = 5
#: Number of examples, from the first, whose decisions are tried for every example.
SOME = 100
#: What an optimizer must do, by the sign of its sense.
VERBS = {1.0: "minimise, unless sense is 'max'", -1.0: "maximise, unless sense is 'min'"}
SENSES = {1.0: "maximises, write sense='max'", -1.0: "minimises, write sense='min'"}
#: The remedy for decisions that another optimizer made.
REMEDY = "pass best_decisions(optimize, costs, sense) of the same optimizer and sense as y"


def is_exact(optimizers: Any) -> bool:
    """Whether the optimizer, or every optimizer in a list, is exact."""
    each = optimizers if isinstance(optimizers, list) else [optimizers]
    return all(optimizer.oracle_quality == "exact" for optimizer in each)


def losses(optima: Optima, decisions: Vector, sign: float, exact: bool) -> Vector:
    """Return the regrets; raise a ProblemError if an exact optimizer missed a best decision.

    If the optimizer is not exact, a decision that is better than the stored best one has regret 0.
    """
    regrets = sign * optima.sums(optima.costs * (decisions - optima.decisions))
    if exact and (regrets < 0).any():
        _require_best(
            optima, optima.costs, optima.decisions, decisions, sign,
            "the best decision of example {example}, by y, has the value {value} at its true "
            "costs, but one that optimize, or its improve, returned for other costs has {better}. "
            "Either optimize misses the best decision (declare oracle_quality='undergenerating'), "
            f"or infeasible decisions are returned; or sense is the wrong one: if it {SENSES[sign]}"
            "; or the decisions in y come from another optimizer or sense: " + REMEDY,
        )  # fmt: skip
    return np.maximum(regrets, 0.0)


def require_not_worse(
    optima: Optima,
    costs: Vector,
    decisions: Vector,
    sign: float,
    called_with: str = "costs of example {}, 2 predicted - true costs",
) -> None:
    """Raise a ProblemError if an exact optimizer's decision is worse than the stored best one."""
    _require_best(
        optima, costs, decisions, optima.decisions, sign,
        f"optimize returned a decision of value {{value}} for {called_with.format('{example}')}, "
        "where a decision for true costs has {better}. It must find the best decision for "
        f"negative costs too, and {VERBS[sign]}; if it may miss it, declare "
        f"oracle_quality='undergenerating'; and {REMEDY}",
    )  # fmt: skip


def require_best_known(optima: Optima, sign: float, exact: bool) -> None:
    """Compare the best decisions of all examples with each other, at the true costs.

    Raise a ProblemError if one example's best decision is beaten by the decision of another
    example. An inexact optimizer is checked only if, at the true costs of each example, no stored
    decision is worse than the example's own.
    """
    worst = _best_known(optima, -optima.costs, sign)
    if exact or not losses(optima, worst, sign, exact=False).any():
        losses(optima, _best_known(optima, optima.costs, sign), sign, exact=True)


def sizes_of_terms(optima: Optima, costs: Vector, decisions: Vector) -> Vector:
    """Return, for each example, the sum of ``abs(cost) * (abs(decision) + abs(best))``."""
    return optima.sums(np.abs(costs) * (np.abs(decisions) + np.abs(optima.decisions)))


def _best_known(optima: Optima, costs: Vector, sign: float) -> Vector:
    """For each example, return the best of the first ``SOME`` stored decisions, at ``costs``.

    If examples differ in their number of costs, return each example's own stored decision.
    """
    m = optima.layout.sizes[0]
    if (optima.layout.sizes != m).any():
        return optima.decisions
    pool = optima.decisions.reshape(-1, m)[:SOME]
    return pool[lowest(sign * costs.reshape(-1, m), pool)].reshape(-1)


def _require_best(
    optima: Optima, costs: Vector, best: Vector, others: Vector, sign: float, text: str
) -> None:
    """Raise a ProblemError if an example's decision in ``others`` is better than in ``best``.

    Decisions are compared at ``costs``. For the example with the largest relative difference, the
    message states the values of the decisions in ``best`` and in ``others``.
    """
    lead = sign * optima.sums(costs * (best - others))
    size = optima.sums(np.abs(costs) * (np.abs(best) + np.abs(others)))
    if not (lead > ROUNDING * size).any():
        return
    i = int(np.argmax(lead / np.maximum(size, np.finfo(float).tiny)))
    rows, difference = optima.layout.rows(i), float(sign * lead[i])
    value = float(costs[rows] @ best[rows])
    # Both may look equal.
    amount = f"{abs(difference):.3g} {'less' if difference > 0 else 'more'}"
    better = f"{value - difference:.6g} ({amount}), which is better"
    if lead[i] <= UNROUNDED * size[i]:
        text += (
            "; or decisions of whole numbers are not rounded: solvers return 0.9999999 for 1, so "
            "round what they return"
        )
    raise ProblemError(text.format(example=optima.numbers[i], value=f"{value:.6g}", better=better))


# ---------------------------------------------------------------------- before training


def require_own_decisions(optimizers: Any, optima: Optima, sign: float) -> None:
    """Raise a ValueError if stored decisions are infeasible or not as good as the optimizer's.

    ``optimizers`` is one optimizer for all examples, or a list with an optimizer for each example.
    An exact optimizer is called for only a few examples.
    """
    for i in range(len(optima)):
        try:
            optimizer_of(optimizers, i).require_feasible(optima.decisions[optima.layout.rows(i)])
        except ValueError as error:
            raise ValueError(
                f"the decision in y for example {optima.numbers[i]} is not feasible for optimize: "
                f"{error}. The decisions must come from optimize: {REMEDY}"
            ) from error
    if is_exact(optimizers):
        n = len(optima)
        few = np.unique(np.linspace(0, n - 1, min(MOST, -(-n // 8))).astype(np.intp))
        some = optima.part(few)
        found = solve(some_of(optimizers, few), some.costs, some.layout, some.numbers, TRUE)
        losses(some, found, sign, exact=True)
        require_not_worse(some, some.costs, found, sign, TRUE)


def require_regret(optimizers: Any, optima: Optima, sign: float) -> None:
    """Raise a ProblemError if, for every example, all feasible decisions are equally good.

    The best decision for negated costs is the worst decision for the costs. The worst decisions are
    computed one example at a time, until one of them is worse than the best decision of its
    example.
    """
    if not optima.costs.any():
        raise ValueError(
            "all true costs are 0, so no decision is better than another: there is nothing to learn"
        )
    worst = np.empty_like(optima.decisions)
    for i in range(len(optima)):
        one = optima.part([i])
        found = solve(some_of(optimizers, [i]), -one.costs, one.layout, one.numbers, TRAINING)
        regret = losses(one, found, sign, exact=True)
        if (regret > NEGLIGIBLE * sizes_of_terms(one, one.costs, found)).any():
            return
        worst[optima.layout.rows(i)] = found
    if isinstance(optimizers, Optimizer):  # it may use only the sizes of the costs
        others = optima.with_fields(decisions=_best_known(optima, -optima.costs, sign))
        require_not_worse(others, -optima.costs, worst, sign)
    raise ProblemError(
        "for every example, optimize returned the same decision, or one of the same value, for the "
        "true costs and for their negatives, so there is nothing to learn. Is only one decision "
        "feasible, have all the same value at these costs, or does optimize not use the costs or "
        "their signs?"
    )
