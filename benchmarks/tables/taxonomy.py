"""The tables of docs/taxonomy.md."""

from __future__ import annotations

from typing import Any

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table

DIGITS = {"held out": 1, "accuracy": 1, "distance": 3, "CPU s": 0}


def articles(content: Content, title: str) -> list[Row]:
    return [{key: _text(key, value) for key, value in row.items()} for row in content[title]]


def _text(column: str, value: Any) -> str:
    digits = DIGITS.get(column.split(",")[0])
    return str(value) if digits is None else f"{value:.{digits}f}"


def small(content: Content) -> list[Row]:
    """One cell for each model, with accuracy and distance."""
    return [_joined(row) for row in content["accuracy in percent, and distance"]]


def _joined(row: Row) -> Row:
    cells = {key: str(value) for key, value in row.items() if not isinstance(value, float)}
    for name in [key for key in row if f"{key}: distance" in row]:
        cells[name] = f"{row[name]:.1f}, {row[f'{name}: distance']:.2f}"
    return cells


TABLES = {
    "taxonomy-all": Table(articles, "classification/taxonomy", title="all articles"),
    "taxonomy-few": Table(articles, "classification/taxonomy", title="few articles"),
    "taxonomy-small": Table(small, "classification/small_taxonomies"),
}
