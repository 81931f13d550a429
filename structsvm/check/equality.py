"""Copy arbitrary objects, and compare a copy with the original to find changes.

Only data are compared: numbers, text, arrays, sparse matrices, built-in containers and public
attributes. Changes of private attributes are not reported, because a private attribute may be a
cache.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

import joblib
import numpy as np
from scipy import linalg, sparse

from structsvm.check.findings import attempted
from structsvm.data.arrays import Vector
from structsvm.data.sparse_indices import fault_of_indices


def own(value: Any) -> Any:
    """Return a deep copy, or the value itself if it cannot be copied."""
    copied, error = attempted(copy.deepcopy, value)
    return value if error else copied


def same(before: Any, after: Any) -> bool:
    """Whether ``after`` holds the same data as ``before``."""
    found, error = attempted(_same, before, after)
    return error is not None or found  # cyclic objects, for example, cannot be compared


def key(value: Any) -> Any:
    """Return a hash that is equal for equal values.

    For an unhashable value, return its identity.
    """
    found, error = attempted(joblib.hash, value)
    return id(value) if error else found


def _same(before: Any, after: Any) -> bool:
    if before is after:
        return True
    if isinstance(before, np.ndarray):
        return _same_arrays(before, np.asarray(after))
    if sparse.issparse(before):
        return _same_sparse(before, after)
    if isinstance(before, (str, bytes, int, float, complex, set, frozenset, np.generic)):
        return bool(before == after) or (before != before and after != after)  # NaN
    if isinstance(before, (list, tuple, deque)):
        return len(before) == len(after) and all(map(_same, before, after))
    if isinstance(before, Mapping):
        if not isinstance(after, Mapping) or len(before) != len(after):
            return False
        return all(k in after and _same(before[k], after[k]) for k in before)
    if isinstance(before, (np.random.Generator, Iterator)):
        return True  # their state changes when they are used, and a copy may have another type
    if type(before) is not type(after):
        return False
    if hasattr(before, "__array__"):  # tables and tensors keep their data in private attributes
        return _same_arrays(np.asarray(before), np.asarray(after))
    public = {k: v for k, v in getattr(before, "__dict__", {}).items() if k[:1] != "_"}
    return all(_same(value, getattr(after, name)) for name, value in public.items())


def _same_sparse(before: Any, after: Any) -> bool:
    fault = fault_of_indices(before)
    if fault or fault_of_indices(after):  # comparing them would read invalid memory
        return fault == fault_of_indices(after)
    if before.shape != after.shape:
        return False
    # As a matrix NaN differs from NaN, but _same accepts NaN in both arrays.
    parts = {name for name in ("data", "indices", "indptr", "coords") if hasattr(before, name)}
    equal = all(_same(getattr(before, name), getattr(after, name)) for name in parts)
    return equal or (before != after).nnz == 0


def _same_arrays(before: Any, after: Any) -> bool:
    if before.shape != after.shape or before.dtype != after.dtype:
        return False
    if before.dtype.kind == "O":
        return all(map(_same, before.ravel(), after.ravel()))
    return np.array_equal(before, after, equal_nan=before.dtype.kind in "fc")


#: Accepted difference of equal values: the rounding of a sum in another order.
ROUNDING = 1e-9
#: Accepted error of a computed value, relative to its terms. Single precision passes.
TOLERANCE = 1e-5
#: A difference that is always accepted, because smaller numbers lose digits in single precision.
UNDERFLOW = float(np.finfo(np.float32).tiny)


def norm(values: Any) -> float:
    """Return the Euclidean norm of all entries, even if their squares underflow."""
    return float(linalg.norm(np.ravel(values)))


def close(a: Vector, b: Vector, tolerance: float, size: float = 0.0) -> bool:
    """Whether the entries of two arrays are equal, up to a tolerance relative to the largest entry.

    ``size`` is the size of the terms if the entries are sums of much larger terms.
    """
    scale = max(size, np.abs(a).max(initial=0), np.abs(b).max(initial=0))
    return bool(np.abs(a - b).max(initial=0) <= tolerance * scale + UNDERFLOW)
