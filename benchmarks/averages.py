"""Means of rows that agree in some columns, and their spread over seeds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.store import Row


def grouped(rows: Sequence[Row], by: Sequence[str]) -> dict[tuple[Any, ...], list[Row]]:
    """The rows that agree in the columns ``by``, under their values there."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in by), []).append(row)
    return groups


def averaged(rows: Sequence[Row], by: Sequence[str], columns: Sequence[str]) -> list[Row]:
    """The means of some columns over all rows that agree in the columns ``by``."""
    return [
        dict(zip(by, key, strict=True))
        | {"sets": len(members)}
        | {name: round(float(np.mean([row[name] for row in members])), 1) for name in columns}
        for key, members in grouped(rows, by).items()
    ]


def spread(rows: Sequence[Row], by: Sequence[str], columns: Sequence[str]) -> list[Row]:
    """Means over all rows that agree in the columns ``by``, and their spread over the seeds.

    Each row has a list of the values of all seeds in each column. The spread is the standard
    deviation over the seeds of the mean over the rows.
    """
    return [
        dict(zip(by, key, strict=True))
        | {"sets": len(members)}
        | {name: with_spread(np.mean([row[name] for row in members], axis=0)) for name in columns}
        for key, members in grouped(rows, by).items()
    ]


def with_spread(values: Any) -> str:
    """Mean and standard deviation."""
    return f"{np.mean(values):.1f} ± {np.std(values, ddof=1):.1f}"
