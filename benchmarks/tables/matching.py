"""The tables of docs/matching.md."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, slashed


def house(content: Content) -> list[Row]:
    """Wrong landmarks in percent, by the distance in frames."""
    return [
        {
            "frames apart": row["k"],
            "equal weights": _both(row, "equal"),
            "learned": _both(row, "learned"),
            "quadratic assignment": _percent(row["quadratic, equal"]),
        }
        for row in content["fraction of landmarks wrong"]
    ]


def _both(row: Row, weights: str) -> str:
    """Without and with features of the graph."""
    features = ("contexts", "contexts and graph")
    return slashed(*(_percent(row[f"{weights}, {name}"]) for name in features))


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.1f}"


TABLES = {"matching-house": Table(house, "matching/house")}
