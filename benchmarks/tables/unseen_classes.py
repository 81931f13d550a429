"""The table of classes that were not seen in training, of docs/supervised_clustering.md."""

from __future__ import annotations

import numpy as np

from benchmarks.averages import grouped
from benchmarks.store import Content, Row
from benchmarks.tables.table import Table

RESULTS = "set_clustering/unseen_classes"
#: The titles of the results.
CHOICE, CONFIRMATION = "the choice", "the comparison"


def summary(content: Content) -> list[Row]:
    """The mean adjusted Rand index of each way on the sets of the comparison, by their number."""
    compared = content[CONFIRMATION]
    columns = {
        f"{n} sets": members for (n,), members in grouped(compared, ["sets to learn from"]).items()
    }
    names = [name for name in compared[0] if name not in ("data", "sets to learn from")]
    return [
        {"": name}
        | {key: f"{np.mean([row[name] for row in rows]):.1f}" for key, rows in columns.items()}
        for name in names
    ]


TABLES = {"unseen-classes": Table(summary, RESULTS)}
