"""The quality of a problem's oracle, and which of its methods its class defines."""

from __future__ import annotations

from structsvm.contract.networks import NetworkLayers
from structsvm.contract.problem import Problem
from structsvm.contract.self_labelled import SelfLabelledProblem


def defines(problem: Problem, method: str) -> bool:
    """Whether the problem has a method that is not the contract's own default, optional or not."""
    found, bases = (
        getattr(type(problem), method, None),
        (Problem, SelfLabelledProblem, NetworkLayers),
    )
    return found is not None and all(found is not getattr(base, method, None) for base in bases)


def computes_with_arrays(problem: Problem) -> bool:
    """Whether the problem has a task of its own."""
    return type(problem).task is not Problem.task


def oracle_is_exact(problem: Problem) -> bool:
    """Whether no output scores higher than the one that the separation oracle returns."""
    return problem.oracle_quality == "exact"


def oracle_may_miss(problem: Problem) -> bool:
    """Whether the separation oracle searches only some of the outputs (undergenerating).

    Its value is then a lower bound on the slack, so the primal value is no upper bound.
    """
    return problem.oracle_quality == "undergenerating"
