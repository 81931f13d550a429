"""Weighted sums over the examples: by blocks, so that they are the same for any number of jobs.

The sums of the blocks are added in order. The sum of a block does not depend on other blocks that
are summed with it; of sparse rows it takes time proportional to their entries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector

#: Largest number of numbers in rows that are in memory together, if they are dense.
NUMBERS = 4_000_000


class Entries(NamedTuple):
    """A sum of sparse rows, by its entries; entries of the same index are added."""

    indices: Indices
    values: Vector


class Slice(NamedTuple):
    """Examples whose rows are summed together: some whole blocks, or a part of one.

    Attributes
    ----------
    places : range
    starts : list of int
        Where blocks begin, relative to the first place; [0] for a part of a block.
    ends_block : bool
        Whether the last place is the last of its block.
    """

    places: range
    starts: list[int]
    ends_block: bool


def slices(ends: Sequence[int], size: int) -> Iterator[Slice]:
    """Slices of the examples of blocks that end there, with rows of this size."""
    most = max(1, NUMBERS // size)
    start, block = 0, 0
    while block < len(ends):
        last = block
        while last + 1 < len(ends) and ends[last + 1] - start <= most:
            last += 1
        if ends[last] - start <= most:
            starts = [0, *(np.array(ends[block:last], dtype=np.intp) - start).tolist()]
            yield Slice(range(start, ends[last]), starts, True)
            start, block = ends[last], last + 1
        else:
            stop = min(start + most, ends[block])
            yield Slice(range(start, stop), [0], stop == ends[block])
            start, block = stop, block + (stop == ends[block])


class BlockSum:
    """Adds up weighted rows of the examples, slice by slice.

    Parameters
    ----------
    ends : sequence of int
        Where blocks of examples end; rising, and above 0.
    size : int
        Length of a row.
    """

    def __init__(self, ends: Sequence[int], size: int) -> None:
        self.ends, self.size = ends, size
        self._terms: list[Any] = []
        self._open: Any = None  # the sum of the block so far, where it has several slices

    def slices(self) -> Iterator[range]:
        """The places of the examples of one slice after another, whose rows are to be added."""
        for piece in slices(self.ends, self.size):
            self._slice = piece
            yield piece.places

    def add(self, weights: Vector, rows: Any) -> None:
        """Add the rows of the last slice with these weights."""
        starts, before = self._slice.starts, self._open
        sums: list[Any]
        if sparse.issparse(rows):
            sums = [*self._of_sparse(weights, rows, starts)]
            if before is not None:
                sums[0] = _plus(before, sums[0], self.size)
        else:
            weighted = weights[:, None] * rows
            if before is not None:
                weighted[0] += whole(before, self.size)
            sums = [*np.add.reduceat(weighted, starts, axis=0)]
        self._open = None if self._slice.ends_block else sums.pop()
        self._terms += sums

    def _of_sparse(self, weights: Vector, rows: Any, starts: list[int]) -> Iterator[Any]:
        values = np.repeat(weights, np.diff(rows.indptr)) * rows.data
        edges = rows.indptr[[*starts, rows.shape[0]]].tolist()
        for first, last in pairwise(edges):
            term = Entries(rows.indices[first:last], values[first:last])
            few = last - first < self.size
            yield term if few else _plus(np.zeros(self.size), term, self.size)

    @property
    def value(self) -> Vector | Entries:
        """The sum; a single term is returned as it is."""
        return condensed(self._terms, self.size)


def dot(weights: Vector, values: Vector, ends: Sequence[int]) -> float:
    """The sum of weighted numbers, by blocks of examples that end there."""
    sums = np.add.reduceat(weights * values, [0, *ends[:-1]])
    return float(sum(sums.tolist()))


def products(rows: Any, w: Vector) -> Vector:
    """The product of every row with w; the same whatever other rows there are."""
    # A product of matrices would take some rows together, and round them differently.
    return rows @ w if sparse.issparse(rows) else np.einsum("ij,j->i", rows, w)


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
        self.total = term if self.total is None else _plus(self.total, term, 0)
        return answer._replace(**{self.field: None}) if self.field else None


def condensed(terms: Sequence[Vector | Entries], size: int) -> Vector | Entries:
    """The sum of several such terms; a single term is returned as it is."""
    if len(terms) == 1:
        return terms[0]
    total = np.zeros(size)
    for term in terms:
        total = _plus(total, term, size)
    return total


def sliced(
    rows_of: Callable[[Any, range], Any], outputs: Any, n: int, size: int
) -> Iterator[tuple[slice, Any]]:
    """The rows of n examples, ``rows_of(outputs, places)``, a slice of the examples at a time."""
    for places, _, _ in slices([n], size):
        yield slice(places.start, places.stop), rows_of(outputs, places)


def whole(term: Vector | Entries, size: int) -> Vector:
    """The term as a vector."""
    return _plus(np.zeros(size), term, size) if isinstance(term, Entries) else term


def _plus(total: Any, term: Any, size: int) -> Any:
    """The sum of a vector, or of entries, and a term; a vector is changed by entries."""
    if isinstance(total, Entries):
        total = _plus(np.zeros(size), total, size)
    if isinstance(term, Entries):
        np.add.at(total, term.indices, term.values)
        return total
    return total + term
