"""Sequences of examples in containers of any kind, and their parts."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate, chain
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices
from structsvm.data.conversion import require_sequence
from structsvm.data.sparse_indices import as_csr, require_indices

#: Sparse formats that are sequences of rows; a dok_matrix is a dict too.
INDEXED = ("csr", "csc", "lil")


def listed(data: Any) -> Any:
    """Convert the data to a container whose examples have the indices 0, 1, ...

    A Series or an array of pyarrow becomes a list. A sparse matrix in a format whose rows cannot be
    indexed becomes a CSR matrix. Data that need no conversion are returned unchanged.
    """
    if sparse.issparse(data):
        return data if data.format in INDEXED else as_csr(data)
    for name in () if hasattr(data, "column_names") else ("to_pylist", "to_list"):
        if hasattr(data, name):
            return getattr(data, name)()
    return data


def n_examples(data: Any, name: str = "X") -> int:
    """Return the number of examples in an array, a sparse matrix or any other sequence."""
    if type(data) is list or type(data) is tuple:
        return len(data)
    if type(data) is np.ndarray and data.ndim:
        return len(data)
    require_sequence(name, data)
    if data is None:
        raise ValueError(f"{name} must be a sequence of examples; it is None")
    if hasattr(data, "iloc"):
        raise ValueError(
            f"{name} is indexed by label, as pandas does, where examples are counted from 0; "
            f"pass {name}.to_numpy()"
        )
    if sparse.issparse(data) and data.ndim != 2:
        raise ValueError(
            f"{name} must have a row for each example; got a sparse array of shape {data.shape}"
        )
    if sparse.issparse(data) and data.format not in INDEXED:
        raise ValueError(
            f"{name} is a sparse matrix of format {data.format!r}, whose rows cannot be taken; "
            f"pass {name}.tocsr()"
        )
    if not hasattr(data, "__getitem__") or isinstance(data, Mapping):
        raise ValueError(
            f"{name} must be a sequence of examples; got {type(data).__name__}. Put a "
            "single example in a list"
        )
    try:
        return int(data.shape[0]) if hasattr(data, "shape") else len(data)
    except (TypeError, IndexError):
        raise ValueError(
            f"{name} must be a sequence of examples; got {type(data).__name__}"
        ) from None


def require_examples(X: Any, inputs: str = "X", /, **outputs: Any) -> int:
    """Return the number of examples in X.

    Raise a ValueError if X is empty, or if the length of an argument differs from the length of X.
    """
    n = n_examples(X, inputs)
    for x in X if isinstance(X, (list, tuple)) else (X,):
        if sparse.issparse(x):
            require_indices(x)
    if n == 0:
        raise ValueError(f"{inputs} is empty; expected at least one example")
    for name, Y in outputs.items():
        if (m := n_examples(Y, name)) != n:
            raise ValueError(f"{inputs} has {n} examples but {name} has {m}; they must be equal")
    return n


def in_single(data: Any) -> Any:
    """Convert half precision to single precision in arrays, sparse matrices, lists and tuples."""
    if getattr(data, "dtype", None) == np.float16:
        return data.astype(np.float32)
    for x in data if isinstance(data, (list, tuple)) else ():
        if getattr(x, "dtype", None) == np.float16:
            return list(map(in_single, data))
    return data


def in_double(data: Any) -> Any:
    """Convert numbers of lower precision to double precision.

    Data that are not numbers stay unchanged.

    Arrays and sparse matrices are converted, also inside lists, tuples and named tuples.
    If a container has a method ``in_double``, this method converts it.
    """
    if hasattr(data, "_fields"):
        return data._make(map(in_double, data))
    if type(data) in (list, tuple):
        return type(data)(map(in_double, data))
    if hasattr(data, "in_double"):
        return data.in_double()
    if not (isinstance(data, np.ndarray) or sparse.issparse(data)):
        return data
    low = data.dtype.kind == "f" and data.dtype.itemsize < 8
    return data.astype(np.float64) if low else data


def take(data: Any, rows: Sequence[int] | Indices | slice) -> Any:
    """Return the examples at ``rows``, in the same kind of container if possible.

    A slice of an array or a CSR matrix shares memory with the original.
    """
    if not hasattr(data, "shape"):
        return data[rows] if isinstance(rows, slice) else list(map(data.__getitem__, rows))
    if isinstance(rows, slice) and sparse.issparse(data) and data.format == "csr":
        return _sliced(data, *rows.indices(data.shape[0])[:2])
    return data[rows]


def _sliced(data: Any, start: int, stop: int) -> Any:
    first, last = data.indptr[start], data.indptr[stop]
    part = type(data)((stop - start, data.shape[1]), dtype=data.dtype)
    # The constructor would copy slices of larger arrays.
    part.data, part.indices = data.data[first:last], data.indices[first:last]
    part.indptr = data.indptr[start : stop + 1] - first
    return part


class Joined(Sequence[Any]):
    """One sequence that contains the elements of several sequences, without a copy."""

    def __init__(self, parts: Sequence[Any]) -> None:
        self._parts = parts
        self._starts = [0, *accumulate(map(n_examples, parts))]

    def __len__(self) -> int:
        return int(self._starts[-1])

    def __getitem__(self, which: Any) -> Any:
        chosen = range(len(self))[which]
        if isinstance(chosen, range):
            part = bisect_left(self._starts, chosen.start)
            if chosen == range(*self._starts[part : part + 2]):
                return self._parts[part]
            return [self[i] for i in chosen]
        part = bisect_right(self._starts, chosen) - 1
        return self._parts[part][chosen - self._starts[part]]


def joined(parts: Sequence[Any]) -> Any:
    """Join sequences to one.

    Lists become a list, and arrays whose rows have the same shape become an array. If the sequences
    are neither all lists nor all arrays with rows of the same shape, the sequences are not copied.
    """
    if len(parts) == 1:
        return parts[0]
    arrays = all(isinstance(part, np.ndarray) for part in parts)
    if arrays and len({part.shape[1:] for part in parts}) == 1:
        return np.concatenate(parts)
    if all(isinstance(part, list) for part in parts):
        return list(chain.from_iterable(parts))
    return Joined(parts)


def dense(rows: Any) -> Any:
    """Return the rows of an array or a sparse matrix as an array."""
    return rows.toarray() if sparse.issparse(rows) else rows


def stacked(blocks: Sequence[Any]) -> Any:
    """Stack blocks of rows, in CSR format if all blocks are sparse."""
    if len(blocks) > 1:
        blocks = [block for block in blocks if block.shape[0]] or blocks[:1]
    if len(blocks) == 1:
        return blocks[0]
    if all(sparse.issparse(block) for block in blocks):
        return sparse.vstack(blocks, format="csr")
    return np.concatenate([dense(block) for block in blocks])
