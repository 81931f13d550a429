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


def averaged(rows: Sequence[Row], by: Sequence[str] = ()) -> list[Row]:
    """The means of numbers over all rows that agree in the columns ``by``; 'sets' counts them.

    Columns that have a list of the values of all seeds have one of the means.
    """
    return [
        {"sets": len(members), **_means(members), **dict(zip(by, key, strict=True))}
        for key, members in grouped(rows, by).items()
    ]


def _means(rows: list[Row]) -> Row:
    of_all = {name: [row[name] for row in rows] for name in rows[0] if all(name in r for r in rows)}
    return {
        name: np.mean(values, axis=0)
        for name, values in of_all.items()
        if all(isinstance(value, int | float | list) for value in values)
    }


def with_spread(values: Any) -> str:
    """Mean and standard deviation of the values of all seeds."""
    return f"{np.mean(values):.1f} ± {np.std(values, ddof=1):.1f}"
