"""Checks of matrices and arrays, and the dtype of their products."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Set
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import validate_data

from structsvm.data.arrays import Vector
from structsvm.data.columns import compare_columns, require_real_columns
from structsvm.data.conversion import (
    converted,
    first_missing,
    require_no_iterator,
    require_not_swapped,
    require_ordered_each,
    require_real,
    require_values,
    table_of,
)
from structsvm.data.remedies import BLOCKS, label_remedy
from structsvm.data.sparse_indices import as_csr, in_32_bits, require_indices

#: Number of entries read at a time from an array, which may be mapped from a huge file.
BLOCK = 1_000_000
#: The end of messages about missing words, on how words of a table get lost.
WORDS_LOST = (
    "; pandas.read_csv takes words such as 'NA' and 'null' for missing, unless it is given "
    "keep_default_na=False"
)
#: The sum of this number of squared entries must not overflow in the dtype of a matrix.
SUMMED = 1e10


def checked_rows(estimator: Any, X: Any, y: Any = "no_validation", **options: Any) -> Any:
    """Check X, or X and y, by scikit-learn's ``validate_data`` and :func:`require_matrix`.

    Every estimator whose inputs are rows checks its data with this function. By default, X may be
    sparse. A sparse X becomes a CSR matrix, as :func:`in_floats` describes. The dtype of X becomes
    float64, unless it is float32. The keyword arguments ``options`` are passed to
    ``validate_data``.
    """
    given, X, y = y, _readable("X", X), _readable("y", y)
    table = table_of("X", X)
    if np.shape(X)[:1] == (0,):
        raise ValueError("X has no rows; expected at least one: where it may be empty, test len(X)")
    _require_targets(y)
    require_not_swapped(X, y)
    if sparse.issparse(X):
        require_indices(X)
    if table is not None:
        require_real_columns("X", table)
    elif hasattr(X, "dtype"):
        require_real("X", X)
    # require_matrix finds entries that are not finite in the same pass as too large entries.
    kinds = [np.float64, np.float32]
    options = {"accept_sparse": "csr", "dtype": kinds, "ensure_all_finite": False, **options}
    try:
        # A number that is too large for the dtype becomes infinite, and is refused below.
        with np.errstate(over="ignore"):
            checked = validate_data(estimator, X, y, **options)
    except OverflowError as error:
        raise ValueError(f"X must hold finite numbers of float64: {error}") from error
    except TypeError as error:
        require_values("X", X)
        raise TypeError(f"X must hold real numbers, a row for each example: {error}") from error
    except ValueError as error:
        if str(error).startswith("Expected 2D array"):
            raise ValueError(
                f"X must hold numbers, a row for each example; got shape {np.shape(X)}. Reshape "
                "your data: X.reshape(-1, 1) is one feature, X.reshape(1, -1) one example"
            ) from error
        if str(error).startswith("Found input variables"):
            raise ValueError(f"X and y must have the same length: {error}") from error
        if str(error).startswith("y should be a 1d array"):
            remedy = label_remedy("y", given, np.shape(X)[0])
            raise ValueError(f"{str(error).rstrip('.')}{remedy}") from error
        raise
    except Exception:  # for example an entry whose __float__ fails
        converted("X", X, "hold real numbers", np.float64)
        raise
    if table is not None or hasattr(estimator, "_tables"):
        # Compare after scikit-learn's check, which compares only column names that are strings.
        compare_columns(estimator, "X", X if table is None else table, options.get("reset", True))
    if isinstance(y, str):
        require_matrix(checked)
        return in_floats(checked)
    require_matrix(checked[0])
    return in_floats(checked[0]), checked[1]


def _require_targets(y: Any) -> None:
    """Raise a ValueError for sparse targets, or for the first missing label."""
    labels = converted("y", y, "be an array of labels")
    if labels.ndim and labels.size == len(labels):
        row = first_missing(labels)
        if row is not None:
            raise ValueError(
                f"Input y contains NaN or another missing label, first in row {row}; every row "
                "needs a label: fill it in, or leave the row out"
            )


def _readable(name: str, data: Any) -> Any:
    """Return X or y in a form that scikit-learn can convert.

    Raises a ValueError or TypeError if rows are masked, if rows are not computed yet, or if numpy
    would convert X to an array that holds one object.
    """
    if (table := table_of(name, data)) is not None:
        return table.to_native()
    require_unmasked(name, data)
    if sparse.issparse(data) or isinstance(data, np.ndarray):  # some sparse matrices are dicts
        return data
    arrays = hasattr(data, "__len__") or hasattr(data, "shape") or hasattr(data, "__array__")
    if name == "X" and (not arrays or isinstance(data, (str, bytes, Set, Mapping))):
        remedy = f"; pass numpy.array(list(X)){BLOCKS}" if isinstance(data, Iterator) else ""
        raise ValueError(
            f"X must be an array, a row for each example; got {type(data).__name__}{remedy}"
        )
    if data is None or isinstance(data, str) or hasattr(data, "columns") or hasattr(data, "iloc"):
        return data
    return converted(name, data, "be an array")


def require_matrix(X: Any, name: str = "X") -> None:
    """Raise a ValueError unless X is a 2-d array or sparse matrix of valid numbers.

    The matrix must have at least one column. The numbers must be finite, and their squares must not
    overflow.
    """
    dense = isinstance(X, np.ndarray) and not isinstance(X, np.matrix)
    if not (dense or sparse.issparse(X)):
        require_no_iterator(name, X)
        raise ValueError(
            f"{name} must be a numpy array or a scipy.sparse matrix; got {type(X).__name__}. "
            f"Convert it with numpy.asarray({name})"
        )
    require_unmasked(name, X)
    if X.ndim != 2 or X.shape[1] == 0:
        raise ValueError(f"{name} must be 2-d with at least one column; got shape {X.shape}")
    require_real(name, X)
    if X.dtype == object:
        raise ValueError(f"{name} must hold real numbers; got objects: try .astype(float)")
    X = as_csr(X, name)
    largest = largest_entry(X)
    if not math.isfinite(largest):
        i, j = _first_not_finite(X)
        raise ValueError(
            f"{name} contains NaN or infinity, first in row {i}, column {j}; fill in or drop such "
            "entries"
        )
    require_powers(largest, product_dtype(X), name=name, underflow=False)


def _first_not_finite(X: Any) -> tuple[int, int]:
    """Return row and column of the first entry of an array or CSR matrix that is not finite."""
    if sparse.issparse(X):
        place = int(np.argmin(np.isfinite(X.data)))
        return int(np.searchsorted(X.indptr, place, "right")) - 1, int(X.indices[place])
    row = next(i for i, x in enumerate(X) if not np.isfinite(x).all())
    return row, int(np.argmin(np.isfinite(X[row])))


def in_floats(X: Any) -> Any:
    """Convert features to the dtype in which products and differences are computed.

    float32 stays float32, float16 becomes float32, and all other dtypes become float64. The
    conversion matters, for example, for differences of integers, which may wrap around or overflow.
    Integers above 2^53 are rounded, and True becomes 1. The bytes of the result are in the
    machine's byte order. A sparse X becomes a CSR matrix. In a CSR result, the column indices of
    each row are unique and in increasing order. Indices are stored in 32 bits if they fit.

    A problem whose inputs are features calls in_floats for all inputs, both in its task and in its
    methods for single examples. The inputs of other problems are not converted, because integers
    may be indices of words or of rows in a table.

    Parameters
    ----------
    X : array or scipy.sparse matrix of real numbers

    Returns
    -------
    array or CSR matrix
        X itself if no conversion is needed, and otherwise a copy. X is never changed.
    """
    X = in_32_bits(X.tocsr()) if sparse.issparse(X) else X
    dtype = product_dtype(X)
    if X.dtype != dtype:
        with np.errstate(over="ignore"):  # numbers of wider types may become infinite
            X = X.astype(dtype)
    if sparse.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def require_powers(
    largest: float, dtype: Any, power: int = 2, *, name: str = "X", underflow: bool = True
) -> None:
    """Raise a ValueError if powers of a matrix's entries overflow, or all underflow, in ``dtype``.

    The argument ``largest`` is the largest absolute value of an entry, ``power`` is the exponent,
    and ``name`` is the name of the matrix.
    """
    if not math.isfinite(largest):
        raise ValueError(f"{name} contains NaN or infinity; fill in or drop such entries")
    precision = np.finfo(dtype)
    limit = float((float(precision.max) / SUMMED) ** (1 / power))
    if largest > limit:
        wider = "" if precision.dtype == np.float64 else ", or use float64"
        raise ValueError(
            f"the largest entry of {name} is {largest:.3g}, and sums or products of numbers above "
            f"{limit:.1g} overflow; divide {name} by {largest:.0e}, drop outliers{wider}"
        )
    # Differences between entries have fewer digits than the entries have.
    least = float(precision.tiny) ** (1 / power) / float(precision.eps)
    if underflow and 0 < largest < least:
        raise ValueError(
            f"the largest entry of {name} is {largest:.3g}, and products of numbers below "
            f"{least:.1g} underflow; multiply {name} by {1 / max(largest, 1e-300):.0e}"
        )


def largest_entry(X: Any) -> float:
    """Return a matrix's largest absolute value: 0 for an empty matrix, NaN if there is any NaN."""
    stored = X.data if sparse.issparse(X) else X
    # Use numpy's maximum, since Python's may drop a NaN.
    return float(np.max([float(stored.max()), -float(stored.min())])) if stored.size else 0.0


def checked_numbers(name: str, values: Any) -> Vector:
    """Convert values to float64.

    Text and dates are refused, although numpy would convert them.
    """
    require_unmasked(name, values)
    array = converted(name, values, "hold real numbers")
    require_real(name, array)
    return np.asarray(converted(name, array, "hold real numbers", np.float64))


def one_array(name: str, values: Any) -> Any:
    """Convert values to an array.

    Raise a ValueError if the values are sequences of different lengths.
    """
    array = converted(name, values, "be an array of single values")
    if array.dtype.kind == "V":
        raise ValueError(f"{name} must be an array of single values; got dtype {array.dtype}")
    if array.dtype == object:
        require_ordered_each(name, array)
    return array


def require_unmasked(name: str, data: Any) -> None:
    """Raise a ValueError for masked arrays, since numpy would ignore the masks."""
    if any(map(np.ma.isMaskedArray, data if isinstance(data, (list, tuple)) else (data,))):
        raise ValueError(f"{name} must not be masked; fill in missing entries, or drop their rows")


def row_blocks(X: Any) -> Iterator[Any]:
    """Yield views of consecutive rows of an array, with about BLOCK numbers in each view."""
    step = max(1, BLOCK // max(1, X[:1].size))
    for start in range(0, X.shape[0], step):
        yield X[start : start + step]


def product_dtype(X: Any) -> Any:
    """Return the dtype of products with X: float32 for float32 and float16, otherwise float64."""
    single = X.dtype.kind == "f" and X.dtype.itemsize <= 4
    return np.dtype(np.float32 if single else np.float64)


def weights_for(X: Any, W: Any) -> Any:
    """Return weights in the dtype of products with X, or in float64 if products may overflow.

    If the weights had another dtype than X, every product would convert the whole matrix X.
    """
    dtype = product_dtype(X)
    precision, largest = np.finfo(dtype), float(np.abs(W).max(initial=0.0))
    least = float(precision.tiny) / float(precision.eps)
    held = not largest or least < largest <= (float(precision.max) / SUMMED) ** 0.5
    return W.astype(dtype if held else np.float64, copy=False)


def row_scores(x: Any, w: Vector) -> Vector:
    """Return the scores <w, x_i> of all rows, as float64 of shape (n,)."""
    return np.asarray(x @ weights_for(x, w)).astype(np.float64, copy=False)


def weighted_sum(x: Any, weights: Vector) -> Vector:
    """Return the sum over i of weights[i] x_i, as float64 of shape (d,)."""
    return np.asarray(x.T @ weights.astype(product_dtype(x))).astype(np.float64, copy=False)


def weighted_sizes(x: Any, weights: Any) -> Vector:
    """Return the sum over i of weights[i] abs(x_i), as float64 of shape (d,), without copying x."""
    step = max(1, BLOCK // max(1, x.shape[1]))
    total = np.zeros(x.shape[1])
    for start in range(0, x.shape[0], step):
        some = slice(start, start + step)
        total += weighted_sum(abs(x[some]), weights[some])
    return total


def mean_square(rows: Any, weights: Any = None) -> float:
    """Return the mean, optionally weighted, of ||x||^2 over the rows x of a matrix."""
    numbers = rows.data if sparse.issparse(rows) else rows
    squares = np.square(numbers, dtype=np.float64)
    if weights is None:
        return float(squares.sum() / rows.shape[0])
    each = np.repeat(weights, np.diff(rows.indptr)) if sparse.issparse(rows) else weights
    return float((each @ squares).sum()) / float(np.sum(weights))


def stacked_matrices(parts: list[Any]) -> Any:
    """Stack arrays or sparse matrices."""
    if any(map(sparse.issparse, parts)):
        return sparse.vstack(parts, format="csr")
    return np.concatenate(parts)


def side_by_side(parts: Any) -> Any:
    """Join the columns of arrays or sparse matrices, in CSR format if any part is sparse."""
    if any(map(sparse.issparse, parts)):
        return sparse.hstack(parts, format="csr")
    return np.hstack(parts)
