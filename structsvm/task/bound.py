"""The function that binds a problem to its data, and adds the wrappers that are needed."""

from __future__ import annotations

from typing import Any

from structsvm.contract.problem import Problem
from structsvm.data.arrays import Indices, Vector
from structsvm.exceptions import ProblemError
from structsvm.objective.surrogate import HINGE, Surrogate
from structsvm.task.faults import overridden
from structsvm.task.rescaled import Rescaled
from structsvm.task.shifted import Shifted
from structsvm.task.smoothed import Smoothed
from structsvm.task.watched import Watched
from structsvm.task.weighted import Weighted


def bound(
    problem: Problem,
    X: Any,
    Y: Any,
    index: Indices,
    surrogate: Surrogate = HINGE,
    weights: Vector | None = None,
    prior: Vector | None = None,
) -> Any:
    """Return the wrapped task of a problem and some examples.

    Parameters
    ----------
    problem : Problem
    X, Y : sequences
    index : ndarray of shape (n,)
        The indices of the task's examples among all examples.
    surrogate : Surrogate
    weights : ndarray of shape (n,), optional
        The weights of the examples. Default: 1.
    prior : ndarray of shape (size,), optional
        The prior. Solvers work with w minus the prior. Default: 0.

    Raises
    ------
    ProblemError
        If the task does not hold the examples, or ignores a method that the problem's class
        overrides.
    """
    task: Any = Watched.of(problem, X, Y, index)
    kinds: Any = type(problem), type(task.task)
    if not task.plain and (words := overridden(*kinds)):
        raise ProblemError(words)
    if surrogate.rescaling == "slack":
        task = Rescaled(task)
    if surrogate.loss != "hinge":
        task = Smoothed(task, surrogate.loss_factor)
    if weights is not None:
        task = Weighted(task, weights)
    if prior is not None:
        task = Shifted(task, prior)
    return task
