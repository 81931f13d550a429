"""Training of few wide rows in the space that they span."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from structsvm.contract.problem import Problem
from structsvm.data.arrays import Vector
from structsvm.data.row_space import RowSpace
from structsvm.estimators.encoding import Encoded, Encoding
from structsvm.oracle.setup import initialize
from structsvm.planes.plane import SoftSource
from structsvm.results.result import Result

#: Rows are few up to this number: finding a basis takes longer than what it saves where they are
#: many (benchmarks/speed/few_wide_rows.py),
MOST = 500
#: and wide from this number of columns for each row.
WIDE = 2


def trained_in_row_space(
    encoding: Encoding,
    problem: Problem,
    data: Encoded,
    training: Callable[[Encoded], Callable[[], Result]],
) -> Result:
    """The result for the rows, by ``training`` of the problem on encoded data.

    The objective in the space is the same, and its vectors are shorter.
    """
    space = RowSpace(data.rows)
    result = training(data._replace(X=encoding.with_rows(data.X, space.coordinates)))()
    initialize(problem, data.X, data.Y)
    return for_columns(result, lambda w: encoding.lifted(w, space, problem))


def is_wide(rows: Any, columns: float = WIDE) -> bool:
    """Whether rows are few, in double precision, and have at least ``columns`` columns for each.

    Single precision would round their coordinates.
    """
    if not (isinstance(rows, np.ndarray) and rows.dtype == np.float64):
        return False
    n, d = rows.shape
    return bool(n <= MOST and n * columns <= d)


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
