"""The table of docs/multivariate_svm.md."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table

#: The columns, as the results and as the page name them.
COLUMNS = {"ours": "ours", "plain": "plain", "balanced": "balanced", "standard error": "±"}


def comparison(content: Content) -> list[Row]:
    return [
        {"": f"{row['data']}, {row['measure'].replace('_', ' ')}"}
        | {name: f"{row[key]:.2f}" for key, name in COLUMNS.items()}
        for row in content["held-out"]
    ]


TABLES = {"multivariate-svm": Table(comparison, "reproduction/multivariate_svm")}
