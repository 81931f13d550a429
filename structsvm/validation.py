"""Validators for everyone: solvers, problems, estimators.

``require_*`` raise, ``checked_*`` return what they checked; every error names the argument, what
was expected and what came.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, get_args

import numpy as np
from scipy import sparse

from structsvm.capabilities import offers
from structsvm.exceptions import ProblemError
from structsvm.problem import OracleCost, OracleQuality, Parallelism, Problem, Vector

#: Numbers that are read at once, where an array may be mapped from a file larger than memory.
BLOCK = 1_000_000
#: The values that the contract allows for attributes that a problem declares.
DECLARATIONS = {
    "oracle_quality": get_args(OracleQuality),
    "oracle_cost": (None, *get_args(OracleCost)),
    "parallelism": get_args(Parallelism),
}


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
    for name, allowed in DECLARATIONS.items():
        value = getattr(problem, name)
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


def require_matrix(X: Any) -> None:
    """Raise a ValueError unless X is a finite 2-d array or CSR matrix with at least one column."""
    if not (isinstance(X, np.ndarray) or (sparse.issparse(X) and X.format == "csr")):
        raise ValueError(
            f"X must be a numpy array or a scipy.sparse CSR matrix; got {type(X).__name__}. "
            "Convert it with numpy.asarray(X) or X.tocsr()"
        )
    if X.ndim != 2 or X.shape[1] == 0:
        raise ValueError(f"X must be 2-d with at least one column; got shape {X.shape}")
    if X.dtype.kind not in "fiub":
        raise ValueError(f"X must hold real numbers; got dtype {X.dtype}")
    stored = X.data if sparse.issparse(X) else X
    if not all(np.isfinite(block).all() for block in row_blocks(stored)):
        raise ValueError("X contains NaN or infinity; fill in or drop such entries")


def row_blocks(X: Any) -> Iterator[Any]:
    """Views of consecutive rows of an array, each of about BLOCK numbers."""
    step = max(1, BLOCK // max(1, X[:1].size))
    return (X[start : start + step] for start in range(0, X.shape[0], step))


def product_dtype(X: Any) -> Any:
    """The dtype of products with X: float32 stays float32, all else is converted to float64."""
    return np.float32 if X.dtype == np.float32 else np.float64
