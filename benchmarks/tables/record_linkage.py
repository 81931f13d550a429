"""The tables of docs/record_linkage.md."""

from __future__ import annotations

import numpy as np

from benchmarks.averages import grouped
from benchmarks.store import Content, Row
from benchmarks.tables.table import Table

RESULTS = "set_clustering/record_linkage"
#: The methods of the table, as the table and as the results name them.
METHODS = {
    "ours": "ours",
    "prior": "near",
    "log-odds": "pairs, greedy",
    "joined": "components",
    "splink": "splink",
}


def pairs(content: Content) -> list[Row]:
    """The mean F1 of pairs of every method, for each set and fraction to learn from."""
    lines = []
    for (data, learned), rows in grouped(content["comparison"], ["data", "learned"]).items():
        means = mean_by_method(rows, "pairs")
        line = {"data": f"{100 * learned:.0f} % of {data}"}
        lines.append(line | {name: f"{means[key]:.1f}" for name, key in METHODS.items()})
    return lines


def mean_by_method(rows: list[Row], measure: str) -> dict[str, float]:
    methods = grouped(rows, ["method"]).items()
    return {name: float(np.mean([row[measure] for row in found])) for (name,), found in methods}


TABLES = {"record-linkage-pairs": Table(pairs, RESULTS)}
