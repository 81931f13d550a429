"""Answers of a problem's methods for several examples as one array, checked at once.

If the whole array fails the check, the answers are looked at one by one, to convert them or for an
error that names the example.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import stacked
from structsvm.data.sparse_indices import fault_of_indices
from structsvm.oracle.call import Call, checked, checked_matrix

#: Kinds of dtypes that are numbers as they are.
NUMBERS = "biuf"


def stacked_numbers(
    call: Call, places: Sequence[int], found: Sequence[Any], shape: tuple[int, ...] = ()
) -> Vector:
    """Answers of a call for the examples at some positions, each of this shape, as one array."""
    try:
        array = np.array(found)
    except ValueError:  # of several shapes
        array = np.empty(0)
    if array.dtype.kind in NUMBERS and array.shape == (len(found), *shape):
        array = array.astype(np.float64, copy=False)
        # The product is finite if all numbers are and none is huge: mostly one pass is enough.
        if math.isfinite(np.vdot(array, array)) or np.isfinite(array).all():
            return array
    return np.array(
        [
            checked(call.method, value, shape, call.where(place), remedy=call.remedy)
            for place, value in zip(places, found, strict=True)
        ]
    )


def stacked_rows(call: Call, places: Sequence[int], found: Sequence[Any], size: int) -> Any:
    """Answers that are joint features or differences: in CSR format if all are sparse."""
    if not (found and sparse.issparse(found[0]) and all(map(sparse.issparse, found))):
        return stacked_numbers(call, places, found, (size,))
    assert call.index is not None
    index = call.index[places]
    rows = _joined(found, size) if all(_is_csr_row(row, size) for row in found) else None
    if rows is not None and not fault_of_indices(rows):
        return checked_matrix(call.method, rows, rows.shape, index)
    one = (1, size)
    return stacked(
        [checked_matrix(call.method, row, one, index[k:]) for k, row in enumerate(found)]
    )


def pair_differences(rows: Any) -> Any:
    """Rows 0, 2, 4, ... less the row that follows each."""
    if not sparse.issparse(rows):
        return rows[::2] - rows[1::2]
    signs = np.repeat(np.resize([1.0, -1.0], rows.shape[0]), np.diff(rows.indptr))
    # Two rows read as one row have the entries of both, which are summed.
    shape = rows.shape[0] // 2, rows.shape[1]
    merged = sparse.csr_matrix((signs * rows.data, rows.indices, rows.indptr[::2]), shape)
    merged.sum_duplicates()
    return merged


class Entries(NamedTuple):
    """A sum of sparse rows, by its entries; entries of the same index are added."""

    indices: Indices
    values: Vector


def sum_of_weighted(weights: Vector, rows: Any) -> Vector | Entries:
    """``weights @ rows``, in time and memory proportional to the entries of sparse rows."""
    if sparse.issparse(rows) and rows.nnz < rows.shape[1]:
        return Entries(rows.indices, np.repeat(weights, np.diff(rows.indptr)) * rows.data)
    return weights @ rows


def summed(terms: Iterable[Vector | Entries], size: int) -> Vector:
    """The sum of several such terms, in order."""
    found = SumOf(total=np.zeros(size))
    for term in terms:
        found(term)
    return np.asarray(found.total)


class SumOf:
    """Adds up terms that it is called with, or a field of named tuples, and drops them.

    Attributes
    ----------
    total : ndarray

    Parameters
    ----------
    field : str, optional
        The calls return the named tuples without it.
    total : ndarray, optional
        The start; entries can be added to one only. By default the first term.
    """

    def __init__(self, field: str = "", total: Any = None) -> None:
        self.field, self.total = field, total

    def __call__(self, answer: Any) -> Any:
        term = getattr(answer, self.field) if self.field else answer
        if isinstance(term, Entries):
            np.add.at(self.total, term.indices, term.values)
        else:
            self.total = term if self.total is None else self.total + term
        return answer._replace(**{self.field: None}) if self.field else None


def condensed(terms: Sequence[Vector | Entries], size: int) -> Vector | Entries:
    """The sum of several such terms; a single term is returned as it is."""
    return terms[0] if len(terms) == 1 else summed(terms, size)


def _joined(found: Sequence[Any], size: int) -> Any:
    """CSR rows as one matrix, without a check of the indices."""
    data, indices = (
        np.concatenate([getattr(row, part) for row in found]) for part in ("data", "indices")
    )
    # The same type as the indices, or scipy searches them for the largest.
    ends = np.cumsum([0, *(len(row.data) for row in found)], dtype=indices.dtype)
    return sparse.csr_matrix((data, indices, ends), (len(found), size))


def _is_csr_row(row: Any, size: int) -> bool:
    return bool(
        sparse.issparse(row)
        and row.format == "csr"
        and row.shape in ((1, size), (size,))
        and row.indptr[-1] == len(row.indices) == len(row.data)
    )
