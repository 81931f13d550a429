"""The tables of docs/mmc.md."""

from __future__ import annotations

import numpy as np

from benchmarks.averages import grouped
from benchmarks.store import Content, Row
from benchmarks.tables.table import Table

OURS = "structsvm"
#: The methods of the table, as the results and as the page name them.
COLUMNS = {
    OURS: "ours",
    "k-means": "k-means",
    "spectral": "spectral",
    "mixture": "mixture",
    "Ward": "Ward",
}


def means(rows: list[Row], measure: str) -> dict[str, float]:
    """The mean of each method over all tasks."""
    methods = grouped(rows, ["method"]).items()
    return {name: float(np.mean([row[measure] for row in found])) for (name,), found in methods}


def by_kind(rows: list[Row], measure: str) -> dict[str, dict[str, float]]:
    """The means of each method over the tasks of each kind, and over the kinds."""
    kinds = {kind: means(of_kind, measure) for (kind,), of_kind in grouped(rows, ["kind"]).items()}
    methods = next(iter(kinds.values()))
    mean = {name: float(np.mean([kinds[kind][name] for kind in kinds])) for name in methods}
    return kinds | {"mean": mean}


def others(content: Content) -> list[Row]:
    """The adjusted Rand index of each method by kind, and its mean accuracy and time."""
    rows = content["tasks"]
    lines = by_kind(rows, "ARI") | {"accuracy": by_kind(rows, "accuracy")["mean"]}
    found: list[Row] = [
        {"ARI": name} | {COLUMNS[method]: f"{line[method]:.1f}" for method in COLUMNS}
        for name, line in lines.items()
    ]
    seconds = means(rows, "CPU s")
    return [*found, {"ARI": "CPU s"} | {COLUMNS[m]: f"{seconds[m]:.2f}" for m in COLUMNS}]


def known(content: Content) -> list[Row]:
    """The mean accuracy of each method by the share of known labels."""
    groups = grouped(content["tasks"], ["known"])
    return [
        {"known": f"{100 * share:.0f} %"}
        | {KNOWN_NAMES[name]: f"{mean:.1f}" for name, mean in means(of_share, "accuracy").items()}
        for (share,), of_share in groups.items()
    ]


DEFAULTS = "clustering/defaults"
#: The ways to learn from known labels, as the results and as the page name them.
KNOWN_NAMES = {
    "structsvm": "ours",
    "LogisticRegression": "logistic",
    "LabelSpreading": "spreading",
    "LabelSpreading, knn": "by neighbours",
}
KNOWN = "clustering/known"

TABLES = {
    "clustering-others": Table(others, DEFAULTS),
    "clustering-known": Table(known, KNOWN),
}
