"""Documents divided into relevant and other ones, for every grade of every query."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector

#: The largest grade; gains double with each.
MOST_GRADE = 31


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
    """Divisions of queries' documents: some grade or higher, and the grades below.

    A query has one split for each grade but its lowest.

    Parameters
    ----------
    relevance : ndarray of shape (n_rows,), int
        The grade of every document, from 0 to MOST_GRADE, query after query.
    sizes : ndarray of shape (n_queries,), int
        The number of documents of each query.
    one_grade : bool, default=False
        Whether only documents of exactly the split's grade are relevant; documents of higher
        grades are in neither part. Then every pair of documents of different grades is divided by
        exactly one split.

    Attributes
    ----------
    query : ndarray of shape (n_splits,), int
    grade, below : ndarray of shape (n_splits,), int
        The grade of each split, and the next lower one that the query has.
    relevant, others : SplitRows
        The rows of both parts.
    """

    def __init__(self, relevance: Indices, sizes: Indices, one_grade: bool = False) -> None:
        owner, base = np.repeat(np.arange(len(sizes)), sizes), MOST_GRADE + 1
        query, grade = np.divmod(np.unique(owner * base + relevance), base)
        further = np.flatnonzero(query[1:] == query[:-1]) + 1
        self.query, self.grade, self.below = query[further], grade[further], grade[further - 1]
        starts, own = (np.cumsum(sizes) - sizes)[self.query], sizes[self.query]
        split = np.repeat(np.arange(len(own)), own)
        rows = np.arange(len(split)) + np.repeat(starts - np.cumsum(own) + own, own)
        grades, limit = relevance[rows], self.grade[split]
        relevant = grades == limit if one_grade else grades >= limit
        self.relevant, self.others = (
            SplitRows(rows[part], np.bincount(split[part], minlength=len(own)))
            for part in (relevant, grades < limit)
        )

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
