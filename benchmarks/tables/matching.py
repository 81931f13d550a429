"""The tables of docs/matching.md."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, slashed

#: The titles of the results.
HOUSE = "fraction of landmarks wrong"
DRAWN = "fraction of landmarks wrong, drawn boxes"


def landmarks(content: Content, movie: str) -> list[Row]:
    """Wrong landmarks in percent, by the distance in frames."""
    return [
        {
            "apart": row["k"],
            "equal": _both(row, "equal"),
            "learned": _both(row, "learned"),
            "C chosen": _both(row, "C chosen"),
            "QAP": _percent(row["quadratic, equal"]),
        }
        for row in content[movie]
    ]


def _both(row: Row, weights: str) -> str:
    """Without and with features of the graph."""
    features = ("contexts", "contexts and graph")
    return slashed(*(_percent(row[f"{weights}, {name}"]) for name in features))


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.1f}"


TABLES = {
    "matching-house": Table(landmarks, "matching/house", movie=HOUSE),
    "matching-drawn": Table(landmarks, "matching/house", movie=DRAWN),
}
