"""The tables of docs/trees.md."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, plain

#: The columns of labelled parsing, and how their numbers are written.
LABELLED = {
    "CPU s": ".0f",
    "GB": ".1f",
    "weights": ",",
    "test, heads": ".1f",
    "test, labels": ".1f",
}


def parsing(content: Content) -> list[Row]:
    """Attachment on the test part, and CPU seconds with the features."""
    return [
        {"parser": row["parser"], "attachment": f"{row['test']:.2f}", "CPU s": _seconds(row)}
        for row in content["attachment in percent, and CPU seconds"]
    ]


def _seconds(row: Row) -> str:
    return f"{row['CPU s'] + row.get('features', 0):.0f}" if "CPU s" in row else ""


def projective(content: Content) -> list[Row]:
    """Attachment by language and kind of tree."""
    return [
        {"treebank": row["treebank"], "projective, %": f"{row['projective']:.1f}"}
        | {name: f"{row[name]:.1f}" for name in ("False", "True", "auto")}
        for row in content["attachment in percent"]
    ]


def labelled(content: Content) -> list[Row]:
    """Attachment with labels, and what training takes."""
    return [
        {"parser": row["parser"]}
        | {column: f"{row[column]:{form}}" for column, form in LABELLED.items()}
        for row in content["labelled attachment"]
    ]


TABLES = {
    "trees-labelled": Table(labelled, "trees/labelled"),
    "trees-projective": Table(projective, "trees/projective"),
    "trees-attachment": Table(parsing, "trees/parsing"),
    "trees-C": Table(
        plain, "trees/parsing", title="attachment on the dev part by C", text="{:.1f}".format
    ),
}
