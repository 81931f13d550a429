"""Checks of the row and column indices of sparse matrices, and of the dtype of these indices.

By default, scipy does not check whether the indices refer to existing rows and columns. Operations
on a matrix with invalid indices access invalid memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

#: Formats that store the columns, or the rows, of entries in an array.
COMPRESSED = ("csr", "csc", "bsr")
#: Largest index of 32 bits.
LARGEST = np.iinfo(np.int32).max


def require_indices(X: Any, name: str = "X") -> None:
    """Raise a ValueError if a sparse X refers to rows or columns that do not exist."""
    fault = fault_of_indices(X)
    if fault:
        raise ValueError(
            f"{name} is not a valid {X.format.upper()} matrix: {fault}. Rebuild it from "
            "(data, (rows, columns))"
        )


def fault_of_indices(X: Any) -> str:
    """Return a message if the indices of a sparse array or matrix are invalid, or ''."""
    if X.format == "csr" and X.ndim == 2 and _has_valid_rows(X):
        return ""  # the common case: scipy's test takes longer than work on a row of text
    try:
        if X.format in COMPRESSED:
            if X.indices.dtype.kind not in "iu" or X.indptr.dtype.kind not in "iu":
                raise ValueError("its indices are no integers")
            if X.data.dtype.kind not in "fiubc":
                raise ValueError(f"its data are of dtype {X.data.dtype}")
            # Test a view, because the test may replace arrays of its matrix.
            type(X)((X.data, X.indices, X.indptr), shape=X.shape).check_format()
        elif X.format == "coo":
            type(X)((X.data, X.coords), shape=X.shape)
        elif X.format in ("lil", "dok"):
            X = sparse.coo_array(X)
            sparse.coo_array((X.data, X.coords), shape=X.shape)
    except (ValueError, TypeError, IndexError) as error:
        return str(error)
    return ""


def _has_valid_rows(X: Any) -> bool:
    indices, indptr = X.indices, X.indptr
    if indices.dtype.kind not in "iu" or indptr.dtype.kind not in "iu":
        return False
    if X.data.dtype.kind not in "fiub":
        return False
    if len(indptr) != X.shape[0] + 1 or indptr[0] != 0 or (indptr[1:] < indptr[:-1]).any():
        return False
    if not indptr[-1] == len(indices) == len(X.data):
        return False
    return not len(indices) or bool(indices.min() >= 0 and indices.max() < X.shape[1])


def as_csr(X: Any, name: str = "X") -> Any:
    """Check the indices of a sparse X, and convert X to CSR.

    Leave X unchanged if it is not sparse.
    """
    if not sparse.issparse(X):
        return X
    require_indices(X, name)
    return X.tocsr()


def in_32_bits(X: Any) -> Any:
    """Convert a CSR matrix to 32-bit indices, if possible: much of scikit-learn requires them.

    If no conversion is needed, X itself is returned.
    """
    wide = max(X.indices.dtype.itemsize, X.indptr.dtype.itemsize) > 4
    if not wide or max(X.shape[1], len(X.indices)) > LARGEST:
        return X
    return type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), X.shape)
