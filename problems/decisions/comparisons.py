"""Decisions compared with those known to be best: their regret, and errors of an optimizer."""

from __future__ import annotations

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.exceptions import ProblemError
from structsvm.problems.decisions.optima import Optima, sums

#: Difference of two values that counts as rounding, relative to the size of their terms.
ROUNDING = 1e-7
#: Difference of two values that decisions of integers which were not rounded may make, relatively.
UNROUNDED = 1e-4
#: By the sign of a regret that is positive.
VERBS = {1.0: "minimise, unless sense is 'max'", -1.0: "maximise, unless sense is 'min'"}


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
        f"{own[i]:.6g}, but one that it returned for other costs has {best:.6g} there, "
        f"{_difference(own[i], best)}"
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
        f"or returns infeasible ones{_rounding(best - own[i], size[i].max())}"
    )


def losses(optima: Optima, decisions: Vector, sign: float, exact: bool) -> Vector:
    """The regret of decisions; a ProblemError where they are better than the best ones.

    Where the optimizer is not exact, better ones count as if they were as good.
    """
    c, spans = optima.costs, optima.spans
    found = sign * sums(c * (decisions - optima.decisions), spans)
    size = sizes_of_terms(optima, c, decisions)
    if exact and (found < -ROUNDING * size).any():
        i = int(np.argmin(found / np.maximum(size, np.finfo(float).tiny)))
        known = float(optima.values[i])
        better = known + sign * float(found[i])
        raise ProblemError(
            f"the best decision of example {optima.numbers[i]}, by y, has the value {known:.6g} at "
            "its true costs, but one that optimize, or its improve, returned for other costs has "
            f"{better:.6g} there ({_difference(known, better)}), which is better. Either optimize "
            "misses the best decision (declare oracle_quality='undergenerating'), or infeasible "
            "decisions are returned, or sense is the wrong one, or the decisions in y are those of "
            f"another optimizer or sense{_rounding(found[i], size[i])}"
        )
    return np.maximum(found, 0.0)


def require_not_worse(optima: Optima, costs: Vector, decisions: Vector, sign: float) -> None:
    """Raise a ProblemError where an exact optimizer returned a decision worse than one known."""
    spans = optima.spans
    lead = sign * sums(costs * (decisions - optima.decisions), spans)
    size = sizes_of_terms(optima, costs, decisions)
    if (lead > ROUNDING * size).any():
        i = int(np.argmax(lead / np.maximum(size, np.finfo(float).tiny)))
        rows = spans.rows(i)
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


def sizes_of_terms(optima: Optima, costs: Vector, decisions: Vector) -> Vector:
    """The size of the terms of the difference in value between decisions and the best ones."""
    return sums(np.abs(costs) * (np.abs(decisions) + np.abs(optima.decisions)), optima.spans)
