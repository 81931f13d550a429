"""The tables of docs/trees.md."""

from __future__ import annotations

from typing import Any

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, plain, short

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


def labelled(content: Content) -> list[Row]:
    """Attachment with labels, and what training takes."""
    forms = {"CPU s": ".0f", "GB": ".1f", "weights": ",", "gap": ".1f"}
    return [
        {"parser": row["parser"]}
        | {
            column: f"{row[column]:{forms.get(column, '.1f')}}" if column in row else ""
            for column in (*forms, "dev, heads", "dev, labels", "test, heads", "test, labels")
        }
        for row in content["labelled attachment"]
    ]


def losses(content: Content) -> list[Row]:
    """Attachment by treebank, loss and C."""
    return plain(content, "attachment in percent", "{:.1f}".format)


TABLES = {
    "trees-labelled": Table(labelled, "trees/labelled"),
    "trees-losses": Table(losses, "trees/losses"),
    "trees-projective": Table(projective, "trees/projective"),
    "trees-attachment": Table(parsing, RESULTS, title="attachment in percent, and CPU seconds"),
    "trees-C": Table(parsing, RESULTS, title="attachment on the dev part by C"),
    "trees-oracle": Table(parsing, RESULTS, title="milliseconds for the tree of highest score"),
}
