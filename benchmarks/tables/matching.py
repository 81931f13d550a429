"""The tables of docs/matching.md."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table

#: The columns of the house, as the results and as the page name them.
COLUMNS = {
    "equal, contexts": "equal weights",
    "learned, contexts": "learned",
    "equal, contexts and graph": "equal, with the graph",
    "learned, contexts and graph": "learned, with the graph",
    "quadratic, equal": "quadratic assignment",
}


def house(content: Content) -> list[Row]:
    return [
        {"frames apart": row["k"], **{name: f"{row[key]:.3f}" for key, name in COLUMNS.items()}}
        for row in content["fraction of landmarks wrong"]
    ]


TABLES = {"matching-house": Table(house, "matching/house")}
