"""The quality of a problem's oracle, and the methods that its class defines."""

from __future__ import annotations

from structsvm.contract.optional import Optional
from structsvm.contract.problem import Problem
from structsvm.contract.self_labelled import SelfLabelledProblem


def defines(problem: Problem, method: str) -> bool:
    """Whether the problem's class overrides the default of a required or optional method."""
    found = getattr(type(problem), method, None)
    if found is None or isinstance(found, Optional):
        return False
    return all(found is not getattr(b, method, None) for b in (Problem, SelfLabelledProblem))


def computes_with_arrays(problem: Problem) -> bool:
    """Whether the problem defines ``task`` to compute with arrays."""
    return type(problem).task is not Problem.task


def oracle_is_exact(problem: Problem) -> bool:
    """Whether no output scores higher than the output of the separation oracle."""
    return problem.oracle_quality == "exact"


def oracle_may_miss(problem: Problem) -> bool:
    """Whether the separation oracle is undergenerating, that is, searches only some of the outputs.

    An undergenerating oracle gives only a lower bound on the slack. The primal value is then no
    upper bound on the minimum of the objective.
    """
    return problem.oracle_quality == "undergenerating"
