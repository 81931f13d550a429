"""Training on few rows with many columns, in the space that the rows span."""

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

#: Largest number of rows. With more rows a basis takes longer than it saves
#: (benchmarks/speed/few_wide_rows.py).
MOST = 500
#: Rows are wide if there are at least this number of columns for each row.
WIDE = 2


def trained_in_row_space(
    encoding: Encoding,
    problem: Problem,
    data: Encoded,
    training: Callable[[Encoded], Callable[[], Result]],
) -> Result:
    """Train on the coordinates of the rows in their span, and return the result for the rows.

    The objective has the same value for the rows and for their coordinates, which are shorter.
    """
    space = RowSpace(data.rows)
    result = training(data._replace(X=encoding.with_rows(data.X, space.coordinates)))()
    initialize(problem, data.X, data.Y)
    return for_columns(result, lambda w: encoding.lifted(w, space, problem))


def is_wide(rows: Any, columns: float = WIDE) -> bool:
    """Whether a float64 array has few rows, and at least ``columns`` columns for each row.

    If the array has single precision, the result is False, because coordinates in the row space
    would be rounded to single precision.
    """
    if not (isinstance(rows, np.ndarray) and rows.dtype == np.float64):
        return False
    n, d = rows.shape
    return bool(n <= MOST and n * columns <= d)


def for_columns(result: Result, lifted: Callable[[Vector], Vector]) -> Result:
    """Convert a result for coordinates in the row space to a result for the original columns."""

    def of_columns(source: Any) -> Any:
        if not isinstance(source, SoftSource):
            return source
        others = source.others and of_columns(source.others)
        return source._replace(w=lifted(source.w), others=others)

    support = result.support and tuple(
        plane._replace(source=of_columns(plane.source)) for plane in result.support
    )
    return replace(result, w=lifted(result.w), support=support)
