"""Weighted sums of rows, in time proportional to the entries of sparse ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector


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
