"""The functions that copy a problem, and initialize it with data."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from structsvm.contract.declarations import wrong_declarations
from structsvm.contract.latent import require_annotations
from structsvm.contract.problem import Problem
from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.data.containers import in_single, n_examples, require_examples
from structsvm.exceptions import ProblemError
from structsvm.oracle.memory import require_memory
from structsvm.task.advice import advice
from structsvm.task.answers import is_usable
from structsvm.task.call import Call, checked

#: The index of the first example.
FIRST = np.zeros(1, dtype=np.intp)
#: The smallest length of w for which the available memory is checked.
LONG = 10**7


def copied(problem: Any) -> Any:
    """Return a deep copy of the problem, or raise a ProblemError if the copy fails."""
    try:
        return copy.deepcopy(problem)
    except Exception as error:
        raise ProblemError(
            f"{type(problem).__name__} cannot be copied ({type(error).__name__}: {error}): make "
            "what cannot be copied, such as a lock or a connection, where it is needed, or define "
            "__deepcopy__"
        ) from error


def initialize(problem: Problem, X: Any, Y: Any) -> None:
    """Call the problem's ``initialize``, and check the sizes and the first joint feature.

    Raises a MemoryError if vectors of the length of w certainly do not fit in memory.
    """
    X = in_single(X)  # all methods get the converted X
    set_sizes(problem, X, Y)
    if problem.size_joint_feature > LONG:
        require_memory(problem)
    # A self-labelled problem has no output yet.
    if Y is not None and not isinstance(problem, SelfLabelledProblem):
        _require_joint_feature(problem, X, Y)


def set_sizes(problem: Problem, X: Any, Y: Any) -> None:
    """Call the problem's ``initialize``, and check that X, Y and the sizes are usable."""
    require_examples(X, **({} if Y is None else {"Y": Y}))
    if isinstance(problem, SelfLabelledProblem):
        require_annotations(problem, X, Y)
    if type(problem).initialize is Problem.initialize:
        hint = "x is X[0] and y is Y[0]; are X and Y in this order?"
        with Call(problem, "joint_feature", FIRST, hint, place=0):
            problem.initialize(X, Y)
    else:
        try:
            problem.initialize(X, Y)
        except Exception as error:
            Call(problem, "initialize", propagates=ValueError).require_none(error)
            raise
    size: Any = getattr(problem, "size_joint_feature", None)
    if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < 1:
        raise ProblemError(
            f"{type(problem).__name__}.initialize must set size_joint_feature to the length of "
            f"the joint feature, an integer >= 1; it is {size!r}"
        )
    for attribute, wrong in wrong_declarations(problem):
        raise ProblemError(f"{type(problem).__name__}.{attribute} {wrong}")


def _require_joint_feature(problem: Problem, X: Any, Y: Any) -> None:
    """Raise a ProblemError if the length of the first joint feature is not the length of w."""
    n, size = n_examples(X), int(problem.size_joint_feature)
    try:
        x, y = X[0], Y[0]
    except Exception:  # scipy < 1.13 cannot index sparse arrays; other errors are reported later
        return
    try:
        psi = problem.joint_feature(x, y)
    except Exception as error:
        Call(problem, "joint_feature", FIRST, place=0).require_none(error)
        raise
    if is_usable(psi, (size,)):
        return
    remedy = advice(problem)
    if size % n == 0 and n > 1:
        axis = f"is the number of examples ({n}), X.shape[0], taken for that of features?"
        remedy = f"{axis} {remedy}"
    name = f"{type(problem).__name__}.joint_feature"
    checked(name, psi, (size,), " for example 0", remedy=remedy)
