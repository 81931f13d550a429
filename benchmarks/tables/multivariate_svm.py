"""The table of docs/multivariate_svm.md."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table

COLUMNS = ("ours", "balanced", "plain", "standard error")


def comparison(content: Content) -> list[Row]:
    return [
        {"": f"{row['data']}, {row['measure'].replace('_', ' ')}"}
        | {name: f"{row[name]:.2f}" for name in COLUMNS}
        for row in content["held-out"]
    ]


TABLES = {"multivariate-svm": Table(comparison, "reproduction/multivariate_svm")}
