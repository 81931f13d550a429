"""The choice of solvers for a problem and its data, with a reason."""

from __future__ import annotations

import logging
from typing import Any, NamedTuple

from structsvm.contract.capabilities import (
    computes_with_arrays,
    oracle_is_exact,
    oracle_may_miss,
)
from structsvm.contract.declarations import require_suitable
from structsvm.contract.latent import LatentProblem
from structsvm.contract.problem import OracleCost, Problem
from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.data.containers import n_examples
from structsvm.data.names import brief
from structsvm.objective.surrogate import Loss
from structsvm.oracle.setup import copied, initialize
from structsvm.solvers.cached_planes.solver import SmoothedCuttingPlane
from structsvm.solvers.cccp import CCCP
from structsvm.solvers.dual_ascent.solver import DualCoordinateAscent
from structsvm.solvers.interior_point.solver import DualInteriorPoint
from structsvm.solvers.lbfgs.solver import SmoothedLBFGS
from structsvm.solvers.n_slack import NSlackCuttingPlane
from structsvm.solvers.one_slack import OneSlackCuttingPlane
from structsvm.solvers.plan import Plan
from structsvm.solvers.shared.solver import Solver
from structsvm.solvers.smoothed_cccp import SmoothedCCCP
from structsvm.solvers.thresholds import FEW, FEW_WITHIN_BOUNDS, MEMORY

logger = logging.getLogger(__name__)


class Choice(NamedTuple):
    """A solver, and the reason for its choice.

    Attributes
    ----------
    solver : solver object
        The solver, or a Plan if several solvers follow each other.
    reason : str
        Why, in words.
    """

    solver: Solver
    reason: str


def choose_solver(problem: Problem, X: Any, Y: Any = None, loss: Loss = "hinge") -> Choice:
    """Choose the solver that ``solver='auto'`` stands for, for this problem and data.

    The choice depends on the number of examples, and on the methods and declarations of the
    problem. If the number of examples times the length of w is large, the chosen solver keeps no
    planes of single examples. The same problem and data always lead to the same choice, because no
    time is measured and the oracle is not called. C does not affect the choice, because
    :class:`OneSlackCuttingPlane` continues if :class:`SmoothedLBFGS` stalls at a large C.

    Parameters
    ----------
    problem : Problem
        The problem, which is not changed. If the length of w is needed, a copy is initialized.
    X, Y : sequences
        The training data.
    loss : {'hinge', 'softmax_margin', 'log_loss'}, default='hinge'
        The surrogate of the loss: see :mod:`structsvm.objective.surrogate`.

    Returns
    -------
    Choice
        The solver, with default parameters, and the reason in words.

    Examples
    --------
    >>> from structsvm import choose_solver
    >>> from structsvm.problems import Chain
    >>> X, Y = Chain.example_data()
    >>> solver, reason = choose_solver(Chain(), X, Y)
    >>> print(solver)
    DualInteriorPoint -> DualCoordinateAscent -> SmoothedLBFGS -> OneSlackCuttingPlane
    >>> reason
    'its task has a soft oracle'
    """
    require_suitable(problem, loss)
    n = n_examples(X)
    if isinstance(problem, SelfLabelledProblem):
        # A problem without ``complete`` has unlabelled examples, and they count in the objective.
        # With few labels CCCP ends at a lower value (benchmarks/latent/semi_supervised.py).
        kind: Any = type(problem)
        partial = isinstance(problem, LatentProblem) and kind.complete is not LatentProblem.complete
        offered = partial and problem.soft_oracle is not None and computes_with_arrays(problem)
        if offered and SmoothedCCCP.requires.are_met(problem):
            return Choice(SmoothedCCCP(), "complete and a soft oracle are defined")
        return Choice(CCCP(), "the problem is self-labelled")
    if problem.constraints is not None:
        return _within_bounds(problem, X, Y, loss)
    if loss != "hinge":
        plan = Plan([SmoothedLBFGS(loss=loss), OneSlackCuttingPlane(loss=loss)])
        return Choice(plan, f"loss is {loss!r}")
    soft = problem.soft_oracle is not None and computes_with_arrays(problem)
    if oracle_is_exact(problem) and soft:
        kinds = DualInteriorPoint, DualCoordinateAscent
        openings = [kind() for kind in kinds if kind.requires.are_met(problem)]
        plan = Plan([*openings, SmoothedLBFGS(), OneSlackCuttingPlane()])
        return Choice(plan, "its task has a soft oracle")
    if n == 1:
        return Choice(OneSlackCuttingPlane(), "one example has one slack")
    cost, reason = _oracle_cost(problem)
    may_pool = problem.oracle_cost is not None and computes_with_arrays(problem)
    # Without Y only self-labelled problems can be trained, and this problem is not one.
    if Y is None or (cost == "cheap" and not may_pool):
        return Choice(OneSlackCuttingPlane(), reason)
    problem = _initialized(problem, X, Y)
    pooled = may_pool and problem.task(X, Y).search_pool is not None
    if pooled:  # search_pool exists to save calls of the oracle
        reason = "its task has search_pool"
    elif cost == "cheap":
        return Choice(OneSlackCuttingPlane(), reason)
    size = problem.size_joint_feature
    if n * size > MEMORY:
        return Choice(OneSlackCuttingPlane(), f"{reason}, but {n} x {size} is much to keep")
    if n <= FEW and not pooled:
        return Choice(NSlackCuttingPlane(), f"{reason}, and {n} examples are few")
    return Choice(Plan([SmoothedCuttingPlane(), OneSlackCuttingPlane()]), reason)


def _within_bounds(problem: Problem, X: Any, Y: Any, loss: Loss) -> Choice:
    """Choose a cutting-plane solver, because only cutting planes respect constraints on w."""
    reason, n = "there are constraints or bounds on w", n_examples(X)
    often = oracle_may_miss(problem) or _oracle_cost(problem)[0] == "expensive"
    few = 1 < n <= (FEW_WITHIN_BOUNDS if often else FEW)
    if few and loss == "hinge" and n * _initialized(problem, X, Y).size_joint_feature <= MEMORY:
        return Choice(NSlackCuttingPlane(), f"{reason}, and {n} examples are few")
    return Choice(OneSlackCuttingPlane(loss=loss), reason)


def _oracle_cost(problem: Problem) -> tuple[OracleCost, str]:
    """Return the declared or guessed cost of an oracle call, and the reason."""
    if problem.oracle_cost is not None:
        return problem.oracle_cost, f"oracle_cost is {problem.oracle_cost!r}"
    if computes_with_arrays(problem):
        return "cheap", "its task computes with arrays"
    # benchmarks/speed/oracle_cost.py: any method written in Python is expensive.
    return "expensive", "the oracle takes one example at a time"


def _initialized(problem: Problem, X: Any, Y: Any) -> Problem:
    """Return an initialized copy of the problem."""
    problem = copied(problem)
    initialize(problem, X, Y)
    return problem


def chosen_solver(choice: Choice, limits: dict[str, Any]) -> Solver:
    """Log the choice, and return the chosen solver with the parameters in `limits`."""
    solver, reason = choice
    logger.info("%s, because %s", solver.name, reason)
    solver.set_params(**limits)
    solver.reason = reason
    return solver


def given_solver(solver: Any, beside: dict[str, Any]) -> Solver:
    """Return `solver`; raise a ValueError if it is no Solver, or if parameters are given, too."""
    if not isinstance(solver, Solver):
        raise ValueError(
            "solver must be 'auto' or a solver object of structsvm.solvers, such as "
            f"OneSlackCuttingPlane(rtol=1e-3); got {brief(solver)}"
        )
    if beside:
        given = ", ".join(f"{name}={value!r}" for name, value in beside.items())
        own = "[...], " if isinstance(solver, Plan) else ""
        possible = beside.keys() <= solver.get_params(deep=False).keys()
        write = f"write solver={type(solver).__name__}({own}{given}), or " if possible else "use "
        raise ValueError(
            f"{given} beside a solver object, which has parameters of its own: {write}solver='auto'"
        )
    return solver
