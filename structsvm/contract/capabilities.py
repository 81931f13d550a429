"""The optional methods that a problem offers, and the quality of its oracle."""

from __future__ import annotations

from functools import cache
from typing import Any

from structsvm.contract.problem import Problem
from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.objective.surrogate import HINGE, Surrogate


def offers(problem: Problem, method: str) -> bool:
    """Whether the problem overrides an optional method of the contract.

    A method set to None does not count: that withdraws a method of a base class.
    """
    kind: Any = type(problem)
    return _overrides(kind, method)


def offers_soft_oracle(problem: Problem) -> bool:
    """Whether the problem overrides the soft oracle, in its single or its summed form."""
    return offers(problem, "soft_oracle") or offers(problem, "sum_soft_oracle")


def cheap_searches(problem: Problem, surrogate: Surrogate) -> list[str]:
    """The methods offered whose outputs may take the place of the separation oracle's."""
    replaceable = (
        problem.oracle_quality != "overgenerating"
        and surrogate == HINGE
        and not isinstance(problem, SelfLabelledProblem)
    )
    return [name for name in ("search_pool", "refine") if replaceable and offers(problem, name)]


def oracle_is_exact(problem: Problem) -> bool:
    """Whether no output scores higher than the one that the separation oracle returns."""
    return problem.oracle_quality == "exact"


def oracle_may_miss(problem: Problem) -> bool:
    """Whether the separation oracle searches only some of the outputs (undergenerating).

    Its value is then a lower bound on the slack, so the primal value is no upper bound.
    """
    return problem.oracle_quality == "undergenerating"


@cache
def _overrides(kind: Any, method: str) -> bool:
    own = getattr(kind, method, None)
    bases = (getattr(base, method, None) for base in (Problem, SelfLabelledProblem))
    return all(own is not base for base in (None, *bases))
