"""Decisions compared with those known to be best: regret, errors of optimizers, wrong senses."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.data.examples import Spans
from structsvm.exceptions import ProblemError
from structsvm.problems.decisions.data import Optima
from structsvm.problems.decisions.optimizers import Optimizer
from structsvm.problems.decisions.optimizers.costs import checked_decisions
from structsvm.problems.decisions.search import TRAINING, TRUE, lowest, optimizer_of, solve, some_of

#: Difference of two values that counts as rounding, relative to the size of their terms.
ROUNDING = 1e-7
#: Difference of two values that decisions of integers which were not rounded may make, relatively.
UNROUNDED = 1e-4
#: A regret that counts as rounding, relative to the size of its terms.
NEGLIGIBLE = 1e-12
#: Examples whose best decision is searched again, at most.
MOST = 5
#: By the sign of a regret that is positive.
VERBS = {1.0: "minimise, unless sense is 'max'", -1.0: "maximise, unless sense is 'min'"}
#: The remedy for decisions of another optimizer.
REMEDY = (
    "The decisions in y must be those of optimize: pass best_decisions(optimize, costs, sense) of "
    "the same optimizer and sense. It must return the same at every call"
)


def is_exact(optimizers: Any) -> bool:
    """Whether the optimizer, or each of a list, finds the best decision."""
    each = optimizers if isinstance(optimizers, list) else [optimizers]
    return all(optimizer.oracle_quality == "exact" for optimizer in each)


def losses(optima: Optima, decisions: Vector, sign: float, exact: bool) -> Vector:
    """The regret of decisions; a ProblemError where they are better than the best ones.

    Where the optimizer is not exact, better ones count as if they were as good.
    """
    regret = sign * optima.sums(optima.costs * (decisions - optima.decisions))
    size = sizes_of_terms(optima, optima.costs, decisions)
    if exact and (i := _first_beyond(-regret, size)) is not None:
        known = float(optima.values[i])
        better = known + sign * float(regret[i])
        raise ProblemError(
            f"the best decision of example {optima.numbers[i]}, by y, has the value {known:.6g} at "
            "its true costs, but one that optimize, or its improve, returned for other costs has "
            f"{better:.6g} there ({_difference(known, better)}), which is better. Either optimize "
            "misses the best decision (declare oracle_quality='undergenerating'), or infeasible "
            "decisions are returned, or sense is the wrong one, or the decisions in y are those of "
            f"another optimizer or sense{_rounding(regret[i], size[i])}"
        )
    return np.maximum(regret, 0.0)


def require_not_worse(optima: Optima, costs: Vector, decisions: Vector, sign: float) -> None:
    """Raise a ProblemError where an exact optimizer returned a decision worse than one known."""
    lead = sign * optima.sums(costs * (decisions - optima.decisions))
    size = sizes_of_terms(optima, costs, decisions)
    if (i := _first_beyond(lead, size)) is not None:
        rows = optima.layout.rows(i)
        found = float(costs[rows] @ decisions[rows])
        better = found - sign * float(lead[i])
        raise ProblemError(
            f"optimize returned a decision of value {found:.6g} for costs of example "
            f"{optima.numbers[i]}, 2 predicted - true costs, where a decision for true costs "
            f"has {better:.6g} ({_difference(found, better)}), which is better. It must find "
            f"the best decision for negative costs too, and {VERBS[sign]}; if it may miss it, "
            "declare oracle_quality='undergenerating'; and decisions passed as y must be those of "
            f"the same optimizer and sense{_rounding(lead[i], size[i])}"
        )


def require_best_known(optima: Optima, sense: str, exact: bool) -> None:
    """Raise a ValueError where decisions are not the best of those known, but should be.

    The decisions are feasible for all examples. Those of an optimizer that is not exact may be
    beaten, but they may not be the worst of all.
    """
    n, m = len(optima), optima.layout.sizes[0]
    if (optima.layout.sizes != m).any():
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
        f"{own[i]:.6g}, but one that it returned for other costs has {best:.6g} there, "
        f"{_difference(own[i], best)}"
    )
    if not worse.any():
        other = "max" if sense == "min" else "min"
        raise ValueError(
            f"{what}: its decisions are the worst known instead of the best. Does it "
            f"{'maximise' if sense == 'min' else 'minimise'}? Then write sense={other!r}"
        )
    if exact:
        raise ValueError(
            f"{what}. Either it misses the best decision (declare "
            "oracle_quality='undergenerating'), or returns infeasible ones"
            f"{_rounding(best - own[i], size[i].max())}"
        )


def sizes_of_terms(optima: Optima, costs: Vector, decisions: Vector) -> Vector:
    """The size of the terms of the difference in value between decisions and the best ones."""
    return optima.sums(np.abs(costs) * (np.abs(decisions) + np.abs(optima.decisions)))


def _first_beyond(lead: Vector, size: Vector) -> int | None:
    """The example whose lead is largest, relative to its size, if one is more than rounding."""
    if not (lead > ROUNDING * size).any():
        return None
    return int(np.argmax(lead / np.maximum(size, np.finfo(float).tiny)))


def _difference(value: float, other: float) -> str:
    """Words for how much less or more another value is, also where both look equal."""
    return f"{abs(other - value):.3g} {'less' if other < value else 'more'}"


def _rounding(difference: float, size: float) -> str:
    """Words for a message where decisions may differ since a solver did not round integers."""
    if abs(difference) > UNROUNDED * size:
        return ""
    return (
        "; or decisions of whole numbers are not rounded: solvers return 0.9999999 for 1, so "
        "round what they return"
    )


# ---------------------------------------------------------------------- before training


def require_numbers(optimizers: Any, layout: Spans, called: str) -> None:
    """Raise a ValueError where an optimizer decides by another number of costs."""
    for i, size in enumerate(layout.sizes.tolist()):
        optimizer = optimizer_of(optimizers, i)
        if optimizer.n_costs not in (None, size):
            raise ValueError(
                f"{called}[{i}] has {size} costs; {optimizer!r} needs {optimizer.n_costs}, one for "
                "each entry of a decision"
            )


def require_own_decisions(optimizers: Any, optima: Optima, sense: str) -> None:
    """Raise a ValueError where decisions are not feasible, or a few are not those of optimize.

    ``optimizers`` is the one that all examples have in common, or a list with one for each.
    """
    require_numbers(optimizers, optima.layout, "y")
    _require_feasible(optimizers, optima)
    if not is_exact(optimizers):  # it may return another one, within its limits
        return
    n = len(optima)
    few = np.unique(np.linspace(0, n - 1, min(MOST, -(-n // 8))).astype(np.intp))
    some = optima.part(few)
    found = solve(some_of(optimizers, few), some.costs, some.layout, some.numbers, TRUE)
    values = some.sums(some.costs * found)
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
        optimizer, decision = optimizer_of(optimizers, i), optima.example(i).decision
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
        found = solve(some_of(optimizers, [i]), -one.costs, one.layout, one.numbers, TRAINING)
        regret = losses(one, found, sign, exact=True)
        if (regret > NEGLIGIBLE * sizes_of_terms(one, one.costs, found)).any():
            if isinstance(optimizers, Optimizer):
                for given in (one.decisions, found):
                    _require_improvement(optimizers, one, given, found, sign)
            return
        worst[optima.layout.rows(i)] = found
    if isinstance(optimizers, Optimizer):  # it may have decided by the sizes of the costs alone
        m = optima.layout.sizes[0]
        pool = optima.decisions.reshape(-1, m)
        best = pool[lowest(-sign * optima.costs.reshape(-1, m), pool)].reshape(-1)
        require_not_worse(optima.with_fields(decisions=best), -optima.costs, worst, sign)
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
