"""Weighted sums over examples, rounded in the same way for any number of jobs.

Each block is summed alone, and the sums of the blocks are added in order. The sum of a block does
not depend on how blocks are grouped into slices. Summing sparse rows takes time proportional to the
number of entries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector

#: Largest number of entries of dense rows that are in memory at the same time.
NUMBERS = 4_000_000


class Entries(NamedTuple):
    """A sum of sparse rows, as a list of entries. Entries with equal indices are to be added."""

    indices: Indices
    values: Vector


class Slice(NamedTuple):
    """Examples whose rows are summed in one step: some complete blocks, or a part of a block.

    Attributes
    ----------
    places : range
    starts : list of int
        The position in the slice at which each block begins. If the slice is a part of one block,
        ``starts`` is [0].
    ends_block : bool
        Whether the slice ends at the end of a block.
    """

    places: range
    starts: list[int]
    ends_block: bool


def ends_within(places: Any, ends: Sequence[int]) -> list[int]:
    """Remove all examples except the sorted `places`, and return the ends of nonempty blocks."""
    found: list[int] = np.unique(np.searchsorted(places, ends)).tolist()
    return found[1:] if found[0] == 0 else found


def spans(ends: Sequence[int]) -> Iterator[slice]:
    """Yield a slice object for each block, from the ends of the blocks."""
    return map(slice, [0, *ends[:-1]], ends)


def slices(ends: Sequence[int], size: int) -> Iterator[Slice]:
    """Divide blocks into slices whose rows, each of length `size`, fit in memory."""
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
    """A sum of weighted rows of the examples, computed slice by slice.

    Parameters
    ----------
    size : int
        Length of a row.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._total: Vector | Entries | None = None
        self._open: Any = None  # the partial sum of a block that has several slices

    def add(self, piece: Slice, weights: Vector, rows: Any) -> None:
        """Add the weighted rows of a slice, which are dense or in CSR format."""
        before, sums = self._open, []
        if sparse.issparse(rows):
            sums = [*_sparse_sums(weights, rows, piece.starts)]
            if before is not None:
                sums[0] = plus(whole(before, self.size), sums[0])
        else:
            weighted = weights[:, None] * rows
            if before is not None:
                weighted[0] += whole(before, self.size)
            sums = [*np.add.reduceat(weighted, piece.starts, axis=0)]
        self._open = None if piece.ends_block else sums.pop()
        for term in sums:
            before = self._total
            self._total = term if before is None else plus(whole(before, self.size), term)

    @property
    def value(self) -> Vector | Entries:
        """The sum, a vector. For a single block of sparse rows the sum may be of type Entries."""
        return np.zeros(self.size) if self._total is None else self._total


def _sparse_sums(weights: Vector, rows: Any, starts: list[int]) -> Iterator[Any]:
    values = np.repeat(weights, np.diff(rows.indptr)) * rows.data
    edges = rows.indptr[[*starts, rows.shape[0]]].tolist()
    for first, last in pairwise(edges):
        term = Entries(rows.indices[first:last], values[first:last])
        yield term if last - first < rows.shape[1] else whole(term, rows.shape[1])


def dot(weights: Vector, values: Vector, ends: Sequence[int]) -> float:
    """Return the sum of weighted numbers, added by blocks of examples."""
    sums = np.add.reduceat(weights * values, [0, *ends[:-1]])
    return float(sums.cumsum()[-1])  # one after another; Python's sum compensates from 3.12 on


def products(rows: Any, w: Vector) -> Vector:
    """Return the product of every row with w, computed independently of the remaining rows."""
    # A matrix product would process some rows together, and round them differently.
    return np.asarray(rows @ w if sparse.issparse(rows) else np.einsum("ij,j->i", rows, w))


def sliced(
    rows_of: Callable[[Any, range], Any], outputs: Any, n: int, size: int
) -> Iterator[tuple[slice, Any]]:
    """Yield the rows of n examples, ``rows_of(outputs, places)``, slice by slice."""
    for places, _, _ in slices([n], size):
        yield slice(places.start, places.stop), rows_of(outputs, places)


def whole(term: Vector | Entries, size: int) -> Vector:
    """Convert Entries to a vector, and return a vector unchanged."""
    return plus(np.zeros(size), term) if isinstance(term, Entries) else term


def plus(total: Vector, term: Vector | Entries) -> Vector:
    """Return `total` plus `term`. If `term` is of type Entries, `total` is changed in place."""
    if not isinstance(term, Entries):
        return total + term
    np.add.at(total, term.indices, term.values)
    return total
