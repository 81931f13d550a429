"""One call of a problem's method: what it raises is named, what it returns is checked."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np

from structsvm.containers import n_examples, require_examples
from structsvm.exceptions import ProblemError
from structsvm.problem import Problem, Vector


def require_problem(problem: Any) -> None:
    """Raise a TypeError unless it is an instance of Problem."""
    if not isinstance(problem, Problem):
        hint = "; a class: add ()" if isinstance(problem, type) else ""
        raise TypeError(f"problem must be an instance of structsvm.Problem; got {problem!r}{hint}")


def copied(problem: Any) -> Any:
    """A deep copy of the problem, or a ProblemError where it cannot be copied."""
    try:
        return copy.deepcopy(problem)
    except Exception as error:
        raise ProblemError(
            f"{type(problem).__name__} cannot be copied ({type(error).__name__}: {error}): make "
            "what cannot be copied, such as a lock or a connection, where it is needed, or define "
            "__deepcopy__"
        ) from error


def initialize(problem: Problem, X: Any, Y: Any) -> None:
    """Let the problem learn its sizes, and check that X, Y and the sizes are usable."""
    n = require_examples(X)
    if Y is not None and n_examples(Y, "Y") != n:
        raise ValueError(f"X has {n} examples but Y has {n_examples(Y)}; they must be equal")
    call_with_data(problem, "initialize", X, Y)
    size = getattr(problem, "size_joint_feature", None)
    if not _is_count(size):
        raise ProblemError(
            f"{type(problem).__name__}.initialize must set size_joint_feature to the length of "
            f"the joint feature, an integer >= 1; it is {size!r}"
        )
    if problem.block_size is not None and not _is_count(problem.block_size):
        raise ProblemError(
            f"{type(problem).__name__}.block_size must be None or an integer >= 1; it is "
            f"{problem.block_size!r}"
        )


def call_with_data(problem: Problem, method: str, X: Any, Y: Any) -> Any:
    """What a method says of the data; a ValueError is the problem's own word on them."""
    try:
        return getattr(problem, method)(X, Y)
    except ValueError:
        raise
    except Exception as error:
        raise ProblemError(
            f"{type(problem).__name__}.{method} raised {type(error).__name__}: {error}"
        ) from error


def call(problem: Problem, method: str, *arguments: Any, where: str = "") -> Any:
    """What a method returns; an error in it becomes a ProblemError that says where."""
    try:
        return getattr(problem, method)(*arguments)
    except Exception as error:
        raise ProblemError(
            f"{type(problem).__name__}.{method} raised {type(error).__name__}{where}: {error}"
        ) from error


def checked(
    method: str, value: Any, shape: tuple[int, ...], where: str = "", rows: Any = None
) -> Vector:
    """The value as a finite float64 array of the shape asked for, or a ProblemError.

    ``rows`` are the numbers of the examples that the rows of the array belong to.
    """
    if value is None:
        raise ProblemError(f"{method} returned None{where}; expected numbers of shape {shape}")
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ProblemError(
            f"{method} must return numbers of shape {shape}{where}; got {type(value).__name__}"
        ) from error
    if array.shape != shape:
        raise ProblemError(
            f"{method} must return shape {shape}{where}; got shape {array.shape}"
            + (" (the length is size_joint_feature)" if method.endswith("feature") else "")
        )
    if not (math.isfinite(np.vdot(array, array)) or np.isfinite(array).all()):  # one pass, mostly
        if rows is not None:
            bad = ~np.isfinite(array.reshape(len(rows), -1)).all(axis=1)
            where = f" for example {rows[np.argmax(bad)]}"
        raise ProblemError(f"{method} returned NaN or infinity{where}")
    return array


def _is_count(value: Any) -> bool:
    integer = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    return integer and bool(value >= 1)
