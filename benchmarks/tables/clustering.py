"""The tables of docs/mmc.md."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.averages import grouped
from benchmarks.store import Content, Row
from benchmarks.tables.table import Table

OURS = "structsvm"
FEATURES = ("linear", "diffusion")
OTHERS = ("k-means", "spectral", "mixture", "Ward", "HDBSCAN")
METHODS = (OURS, *FEATURES, *OTHERS)
MEASURES = ("accuracy", "ARI", "NMI")
#: Tasks of this part played no part in any choice,
FRESH = "packages, confirming"
#: but for these: settings that kernel='auto' once tried were chosen on them.
CHOSEN_ON = ("libras", "sonar", "vehicle")


def fresh(rows: list[Row]) -> list[Row]:
    """The rows of tasks that played no part in any choice."""
    return [row for row in rows if row["part"] == FRESH and row["task"] not in CHOSEN_ON]


def by_task(rows: list[Row], measure: str) -> list[Row]:
    """A line for every task with the measure of each method."""
    return [
        {"data": members[0]["task"], "form": members[0]["form"]}
        | {row["method"]: row[measure] for row in members}
        for members in grouped(rows, ["task", "form"]).values()
    ]


def means(rows: list[Row], measure: str) -> dict[str, float]:
    """The mean of each method over all tasks."""
    methods = grouped(rows, ["method"]).items()
    return {name: float(np.mean([row[measure] for row in found])) for (name,), found in methods}


def others(content: Content) -> list[Row]:
    """Each method on the fresh tasks, in the mean."""
    rows = fresh(content["tasks"])
    columns = {measure: means(rows, measure) for measure in MEASURES}
    seconds = means(rows, "CPU s")
    return [
        {"method": name}
        | {measure: f"{column[name]:.1f}" for measure, column in columns.items()}
        | {"CPU s": f"{seconds[name]:.2f}"}
        for name in METHODS
    ]


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


def large(content: Content) -> list[Row]:
    """CPU seconds of a fit by the number of rows."""
    lines = []
    for (data, n), rows in grouped(content["rows"], ["data", "rows"]).items():
        seconds: dict[str, Any] = {row["kernel"]: f"{row['fit, CPU s']:.1f}" for row in rows}
        lines.append(
            {"rows": f"{n} {data}"} | {name: seconds[name] for name in ("auto", *FEATURES)}
        )
    return lines


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
    "clustering-large": Table(large, "clustering/large"),
    "clustering-known": Table(known, KNOWN),
}
