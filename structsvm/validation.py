"""Validators for everyone: solvers, problems, estimators.

``require_*`` raise, ``checked_*`` return what they checked; every error names the argument, what
was expected and what came.
"""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any, get_args

import numpy as np

from structsvm.exceptions import ProblemError
from structsvm.problem import OracleQuality, Parallelism, Problem, Vector, offers


def require_positive(name: str, value: Any) -> None:
    """Raise a ValueError unless the value is a finite number > 0."""
    if not _is(Real, value) or not 0 < value < math.inf:
        raise ValueError(f"{name} must be a finite number > 0; got {value!r}")


def require_nonnegative(name: str, value: Any) -> None:
    """Raise a ValueError unless the value is a finite number >= 0."""
    if not _is(Real, value) or not 0 <= value < math.inf:
        raise ValueError(f"{name} must be a finite number >= 0; got {value!r}")


def require_integer(name: str, value: Any, least: int) -> None:
    """Raise a ValueError unless the value is an integer of at least ``least``."""
    if not _is(Integral, value) or value < least:
        raise ValueError(f"{name} must be an integer >= {least}; got {value!r}")


def require_n_jobs(value: Any) -> None:
    """Raise a ValueError unless the value is None or an integer other than 0."""
    if value is not None and (not _is(Integral, value) or value == 0):
        raise ValueError(
            f"n_jobs must be None or an integer, -1 for all processors, not 0; got {value!r}"
        )


def require_flag(name: str, value: Any) -> None:
    """Raise a ValueError unless the value is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False; got {value!r}")


def require_callable(name: str, value: Any) -> None:
    """Raise a TypeError unless the value is None or can be called."""
    if value is not None and not callable(value):
        raise TypeError(f"{name} must be callable; got {value!r}")


def require_problem(problem: Any) -> None:
    """Raise a TypeError unless it is an instance of Problem."""
    if not isinstance(problem, Problem):
        hint = "; a class: add ()" if isinstance(problem, type) else ""
        raise TypeError(f"problem must be an instance of structsvm.Problem; got {problem!r}{hint}")


def require_declarations(problem: Problem) -> None:
    """Raise a ProblemError where an attribute of the problem has no value of the contract."""
    for name, kind in (("oracle_quality", OracleQuality), ("parallelism", Parallelism)):
        value, allowed = getattr(problem, name), get_args(kind)
        if value not in allowed:
            raise ProblemError(f"{name} must be one of {allowed}; got {value!r}")


def require_rescaling(rescaling: str, problem: Problem) -> None:
    """Raise unless the problem can be trained with this rescaling."""
    if rescaling not in ("margin", "slack"):
        raise ValueError(f"rescaling must be 'margin' or 'slack'; got {rescaling!r}")
    if rescaling == "slack" and not offers(problem, "slack_oracle"):
        raise ValueError(
            f"rescaling='slack' needs {type(problem).__name__}.slack_oracle, which is missing; "
            "define it, or use rescaling='margin'"
        )


def checked_w(name: str, value: Any, size: int) -> Vector:
    """A copy of the value as a w, or a ValueError."""
    expected = f"{name} must be finite and of shape ({size},)"
    if name == "w0":
        expected += " (with warm_start=True it is the solution of the last fit)"
    try:
        w = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{expected}; got {value!r}") from None
    if w.shape != (size,):
        raise ValueError(f"{expected}; got shape {w.shape}")
    if not np.isfinite(w).all():
        raise ValueError(f"{expected}; it contains NaN or infinity")
    return w


def checked_generator(random_state: Any) -> np.random.Generator:
    """A random generator, or a ValueError."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            f"random_state must be an integer >= 0 or a numpy Generator; got {random_state!r}"
        ) from None


def _is(kind: type, value: Any) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)
