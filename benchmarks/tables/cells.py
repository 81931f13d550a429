"""What tables of clusterings have in common."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.store import Row

MEASURES = ("accuracy", "RI", "NMI", "F")


def method_row(rows: Iterable[Row], name: str, method: str) -> Row | None:
    return next((row for row in rows if (row["data"], row["method"]) == (name, method)), None)


def percent(value: float) -> str:
    return f"{value:.1f}"
