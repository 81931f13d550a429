"""The table of docs/multivariate_svm.md."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table

#: The columns of percentages, as the results and as the page name them.
COLUMNS = {
    "ours": "ours",
    "balanced": "balanced",
    "plain": "plain",
    "standard error": "standard error",
    "ours CV": "CV, ours",
    "balanced CV": "CV, balanced",
}


def comparison(content: Content) -> list[Row]:
    return [
        {"data": row["data"], "measure": row["measure"].replace("_", " ")}
        | {name: f"{row[key]:.2f}" for key, name in COLUMNS.items()}
        for row in content["held-out"]
    ]


TABLES = {"multivariate-svm": Table(comparison, "reproduction/multivariate_svm")}
