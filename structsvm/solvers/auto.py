"""The solver for a problem and its data, and why."""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from structsvm.calls import initialize, require_problem
from structsvm.containers import n_examples, take
from structsvm.part import Part
from structsvm.problem import Problem, SelfLabelledProblem, offers
from structsvm.result import Result
from structsvm.solvers.base import Solver
from structsvm.solvers.cccp import CCCP
from structsvm.solvers.n_slack import NSlackCuttingPlane
from structsvm.solvers.one_slack import OneSlackCuttingPlane
from structsvm.solvers.smoothed import SmoothedLBFGS
from structsvm.solvers.smoothed_cutting_plane import SmoothedCuttingPlane

logger = logging.getLogger(__name__)

#: Seconds per example from which an oracle is dear, and on how many examples that is measured.
DEAR, MEASURED = 2e-4, 16
#: A quadratic program with a few planes for each example is small up to so many examples.
FEW = 500
#: A cache of outputs is kept where a few dense planes for each example are so many numbers.
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
    """The solver that ``solver='auto'`` stands for, for this problem and data.

    It goes by what the problem offers, by the number of examples and the length of w, and by the
    time that the separation oracle takes, which is measured on some examples. C does not decide:
    where it is so large that :class:`SmoothedLBFGS` stalls, that goes over to another method by
    itself.

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
        return Choice(CCCP(), "the problem labels itself")
    if offers(problem, "constraints") or offers(problem, "lower_bounds"):
        return Choice(OneSlackCuttingPlane(), "there are constraints or bounds on w")
    if problem.oracle_quality == "undergenerating":
        if n <= FEW:
            return Choice(NSlackCuttingPlane(), f"the oracle undergenerates, and {n} are few")
        return Choice(OneSlackCuttingPlane(), f"the oracle undergenerates, and {n} are many")
    if problem.oracle_quality == "exact" and offers(problem, "sum_soft_oracle"):
        return Choice(SmoothedLBFGS(), "sum_soft_oracle is offered")
    return _by_oracle_time(problem, X, Y, n)


def _by_oracle_time(problem: Problem, X: Any, Y: Any, n: int) -> Choice:
    if Y is None:
        return Choice(OneSlackCuttingPlane(), "there are no outputs")
    if n < MEASURED:
        return Choice(OneSlackCuttingPlane(), f"{n} examples are few")
    initialize(problem, X, Y)
    some = np.linspace(0, n - 1, MEASURED).astype(np.intp)
    part = Part(problem, take(X, some), take(Y, some), some)
    started = time.perf_counter()
    part.separate(part.Y, np.zeros(part.size))
    seconds = (time.perf_counter() - started) / MEASURED
    cost = f"the oracle takes {1e3 * seconds:.2g} ms an example"
    if seconds < DEAR:
        return Choice(OneSlackCuttingPlane(), cost)
    if n * part.size > MEMORY:
        return Choice(OneSlackCuttingPlane(), f"{cost}, but {n} x {part.size} is much to keep")
    return Choice(SmoothedCuttingPlane(), cost)


class Auto(BaseEstimator):
    """Chooses a solver when it is given the problem."""

    def solve(
        self, problem: Problem, X: Any, Y: Any = None, C: float = 1.0, **options: Any
    ) -> Result:
        """As :meth:`Solver.solve` of the solver chosen."""
        solver, reason = choose_solver(problem, X, Y)
        name = type(solver).__name__
        logger.info("%s, because %s", name, reason)
        result = solver.solve(problem, X, Y, C, **options)
        return replace(result, solver=f"{name}, because {reason}")


def resolve_solver(solver: Any) -> Solver | Auto:
    """The solver asked for; 'auto' is one that chooses."""
    if isinstance(solver, Solver):
        return solver
    if isinstance(solver, str) and solver == "auto":
        return Auto()
    raise ValueError(
        "solver must be 'auto' or a solver object such as OneSlackCuttingPlane(rtol=1e-3); "
        f"got {solver!r}"
    )
