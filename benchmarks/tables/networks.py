"""The table of docs/networks.md."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, rounded

COLUMNS = {"trainer": "trainer", "error": "wrong letters, %", "CPU s a fold": "CPU s"}


def letters(content: Content) -> list[Row]:
    rows = content["error of a letter"]
    return rounded([{name: row[key] for key, name in COLUMNS.items()} for row in rows])


TABLES = {"networks-letters": Table(letters, "networks/letters")}
