"""Cells of measures over seeds, for the tables of maximum margin clustering."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from benchmarks.store import Row

MEASURES = ("accuracy", "RI", "NMI", "F")


def method_row(rows: Iterable[Row], name: str, method: str) -> Row | None:
    return next((row for row in rows if (row["data"], row["method"]) == (name, method)), None)


def cell(rows: Iterable[Row], name: str, method: str, measure: str, worst: bool = False) -> str:
    """A measure as text, with its standard deviation over seeds where it is known and visible.

    If requested, the worst seed's follows in brackets where it differs.
    """
    row = method_row(rows, name, method)
    if row is None:
        return "-"
    text = in_digits(row[measure], measure)
    deviation = in_digits(row.get(f"{measure}, sd", 0.0), measure)
    spread = f" ± {deviation}" if float(deviation) else ""
    low = in_digits(row["worst"], "accuracy")
    lowest = f" ({low})" if worst and measure == "accuracy" and low != text else ""
    return text + spread + lowest


def in_digits(value: Any, measure: str) -> str:
    if isinstance(value, str):
        return value
    return f"{value:.2f}" if measure == "accuracy" else f"{value:.3f}"
