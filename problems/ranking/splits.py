"""Documents divided into relevant and other ones by their grades."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structsvm.data.arrays import Indices, Vector


class SplitRows:
    """Rows of many splits in one array, a different number for each.

    Parameters
    ----------
    rows : ndarray of shape (n,), int
        Numbers of rows, split after split.
    sizes : ndarray of shape (n_splits,), int

    Attributes
    ----------
    starts, ends : ndarray of shape (n_splits,), int
        Where each split's rows begin and end.
    split : ndarray of shape (n,), int
        The split of every entry.
    place : ndarray of shape (n,), int
        The number of every entry in its split, from 1.
    """

    def __init__(self, rows: Indices, sizes: Indices) -> None:
        self.rows, self.sizes = rows, sizes
        self.ends = np.cumsum(sizes)
        self.starts = self.ends - sizes
        self.split = np.repeat(np.arange(len(sizes)), sizes)
        self.place = np.arange(1, len(rows) + 1) - self.starts[self.split]

    @classmethod
    def of_sizes(cls, sizes: Indices) -> SplitRows:
        """Rows 0, 1, 2, ... in order."""
        return cls(np.arange(sizes.sum()), sizes)

    def sums(self, values: Vector) -> Any:
        """The sum over each split."""
        return np.bincount(self.split, values, len(self.sizes))


class Splits:
    """Divisions of queries' documents into relevant and other ones.

    Parameters
    ----------
    query : ndarray of shape (n_splits,), int
        The query of every split.
    rows : ndarray of shape (n,), int
        Numbers of documents, split after split.
    split : ndarray of shape (n,), int
        The split of each, ascending.
    is_relevant : ndarray of shape (n,), bool
        Every split has relevant documents and others.

    Attributes
    ----------
    relevant, others : SplitRows
        The rows of both parts.
    """

    def __init__(
        self, query: Indices, rows: Indices, split: Indices, is_relevant: NDArray[np.bool_]
    ) -> None:
        self.query = query
        self.relevant, self.others = (
            SplitRows(rows[part], np.bincount(split[part], minlength=len(query)))
            for part in (is_relevant, ~is_relevant)
        )

    @classmethod
    def by_threshold(cls, relevance: Vector, sizes: Indices) -> Splits:
        """A split for each grade of a query but the lowest: this and higher grades are relevant.

        Parameters
        ----------
        relevance : ndarray of shape (n_rows,)
            The grade of every document, query after query.
        sizes : ndarray of shape (n_queries,), int
            The number of documents of each query.
        """
        owner = np.repeat(np.arange(len(sizes)), sizes)
        number = _numbered(relevance, owner)
        n_splits = np.zeros(len(sizes), dtype=np.intp)
        np.maximum.at(n_splits, owner, number)
        limits = SplitRows.of_sizes(n_splits)
        query = limits.split
        entries = SplitRows.of_sizes(sizes[query])
        rows = (np.cumsum(sizes) - sizes)[query][entries.split] + entries.place - 1
        return cls(query, rows, entries.split, number[rows] >= limits.place[entries.split])

    @classmethod
    def by_pairs(cls, relevance: Vector, sizes: Indices) -> Splits:
        """Splits of which exactly one divides each pair of documents of different grades.

        It is that of the highest binary digit in which the numbers of their grades differ: with G
        grades a document is in at most log2 G + 1 splits. Parameters as for :meth:`by_threshold`.
        """
        owner = np.repeat(np.arange(len(sizes)), sizes)
        number = _numbered(relevance, owner)
        most = int(number.max(initial=0))
        digit = np.arange(most.bit_length())[:, None]
        key = (digit * len(sizes) + owner) * (most + 1) + (number >> digit + 1)
        is_relevant = (number >> digit & 1).astype(bool).ravel()
        split = np.unique(key.ravel(), return_inverse=True)[1].ravel()
        mixed = (np.bincount(split, is_relevant) > 0) & (np.bincount(split, ~is_relevant) > 0)
        entries = np.flatnonzero(mixed[split])
        entries = entries[np.argsort(split[entries], kind="stable")]
        _, first, split = np.unique(split[entries], return_index=True, return_inverse=True)
        rows = entries % max(1, len(owner))
        return cls(owner[rows[first]], rows, split, is_relevant[entries])

    def __len__(self) -> int:
        return len(self.query)

    @cached_property
    def n_pairs(self) -> Indices:
        """The number of pairs of a relevant and another document in every split."""
        return self.relevant.sizes * self.others.sizes

    @cached_property
    def longest(self) -> int:
        """The largest number of documents in a split."""
        return int((self.relevant.sizes + self.others.sizes).max(initial=0))


def _numbered(relevance: Vector, owner: Indices) -> Indices:
    """The grade of every document as its number, from 0, among those of its query."""
    values, code = np.unique(relevance, return_inverse=True)
    of_queries, code = np.unique(owner * len(values) + code, return_inverse=True)
    return code - np.searchsorted(of_queries, owner * len(values))
