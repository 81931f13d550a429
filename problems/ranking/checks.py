"""Checks of grades and of the queries that documents belong to."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.conversion import require_values
from structsvm.data.identifiers import numbered
from structsvm.data.labels import in_order
from structsvm.data.matrices import checked_numbers
from structsvm.data.validation import checked_sample_weight
from structsvm.problems.ranking.measures import RankingMeasure
from structsvm.problems.ranking.queries import QueryLayout

#: Whole numbers below this are different floats.
EXACT = 2**53


def checked_grades(name: str, values: Any, m: int, measure: RankingMeasure) -> Vector:
    """The grades of m documents; a ValueError if the measure has no use for them."""
    grades: Vector = checked_numbers(name, values)
    if grades.shape != (m,):
        raise ValueError(
            f"{name} must hold a grade for each of the {m} documents; got shape {grades.shape}"
        )
    require_values(name, grades)
    if (
        np.asarray(values).dtype.kind in "iu"
        and (largest := np.abs(grades).max(initial=0)) >= EXACT
    ):
        raise ValueError(
            f"{name} holds whole numbers up to {largest:g}, and as floats those from 2^53 on are "
            "equal to others: subtract the smallest"
        )
    wrong = ~measure.takes(grades)
    if wrong.any():
        raise ValueError(
            f"{name} must hold {measure.grades}; got {grades[wrong][0]:g} in row "
            f"{wrong.argmax()}{measure.remedy(grades)}"
        )
    return grades


def grouped(qid: Any, m: int) -> tuple[Indices, Indices]:
    """The order that puts the m documents of a query together, and the queries' sizes.

    Queries are in the order of their first documents, and documents of a query as they were given.
    """
    expected = f"say of each of the {m} rows of X which query it belongs to"
    appearance = in_order(numbered("qid", qid, m, expected))
    return np.argsort(appearance, kind="stable"), np.bincount(appearance)


def query_weights(sample_weight: Any, order: Indices, layout: QueryLayout) -> Vector:
    """The weight of each query; a ValueError if rows of the same query differ in weight.

    ``order`` are the rows as they were given, in the order of the layout.
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
