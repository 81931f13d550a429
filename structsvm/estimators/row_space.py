"""Estimators that train few wide rows in the space that the rows span."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from structsvm.contract.problem import Problem
from structsvm.data.arrays import Vector
from structsvm.data.row_space import RowSpace
from structsvm.estimators.encoded import Encoded
from structsvm.estimators.training import StructuredEstimator
from structsvm.oracle.setup import initialize
from structsvm.planes.plane import SoftSource
from structsvm.results.result import Result

#: Rows are few up to this number: finding a basis takes longer than what it saves where they are
#: many (benchmarks/speed/few_wide_rows.py),
MOST = 500
#: and wide from this number of columns for each row.
WIDE = 2


class TrainsInRowSpace(StructuredEstimator):
    """Base class of the estimators that train few wide rows in the space that the rows span.

    The objective there is the same, and its vectors are shorter. Points that are given by the user,
    or to the user, have a weight for each column: a fit with any of them takes the rows as they
    are.
    """

    def _with_rows(self, X: Any, rows: Any) -> Any:
        """Inputs with other features; by default the inputs are the rows."""
        return rows

    def _lifted(self, w: Vector, space: RowSpace, problem: Any) -> Vector:
        """w for the columns, from w for the coordinates; by default rows of weights."""
        return space.lifted(w.reshape(-1, len(space.coordinates))).ravel()

    def _prepared(
        self, data: Encoded, w_prior: Any = None, **options: Any
    ) -> tuple[Problem, Callable[[], Result]]:
        given = w_prior, self.callback, options.get("early_stopping"), options.get("checkpoint")
        free = not self.warm_start and all(one is None for one in given)
        if not (free and is_wide(data.rows)):
            return super()._prepared(data, w_prior, **options)
        space = RowSpace(data.rows)
        inputs = self._with_rows(data.X, space.coordinates)
        problem, train = super()._prepared(data._replace(X=inputs), **options)

        def trained() -> Result:
            result = train()
            initialize(problem, data.X, data.Y)
            return for_columns(result, lambda w: self._lifted(w, space, problem))

        return problem, trained


def is_wide(rows: Any) -> bool:
    """Whether rows are few and wide. Single precision would round their coordinates."""
    if not (isinstance(rows, np.ndarray) and rows.dtype == np.float64):
        return False
    n, d = rows.shape
    return n <= MOST and n * WIDE <= d


def for_columns(result: Result, lifted: Callable[[Vector], Vector]) -> Result:
    """The result for the rows as they are."""

    def of_columns(source: Any) -> Any:
        if not isinstance(source, SoftSource):
            return source
        others = source.others and of_columns(source.others)
        return source._replace(w=lifted(source.w), others=others)

    support = result.support and tuple(
        plane._replace(source=of_columns(plane.source)) for plane in result.support
    )
    return replace(result, w=lifted(result.w), support=support)
