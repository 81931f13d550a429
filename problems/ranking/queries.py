"""Queries with their documents, and rankings of them, in containers of many."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Vector
from structsvm.data.containers import in_double, take
from structsvm.data.examples import ExampleContainer, Spans
from structsvm.problems.ranking.measures import RankingMeasure
from structsvm.problems.ranking.splits import Splits


class Misranking(NamedTuple):
    """A ranking of the documents of a query, compared with one by relevance.

    Attributes
    ----------
    shifts : ndarray of shape (m,)
        How far each document is out of place: > 0 if it is too low, < 0 if it is too high. Their
        sum is 0.
    loss : float
        The loss of the ranking.
    """

    shifts: Vector
    loss: float

    @classmethod
    def none(cls, m: int) -> Misranking:
        """A ranking of m documents by relevance."""
        return cls(np.zeros(m), 0.0)


class QueryLayout(Spans):
    """The documents of n queries, one query after the other.

    Parameters
    ----------
    sizes : ndarray of shape (n,), int
        Numbers of documents, > 0.
    """

    def votes(self, values: Vector) -> Any:
        """Numbers of the documents as a sparse matrix with a row for each query."""
        places = np.arange(len(values))
        return sparse.csr_matrix((values, places, self.starts), (len(self), len(values)))


class Queries(ExampleContainer):
    """Inputs of :class:`RankingProblem`: ``queries[i]`` is a pair (rows, relevance).

    Parameters
    ----------
    rows : array or CSR matrix of shape (n_rows, d)
        The features of all documents, query after query.
    relevance : ndarray of shape (n_rows,)
        The grade of every document.
    layout : QueryLayout
    measure : RankingMeasure
        Decides how documents are divided.
    """

    def __init__(
        self, rows: Any, relevance: Vector, layout: QueryLayout, measure: RankingMeasure
    ) -> None:
        # In double precision: joint features are differences of rows, which do not show how large
        # the terms of a score are, and so how large its rounding errors are.
        self.rows = in_double(rows)
        self.relevance, self.layout, self.measure = relevance, layout, measure

    @property
    def truth(self) -> Misrankings:
        """The outputs by relevance."""
        zeros = np.zeros(len(self.relevance)), np.zeros(len(self))
        return Misrankings(*zeros, self.layout)

    @cached_property
    def splits(self) -> Splits:
        """Their documents divided into relevant and other ones."""
        return self.measure.splits(self.relevance, self.layout.sizes)

    @cached_property
    def weights(self) -> Vector:
        """The weights of the splits."""
        return self.measure.weights(self.splits, self.relevance, self.layout.sizes)

    def __len__(self) -> int:
        return len(self.layout)

    def example(self, i: int) -> Any:
        rows = self.layout.rows(i)
        return take(self.rows, rows), self.relevance[rows]

    def part(self, which: Any) -> Queries:
        rows, layout = self.layout.rows_of(which), QueryLayout(self.layout.sizes[which])
        return Queries(take(self.rows, rows), self.relevance[rows], layout, self.measure)


class Misrankings(ExampleContainer):
    """Outputs of :class:`RankingProblem`: ``misrankings[i]`` is a :class:`Misranking`.

    Parameters
    ----------
    shifts : ndarray of shape (n_rows,)
    losses : ndarray of shape (n,)
    layout : QueryLayout
    """

    def __init__(self, shifts: Vector, losses: Vector, layout: QueryLayout) -> None:
        self.shifts, self.losses, self.layout = shifts, losses, layout

    @classmethod
    def of(cls, Y: Any) -> Misrankings:
        """Pack a sequence of them."""
        if isinstance(Y, Misrankings):
            return Y
        found = [Y[i] for i in range(len(Y))]
        layout = QueryLayout(np.array([len(y.shifts) for y in found], dtype=np.intp))
        shifts = np.concatenate([y.shifts for y in found])
        return cls(shifts, np.array([y.loss for y in found]), layout)

    def __len__(self) -> int:
        return len(self.layout)

    def example(self, i: int) -> Misranking:
        return Misranking(self.shifts[self.layout.rows(i)], float(self.losses[i]))

    def part(self, which: Any) -> Misrankings:
        rows, layout = self.layout.rows_of(which), QueryLayout(self.layout.sizes[which])
        return Misrankings(self.shifts[rows], self.losses[which], layout)
