"""Validators for everyone: solvers, problems, estimators.

``require_*`` raise, ``checked_*`` return what they checked; every error names the argument, what
was expected and what came.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from numbers import Real
from typing import Any, get_args

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from structsvm.capabilities import offers
from structsvm.exceptions import ProblemError
from structsvm.problem import OracleQuality, Parallelism, Problem, Vector

#: Numbers that are read at once, where an array may be mapped from a file larger than memory.
BLOCK = 1_000_000
#: Jobs, at most: more is a mistake, and would start as many processes.
MOST_JOBS = 10_000
#: Restarts of a search, at most: more is a mistake, and would never end.
MOST_STARTS = 1_000_000
#: Squares of entries of a matrix that must add up to a number of its dtype.
SUMMED = 1e10


def require_positive(name: str, value: Any) -> None:
    """Raise a ValueError unless the value is a finite number > 0."""
    if not 0 < as_float(value) < math.inf:
        raise ValueError(f"{name} must be a finite number > 0; got {_shown(value)}")


def require_nonnegative(name: str, value: Any) -> None:
    """Raise a ValueError unless the value is a finite number >= 0."""
    if not 0 <= as_float(value) < math.inf:
        raise ValueError(f"{name} must be a finite number >= 0; got {_shown(value)}")


def require_integer(name: str, value: Any, least: int, most: int | None = None) -> None:
    """Raise a ValueError unless the value is an integer from ``least`` to ``most``."""
    if not _is_integer(value) or value < least:
        raise ValueError(f"{name} must be an integer >= {least}; got {_shown(value)}")
    if most is not None and value > most:
        raise ValueError(f"{name} must be at most {most}; got {_shown(value)}")


def require_n_jobs(value: Any) -> None:
    """Raise a ValueError unless the value is None or a sensible integer other than 0."""
    if value is None or (_is_integer(value) and 0 < abs(int(value)) <= MOST_JOBS):
        return
    raise ValueError(
        f"n_jobs must be None or an integer of at most {MOST_JOBS}, -1 for all processors, not 0; "
        f"got {_shown(value)}"
    )


def require_flag(name: str, value: Any) -> None:
    """Raise a ValueError unless the value is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False; got {_shown(value)}")


def require_verbose(value: Any) -> None:
    """Raise a ValueError unless the value is True, False or an integer >= 0."""
    if not isinstance(value, (bool, np.bool_)):
        require_integer("verbose, if not True or False,", value, least=0)


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
    if not isinstance(rescaling, str) or rescaling not in ("margin", "slack"):
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
        if np.iscomplexobj(value):  # numpy would drop the imaginary parts with a mere warning
            raise ValueError
        with np.errstate(over="ignore"):  # numbers of longer types become infinite
            w = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{expected}; got {value!r}") from None
    if w.shape != (size,):
        raise ValueError(f"{expected}; got shape {w.shape}")
    if not np.isfinite(w).all():
        raise ValueError(f"{expected}; it contains NaN or infinity")
    return w


def checked_generator(random_state: Any) -> np.random.Generator:
    """A random generator of numpy, or a ValueError."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            "random_state must be an integer >= 0, a numpy Generator or None; got "
            f"{_shown(random_state)}"
        ) from None


def checked_random_state(random_state: Any) -> np.random.RandomState:
    """A random state of scikit-learn's kind, or a ValueError."""
    try:
        return check_random_state(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            "random_state must be an integer from 0 to 2^32 - 1, a numpy RandomState or None; got "
            f"{_shown(random_state)}"
        ) from None


def _is_number(value: Any) -> bool:
    # Other kinds of numbers, such as a Fraction, would make arrays of objects.
    real = isinstance(value, (int, float, np.integer, np.floating))
    return real and not isinstance(value, bool)


def as_float(value: Any) -> float:
    """The number as a float, infinite where none is so large; NaN for anything else."""
    try:
        return float(value) if _is_number(value) else math.nan
    except OverflowError:
        return math.inf


def _is_integer(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    """The value for a message, with what to write instead where it is an unusual number."""
    hint = "; convert it with float()" if isinstance(value, Real) and not _is_number(value) else ""
    return f"{value!r:.80}" + ("" if isinstance(value, (bool, np.bool_)) else hint)


# ---------------------------------------------------------------------- matrices


def checked_rows(estimator: Any, X: Any, y: Any = "no_validation", **options: Any) -> Any:
    """X, or X and y, by scikit-learn's ``validate_data``, and X also by :func:`require_matrix`.

    All estimators of rows take their data through here. Unless ``options`` say otherwise, X may be
    sparse and becomes CSR, and its dtype becomes float64 or stays float32.
    """
    for name, data in (("X", X), ("y", y)):
        require_unmasked(name, data)
    if sparse.issparse(X):
        require_indices(X)
    # What is not finite is found by require_matrix, in the same pass as what is too large.
    kinds = [np.float64, np.float32]
    options = {"accept_sparse": "csr", "dtype": kinds, "ensure_all_finite": False, **options}
    try:
        # A number too large for the dtype becomes infinite, and is refused by name.
        with np.errstate(over="ignore"):
            checked = validate_data(estimator, X, y, **options)
    except OverflowError as error:
        raise ValueError(f"X must hold finite numbers of float64: {error}") from None
    require_matrix(checked if isinstance(y, str) else checked[0])
    return checked


def require_matrix(X: Any) -> None:
    """Raise a ValueError unless X is a 2-d array or CSR matrix with columns, of usable numbers.

    They must be finite, and not so large that their squares overflow.
    """
    dense = isinstance(X, np.ndarray) and not isinstance(X, np.matrix)
    if not (dense or (sparse.issparse(X) and X.format == "csr")):
        raise ValueError(
            f"X must be a numpy array or a scipy.sparse CSR matrix; got {type(X).__name__}. "
            "Convert it with numpy.asarray(X) or X.tocsr()"
        )
    require_unmasked("X", X)
    if X.ndim != 2 or X.shape[1] == 0:
        raise ValueError(f"X must be 2-d with at least one column; got shape {X.shape}")
    if X.dtype.kind not in "fiub":
        raise ValueError(f"X must hold real numbers; got dtype {X.dtype}")
    if sparse.issparse(X):
        require_indices(X)
    require_entries(largest_entry(X), product_dtype(X))


def require_entries(largest: float, dtype: Any, name: str = "X") -> None:
    """Raise a ValueError unless the largest entry of a matrix has a square in the dtype.

    Scores need it too: weights are about as large as the features that they were made of.
    """
    if not math.isfinite(largest):
        raise ValueError(f"{name} contains NaN or infinity; fill in or drop such entries")
    _require_at_most(dtype, 2, largest, name)


def require_powers(
    largest: float, dtype: Any, power: int = 2, *, name: str = "X", underflow: bool = True
) -> None:
    """Raise a ValueError where powers of entries overflow, or all underflow, in the dtype.

    ``largest`` is the size of the largest entries, ``name`` what holds them. The default is their
    squares.
    """
    _require_at_most(dtype, power, largest, name)
    precision = np.finfo(dtype)
    # Differences between entries have fewer digits than the entries.
    least = float(precision.tiny) ** (1 / power) / float(precision.eps)
    if underflow and 0 < largest < least:
        raise ValueError(
            f"the largest entry of {name} is {largest:.3g}, and products of numbers below "
            f"{least:.1g} underflow; multiply {name} by {1 / largest:.0e}"
        )


def _require_at_most(dtype: Any, power: int, largest: float, name: str) -> None:
    """Raise a ValueError where sums of such powers overflow."""
    precision = np.finfo(dtype)
    limit = (float(precision.max) / SUMMED) ** (1 / power)
    if largest > limit:
        wider = "" if precision.dtype == np.float64 else ", or use float64"
        raise ValueError(
            f"the largest entry of {name} is {largest:.3g}, and sums or products of numbers above "
            f"{limit:.1g} overflow; divide {name} by {largest:.0e}, drop outliers{wider}"
        )


def largest_entry(X: Any) -> float:
    """The largest absolute value in a matrix, 0 where it is empty, NaN where it holds a NaN."""
    stored = X.data if sparse.issparse(X) else X
    ends = [(float(b.max()), -float(b.min())) for b in row_blocks(stored) if b.size]
    # numpy's maximum, since Python's drops a NaN.
    return float(np.max(ends, initial=0.0))


def checked_numbers(name: str, values: Any) -> Any:
    """Values as an array of float64; refuses text and dates, which numpy would convert."""
    require_unmasked(name, values)
    try:
        array = np.asarray(values)
        if array.dtype.kind in "USMmcV":
            raise ValueError(f"got dtype {array.dtype}")
        if array.dtype == object and any(isinstance(value, str) for value in array.ravel()):
            raise ValueError("got text in some places")
        with np.errstate(over="ignore"):  # numbers of longer types become infinite
            return array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} must hold real numbers: {error}") from None


def one_array(name: str, values: Any) -> Any:
    """Values as a numpy array; a ValueError where they are sequences of different lengths."""
    try:
        array = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be an array of single values: {error}") from None
    if array.dtype.kind == "V":
        raise ValueError(f"{name} must be an array of single values; got dtype {array.dtype}")
    return array


def require_unmasked(name: str, data: Any) -> None:
    """Raise a ValueError for a masked array, whose mask numpy would ignore."""
    if np.ma.isMaskedArray(data):
        raise ValueError(f"{name} must not be masked; fill in missing entries, or drop their rows")


def require_indices(X: Any, name: str = "X") -> None:
    """Raise a ValueError where a sparse X refers to rows or columns that it lacks.

    scipy tests this only on request, and products with such a matrix read or write other memory.
    """
    try:
        if X.format in ("csr", "csc", "bsr"):
            if X.indices.dtype.kind not in "iu" or X.indptr.dtype.kind not in "iu":
                raise ValueError("its indices are no integers")
            if X.data.dtype.kind not in "fiubc":
                raise ValueError(f"its data are of dtype {X.data.dtype}")
            # A view, because the test may replace arrays of its matrix.
            type(X)((X.data, X.indices, X.indptr), shape=X.shape).check_format()
        elif X.format == "coo":
            type(X)((X.data, (X.row, X.col)), shape=X.shape)
    except (ValueError, TypeError, IndexError) as error:
        raise ValueError(
            f"{name} is not a valid {X.format.upper()} matrix: {error}. Make it anew, from "
            "(data, (rows, columns))"
        ) from None


def row_blocks(X: Any) -> Iterator[Any]:
    """Views of consecutive rows of an array, each of about BLOCK numbers."""
    step = max(1, BLOCK // max(1, X[:1].size))
    return (X[start : start + step] for start in range(0, X.shape[0], step))


def product_dtype(X: Any) -> Any:
    """The dtype of products with X: float32 stays float32, all else is converted to float64."""
    return np.float32 if X.dtype == np.float32 else np.float64


def weights_for(X: Any, W: Any) -> Any:
    """Weights in the dtype of products with X, or in float64 where float32 cannot hold them.

    A mixed product would convert all of a float32 X at every call.
    """
    dtype = product_dtype(X)
    precision, largest = np.finfo(dtype), float(np.abs(W).max(initial=0.0))
    least = float(precision.tiny) / float(precision.eps)
    held = not largest or least < largest < float(precision.max)
    return W.astype(dtype if held else np.float64, copy=False)
