"""A pool of decisions, each once, and the best of them for given costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.decisions.optima import flat_decisions

#: Digits in which two decisions differ: numbers of linear programs are rounded.
DIGITS = 9
#: Largest number of decisions, for memory.
MOST = 20_000
#: Numbers of a table of values that is computed at a time.
TABLE = 4_000_000


def merged(pool: Vector | None, outputs: Sequence[Any]) -> Vector:
    """The decisions of a pool, and after them others that it lacks, up to a largest number."""
    found = flat_decisions(outputs).reshape(len(outputs), -1)
    rows = {} if pool is None else dict(zip(_keys(pool), pool, strict=True))
    for key, row in zip(_keys(found), found, strict=True):
        rows.setdefault(key, row)
    return np.array(list(rows.values())[:MOST])


def lowest(costs: Vector, pool: Vector) -> Indices:
    """The row of the pool of least value for each of n costs."""
    step = max(1, TABLE // len(pool))
    parts = (costs[start : start + step] for start in range(0, len(costs), step))
    return np.concatenate([(part @ pool.T).argmin(axis=1) for part in parts])


def _keys(rows: Vector) -> list[bytes]:
    return [row.tobytes() for row in np.round(rows, DIGITS) + 0.0]  # 0.0 for -0.0
