"""The tables of docs/taxonomy.md."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table

#: The columns of the articles, and how their numbers are written.
COLUMNS = {"accuracy": ".1f", "distance": ".3f", "CPU s": ".0f"}


def articles(content: Content) -> list[Row]:
    return [
        {"model": row["model"]} | {name: f"{row[name]:{form}}" for name, form in COLUMNS.items()}
        for row in content["all articles"]
    ]


def small(content: Content) -> list[Row]:
    """One cell for each model, with accuracy and distance."""
    return [_joined(row) for row in content["accuracy in percent, and distance"]]


def _joined(row: Row) -> Row:
    cells = {"data": f"{row['data']}, {row['rows of a class']} rows of a class"}
    for name in [key for key in row if f"{key}: distance" in row]:
        cells[name] = f"{row[name]:.1f}, {row[f'{name}: distance']:.2f}"
    return cells


TABLES = {
    "taxonomy-all": Table(articles, "classification/taxonomy"),
    "taxonomy-small": Table(small, "classification/small_taxonomies"),
}
