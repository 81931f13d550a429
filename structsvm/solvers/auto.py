"""The solver for a problem and its data, and why."""

from __future__ import annotations

import logging
import time
from typing import Any, NamedTuple

import numpy as np

from structsvm.capabilities import offers, oracle_is_exact, oracle_may_miss
from structsvm.containers import n_examples, take
from structsvm.oracle.block import Block
from structsvm.oracle.setup import initialize
from structsvm.problem import Problem, SelfLabelledProblem
from structsvm.solvers.base import Solver
from structsvm.solvers.cccp import CCCP
from structsvm.solvers.n_slack import NSlackCuttingPlane
from structsvm.solvers.one_slack import OneSlackCuttingPlane
from structsvm.solvers.smoothed import SmoothedLBFGS
from structsvm.solvers.smoothed_cutting_plane import SmoothedCuttingPlane
from structsvm.validation import require_problem

logger = logging.getLogger(__name__)

#: Names of the solvers, for messages.
SOLVERS = (
    "OneSlackCuttingPlane",
    "NSlackCuttingPlane",
    "SmoothedLBFGS",
    "SmoothedCuttingPlane",
    "BlockCoordinateFrankWolfe",
    "CCCP",
)

#: An oracle that takes this many seconds for an example is expensive.
EXPENSIVE = 2e-4
#: The number of examples on which that is measured.
MEASURED = 16
#: Largest number of examples for which a quadratic program with some planes for each is small.
FEW = 500
#: Largest number of examples times the length of w for which planes are kept by example.
MEMORY = 2e9


class Choice(NamedTuple):
    """A solver, and why it was chosen.

    Attributes
    ----------
    solver : solver object
    reason : str
    """

    solver: Any
    reason: str


def choose_solver(problem: Problem, X: Any, Y: Any = None) -> Choice:
    """Choose the solver that ``solver='auto'`` stands for, for this problem and data.

    The choice depends on what the problem offers, on the number of examples and the length of w,
    and on the time that the separation oracle takes, which is measured on some examples. It does
    not depend on C: where that is so large that :class:`SmoothedLBFGS` stalls, it switches to
    another method by itself.

    Parameters
    ----------
    problem : Problem
        Its ``initialize`` is called where the oracle's time matters.
    X, Y : sequences
        The training data.

    Returns
    -------
    Choice
        The solver, with its defaults, and the reason in words.

    Examples
    --------
    >>> from structsvm import choose_solver
    >>> from structsvm.problems import Chain
    >>> X, Y = Chain.example_data()
    >>> solver, reason = choose_solver(Chain(), X, Y)
    >>> print(solver, "-", reason)
    SmoothedLBFGS() - sum_soft_oracle is offered
    """
    require_problem(problem)
    n = n_examples(X)
    if isinstance(problem, SelfLabelledProblem):
        return Choice(CCCP(), "the problem is self-labelled")
    if offers(problem, "constraints") or offers(problem, "lower_bounds"):
        return Choice(OneSlackCuttingPlane(), "there are constraints or bounds on w")
    if oracle_may_miss(problem):
        if n <= FEW:
            return Choice(NSlackCuttingPlane(), f"the oracle undergenerates, and {n} are few")
        return Choice(OneSlackCuttingPlane(), f"the oracle undergenerates, and {n} are many")
    if oracle_is_exact(problem) and offers(problem, "sum_soft_oracle"):
        return Choice(SmoothedLBFGS(), "sum_soft_oracle is offered")
    return _by_oracle_time(problem, X, Y, n)


def _by_oracle_time(problem: Problem, X: Any, Y: Any, n: int) -> Choice:
    if Y is None:
        return Choice(OneSlackCuttingPlane(), "there are no outputs")
    if n < MEASURED:
        return Choice(OneSlackCuttingPlane(), f"{n} examples are few")
    initialize(problem, X, Y)
    # Evenly spread: the first examples may be the short ones.
    some = np.linspace(0, n - 1, MEASURED).astype(np.intp)
    block = Block(problem, take(X, some), take(Y, some), some)
    started = time.perf_counter()
    block.separate(np.zeros(block.size))
    seconds = (time.perf_counter() - started) / MEASURED
    cost = f"the oracle takes {1e3 * seconds:.2g} ms an example"
    if seconds < EXPENSIVE:
        return Choice(OneSlackCuttingPlane(), cost)
    if n * block.size > MEMORY:
        return Choice(OneSlackCuttingPlane(), f"{cost}, but {n} x {block.size} is much to keep")
    return Choice(SmoothedCuttingPlane(), cost)


def chosen_solver(choice: Choice, limits: dict[str, Any]) -> Solver:
    """The solver of a choice, with these values of its parameters."""
    solver, reason = choice
    logger.info("%s, because %s", type(solver).__name__, reason)
    solver.set_params(**limits)
    solver.reason = reason
    return solver


def given_solver(solver: Any, limits: dict[str, Any]) -> Solver:
    """The solver that a user gave; a ValueError if it is none, or if limits are given beside it."""
    if not isinstance(solver, Solver):
        hint = "; a class: add ()" if isinstance(solver, type) else ""
        raise ValueError(
            "solver must be 'auto' or a solver object such as OneSlackCuttingPlane(rtol=1e-3); the "
            f"solvers are those of structsvm.solvers: {', '.join(SOLVERS)}; got {solver!r}{hint}"
        )
    if limits:
        given = ", ".join(f"{name}={value!r}" for name, value in limits.items())
        raise ValueError(
            f"{given} beside a solver object, which has limits of its own: write "
            f"solver={type(solver).__name__}({given}), or solver='auto'"
        )
    return solver
