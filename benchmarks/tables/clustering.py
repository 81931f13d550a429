"""The tables of docs/mmc.md."""

from __future__ import annotations

import numpy as np

from benchmarks.averages import grouped
from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, pivot

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


def search(content: Content) -> list[Row]:
    """Means over the tasks, for each kind of features and search."""
    return [
        {"search": name, "kernel": features} | _searched(rows, name)
        for (features,), rows in grouped(content["tasks"], ["features"]).items()
        for name in ("evolutionary", "cccp")
    ]


def _searched(rows: list[Row], search: str) -> Row:
    def mean(column: str) -> float:
        return float(np.mean([row[f"{search}, {column}"] for row in rows]))

    return {
        "best found": f"{100 * mean('reached'):.0f} %",
        "accuracy": f"{mean('accuracy'):.1f}",
        "CPU s": f"{mean('CPU s'):.2f}",
    }


def known(content: Content) -> list[Row]:
    """The mean accuracy of each method on the confirming tasks, by the share of known labels."""
    rows = [row for row in content["tasks"] if row["part"] == "confirming"]
    return [
        {"known": f"{100 * share:.0f} %"}
        | {KNOWN_NAMES[name]: f"{mean:.1f}" for name, mean in means(of_share, "accuracy").items()}
        for (share,), of_share in grouped(rows, ["known"]).items()
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
    "clustering-search": Table(search, "clustering/search"),
    "clustering-large": Table(
        pivot,
        "clustering/large",
        title="rows",
        heads={"rows": "{rows} {data}"},
        column="kernel",
        text="{fit, CPU s:.1f}",
        names={"linear": "linear", "diffusion": "diffusion"},
    ),
    "clustering-known": Table(known, KNOWN),
}
