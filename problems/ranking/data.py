"""Queries with their documents, rankings of the documents, and checks of grades and queries."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.data.column_moments import ColumnMoments
from structsvm.data.containers import in_double, take
from structsvm.data.conversion import require_values
from structsvm.data.examples import ExampleContainer, Spans
from structsvm.data.identifiers import numbered
from structsvm.data.labels import in_order
from structsvm.data.matrices import checked_numbers, row_blocks
from structsvm.data.validation import checked_sample_weight
from structsvm.problems.ranking.measures import RankingMeasure
from structsvm.problems.ranking.splits import Splits

#: Whole numbers below this are exact as floats.
EXACT = 2**53


class Misranking(NamedTuple):
    """A ranking of the documents of a query, compared with the ranking by relevance.

    Attributes
    ----------
    shifts : ndarray of shape (m,)
        How far each document is out of place: > 0 if it is too low, < 0 if it is too high. The
        shifts sum to 0.
    loss : float
        The loss of the ranking.
    """

    shifts: Vector
    loss: float

    @classmethod
    def none(cls, m: int) -> Misranking:
        """Return the ranking of m documents by relevance."""
        return cls(np.zeros(m), 0.0)


@dataclass(eq=False, repr=False)
class Misrankings(ExampleContainer):
    """Outputs of :class:`RankingProblem`: ``misrankings[i]`` is a :class:`Misranking`.

    Parameters
    ----------
    shifts : ndarray of shape (n_rows,)
    losses : ndarray of shape (n,)
    layout : Spans
    """

    shifts: Vector
    losses: Vector
    layout: Spans

    of_rows, of_examples = ("shifts",), ("losses",)

    @classmethod
    def of(cls, Y: Any) -> Misrankings:
        """Pack :class:`Misranking` objects, one for each query, in one container."""
        if isinstance(Y, Misrankings):
            return Y
        shifts, losses = zip(*(Y[i] for i in range(len(Y))), strict=True)
        layout = Spans(np.array([*map(len, shifts)], dtype=np.intp))
        return cls(np.concatenate(shifts), np.array(losses), layout)

    def example(self, i: int) -> Misranking:
        return Misranking(self.shifts[self.layout.rows(i)], float(self.losses[i]))


@dataclass(eq=False, repr=False)
class Queries(ExampleContainer):
    """Inputs of :class:`RankingProblem`: ``queries[i]`` is a pair (rows, relevance).

    Parameters
    ----------
    rows : array or CSR matrix of shape (n_rows, d)
        The features of all documents, query after query.
    relevance : ndarray of shape (n_rows,)
        The grade of every document.
    layout : Spans
        The documents of each query.
    measure : RankingMeasure
        The measure, which determines which documents count as relevant.
    """

    rows: Any
    relevance: Vector
    layout: Spans
    measure: RankingMeasure

    of_rows = ("rows", "relevance")

    def __post_init__(self) -> None:
        # Use double precision: joint features are differences of rows, which do not show how large
        # the terms of a score are, nor how large its rounding errors are.
        self.rows = in_double(self.rows)

    @property
    def truth(self) -> Misrankings:
        """The rankings by relevance."""
        return Misrankings(np.zeros(len(self.relevance)), np.zeros(len(self)), self.layout)

    @cached_property
    def splits(self) -> Splits:
        """The documents divided into relevant and other ones."""
        return self.measure.splits(self.relevance, self.layout)

    @cached_property
    def weights(self) -> Vector:
        """The weight of the loss of each split into relevant and irrelevant documents."""
        return self.measure.weights(self.splits)

    def example(self, i: int) -> Any:
        rows = self.layout.rows(i)
        return take(self.rows, rows), self.relevance[rows]


def votes(values: Vector, layout: Spans) -> Any:
    """Arrange one number per document in a sparse matrix with a row for each query."""
    shape = len(layout), len(values)
    return sparse.csr_matrix((values, np.arange(len(values)), layout.starts), shape)


def moments_within_queries(rows: Any, layout: Spans, weights: Vector) -> ColumnMoments:
    """Return the moments of the features; variances are around the mean of each query.

    Subtracting the mean of a query does not change the order of its documents.

    Parameters
    ----------
    rows : array or CSR matrix of shape (n_rows, d)
    layout : Spans
    weights : ndarray of shape (n,)
        Weights of the queries.
    """
    of_rows = weights[layout.owner]
    moments = ColumnMoments.of(rows, of_rows)
    total = float(of_rows.sum()) or 1.0
    sums = votes(np.ones(len(of_rows)), layout) @ rows
    if sparse.issparse(rows):
        means = sparse.diags(1 / layout.sizes) @ sums @ sparse.diags(1 / moments.units)
        between = weights * layout.sizes @ means.power(2) / total
        within = moments.variances + moments.means**2 - between
        rounding = np.finfo(float).eps * len(of_rows)
        within[within < rounding * between] = 0
        return moments._replace(variances=within)
    means = sums / layout.sizes[:, None]
    within, start = np.zeros(rows.shape[1]), 0
    for block in row_blocks(rows):
        own = slice(start, start + len(block))
        deviations = (block - means[layout.owner[own]]) / moments.units
        within += of_rows[own] @ np.square(deviations)
        start += len(block)
    within /= total
    within[within < (np.finfo(float).eps * len(of_rows)) ** 2] = 0
    return moments._replace(variances=within)


def checked_grades(name: str, values: Any, m: int, measure: RankingMeasure) -> Vector:
    """Return the grades of m documents; raise a ValueError if the measure cannot use them."""
    grades: Vector = checked_numbers(name, values)
    if grades.shape != (m,):
        raise ValueError(
            f"{name} must hold a grade for each of the {m} documents; got shape {grades.shape}"
        )
    require_values(name, grades)
    largest = np.abs(grades).max(initial=0)
    if np.asarray(values).dtype.kind in "iu" and largest >= EXACT:
        raise ValueError(
            f"{name} holds whole numbers up to {largest:g}, and as floats those from 2^53 on are "
            "equal to others: subtract the smallest"
        )
    wrong = ~measure.takes(grades)
    if wrong.any():
        raise ValueError(
            f"{name} must hold {measure.grades}; got {grades[wrong][0]:g} in row "
            f"{wrong.argmax()}{measure.remedy.format(grades.min())}"
        )
    return grades


def grouped(qid: Any, m: int) -> tuple[Indices, Spans]:
    """Return an order that groups the m documents by query, and the spans of the queries.

    Queries are in the order in which they first occur in ``qid``; the documents of a query keep
    their order.
    """
    expected = f"say of each of the {m} rows of X which query it belongs to"
    appearance = in_order(numbered("qid", qid, m, expected))
    return np.argsort(appearance, kind="stable"), Spans(np.bincount(appearance))


def query_weights(sample_weight: Any, order: Indices, layout: Spans) -> Vector:
    """Return the weight of each query; raise a ValueError if weights differ within a query.

    ``order[i]`` is the index in ``sample_weight`` of row i of ``layout``.
    """
    weights = checked_sample_weight(sample_weight, len(order))[order]
    first = weights[layout.starts[:-1]]
    other = np.flatnonzero(weights != first[layout.owner])
    if len(other):
        raise ValueError(
            "sample_weight must be the same for all rows of a query; row "
            f"{order[other[0]]} has {weights[other[0]]:g}, and the first row of its query "
            f"{first[layout.owner[other[0]]]:g}"
        )
    return first
