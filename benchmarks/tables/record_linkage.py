"""The tables of docs/record_linkage.md."""

from __future__ import annotations

import numpy as np

from benchmarks.averages import grouped, with_spread
from benchmarks.store import Content, Row
from benchmarks.tables.table import Table

RESULTS, SIZES = "set_clustering/record_linkage", "set_clustering/large_block"
#: F1 of pairs, F1 of whole clusters, and the adjusted Rand index.
MEASURES = ("pairs", "clusters", "Rand")


def by_method(content: Content, measure: str) -> list[Row]:
    """A measure of every method, for each set and fraction to learn from."""
    rows = content.get("comparison", [])
    lines = []
    for (data, learned), members in grouped(rows, ["data", "learned"]).items():
        line = {"data": data, "learned from": f"{100 * learned:.0f} %"}
        methods = grouped(members, ["method"]).items()
        lines.append(line | {name: _spread(found, measure) for (name,), found in methods})
    return lines


def choice(content: Content) -> list[Row]:
    """The mean of each measure over all drawn sets, for each candidate."""
    methods = grouped(content.get("choice", []), ["method"]).items()
    return [
        {"candidate": name}
        | {measure: f"{np.mean([row[measure] for row in found]):.2f}" for measure in MEASURES}
        for (name,), found in methods
    ]


def seconds(content: Content) -> list[Row]:
    """CPU seconds of training and prediction together, at the largest fraction to learn from."""
    rows = content.get("comparison", [])
    lines = []
    for (data,), members in grouped(rows, ["data"]).items():
        largest = max(row["learned"] for row in members)
        chosen = [row for row in members if row["learned"] == largest]
        methods = grouped(chosen, ["method"]).items()
        times = {n: f"{np.mean([row['seconds'] for row in found]):.1f}" for (n,), found in methods}
        pairs = f"{np.mean([row['pairs listed'] for row in chosen]):.0f}"
        line = {"data": data, "learned from": f"{100 * largest:.0f} %", "pairs to cluster": pairs}
        lines.append(line | times)
    return lines


def sizes(content: Content) -> list[Row]:
    """Time and memory for each number of records."""
    return content.get("sizes", [])


def _spread(rows: list[Row], measure: str) -> str:
    return with_spread([row[measure] for row in rows])


TABLES = {
    "record-linkage-pairs": Table(by_method, RESULTS, measure="pairs"),
    "record-linkage-clusters": Table(by_method, RESULTS, measure="clusters"),
    "record-linkage-rand": Table(by_method, RESULTS, measure="Rand"),
    "record-linkage-choice": Table(choice, RESULTS),
    "record-linkage-seconds": Table(seconds, RESULTS),
    "record-linkage-sizes": Table(sizes, SIZES),
}
