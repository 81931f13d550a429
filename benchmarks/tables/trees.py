"""The tables of docs/trees.md."""

from __future__ import annotations

from typing import Any

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, short

RESULTS = "trees/parsing"


def parsing(content: Content, title: str) -> list[Row]:
    """One of the tables, with three or four digits."""
    rows = content[title]
    columns = list(dict.fromkeys(column for row in rows for column in row))
    return [{column: _text(column, row.get(column, "")) for column in columns} for row in rows]


def _text(column: str, value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    if column in ("dev", "test", "CPU s") or column.endswith(" C"):
        return f"{value:.1f}"
    return short(value)


def projective(content: Content) -> list[Row]:
    """Attachment by language and kind of tree."""
    rows = content["attachment in percent"]
    return [
        {"treebank": row["treebank"], "sentences": str(row["sentences"])}
        | {name: f"{row[name]:.1f}" for name in ("projective", "False", "True", "auto")}
        | {"CPU s, True / False": f"{row['CPU s, True'] / row['CPU s, False']:.1f}"}
        for row in rows
    ]


TABLES = {
    "trees-projective": Table(projective, "trees/projective"),
    "trees-attachment": Table(parsing, RESULTS, title="attachment in percent, and CPU seconds"),
    "trees-C": Table(parsing, RESULTS, title="attachment on the dev part by C"),
    "trees-oracle": Table(parsing, RESULTS, title="milliseconds for the tree of highest score"),
}
