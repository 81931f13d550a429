"""The tables of docs/mmc.md."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.averages import grouped
from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, plain

OURS = "structsvm"
FEATURES = ("linear", "diffusion")
OTHERS = ("spectral", "mixture", "Ward", "HDBSCAN")
METHODS = (OURS, *FEATURES, "k-means", *OTHERS)
#: The searches, as the results and as the table of tasks name them.
SEARCHES = {"evolutionary": "ours", "cccp": "CCCP"}


def by_task(rows: list[Row], measure: str) -> list[Row]:
    """A line for every task: the measure of each method, and the features that were chosen."""
    lines = []
    for members in grouped(rows, ["task", "form"]).values():
        first = members[0]
        line = {"data": first["task"], "form": first["form"], "clusters": first["clusters"]}
        for row in members:
            line[row["method"]] = row[measure]
            if row["method"] == OURS:
                line["chosen"] = row["kernel"]
        lines.append(line)
    return lines


def summary(content: Content) -> list[Row]:
    """Means of each part, and the share of tasks where ours is not below others.

    Equal up to a tenth of a point counts as not below; 'best other' is the best of spectral
    clustering, mixture, Ward's method and HDBSCAN on each task, by the classes, and 'better of two'
    the better of 'linear' and 'diffusion'.
    """
    return [
        {"tasks": part, "measure": measure} | _compared(by_task(rows, measure))
        for (part,), rows in grouped(content["tasks"], ["part"]).items()
        for measure in ("accuracy", "ARI", "NMI")
    ]


def _compared(tasks: list[Row]) -> Row:
    values = {name: np.array([task[name] for task in tasks]) for name in METHODS}
    best = np.max([values[name] for name in OTHERS], axis=0)
    of_two = np.max([values[name] for name in FEATURES], axis=0)
    return {
        "number": len(tasks),
        **{name: f"{values[name].mean():.1f}" for name in METHODS},
        "better of two": f"{of_two.mean():.1f}",
        "not below k-means": _share(values[OURS], values["k-means"]),
        "not below best other": _share(values[OURS], best),
    }


def _share(ours: Any, others: Any) -> str:
    return f"{100 * np.mean(ours >= others - 0.1):.0f} %"


def accuracies(content: Content, part: str) -> list[Row]:
    """The accuracy of each method on the tasks of a part."""
    lines = by_task([row for row in content["tasks"] if row["part"] == part], "accuracy")
    return [line | {name: f"{line[name]:.1f}" for name in METHODS} for line in lines]


def time(content: Content) -> list[Row]:
    """Mean and longest CPU time of every method."""
    lines = []
    for name in METHODS:
        values = [row["CPU s"] for row in content["tasks"] if row["method"] == name]
        lines.append(
            {"": name, "mean CPU s": f"{np.mean(values):.2f}", "longest": f"{max(values):.2f}"}
        )
    return lines


def search(content: Content) -> list[Row]:
    """Means over the tasks, for each kind of features and search."""
    return [
        {"features": features, "search": name, "tasks": len(rows)} | _searched(rows, name)
        for (features,), rows in grouped(content["tasks"], ["features"]).items()
        for name in SEARCHES
    ]


def _searched(rows: list[Row], search: str) -> Row:
    reached, excess, accuracy, seconds = (
        np.array([row[f"{search}, {name}"] for row in rows])
        for name in ("reached", "excess %", "accuracy", "CPU s")
    )
    return {
        "runs that reach the best": f"{100 * reached.mean():.0f} %",
        "tasks where 17 of 20 do": f"{100 * np.mean(reached >= 0.85):.0f} %",
        "mean excess": f"{excess.mean():.2f} %",
        "accuracy": f"{accuracy.mean():.1f}",
        "CPU s": f"{seconds.mean():.2f}",
    }


def search_tasks(content: Content) -> list[Row]:
    """Both searches on every task."""
    return [_both_searches(row) for row in content["tasks"]]


def _both_searches(row: Row) -> Row:
    cells = {key: row[key] for key in ("data", "features", "rows", "clusters")}
    for search, name in SEARCHES.items():
        cells |= {
            f"{name}: reached": f"{100 * row[f'{search}, reached']:.0f} %",
            f"{name}: excess": f"{row[f'{search}, excess %']:.2f} %",
            f"{name}: accuracy": f"{row[f'{search}, accuracy']:.1f}",
            f"{name}: CPU s": f"{row[f'{search}, CPU s']:.2f}",
        }
    return cells


def sizes(content: Content) -> list[Row]:
    """Tasks of more than two clusters: with an empty cluster, and mean accuracies."""
    several = [row for row in content["tasks"] if row["clusters"] > 2]
    return [
        {
            "features": features,
            "least size": least,
            "tasks": len(rows),
            "with an empty cluster": sum(row["smallest"] == 0 for row in rows),
            "accuracy": f"{np.mean([row['accuracy'] for row in rows]):.1f}",
        }
        for (features, least), rows in grouped(several, ["kernel", "least size"]).items()
    ]


DEFAULTS, SEARCH = "clustering/defaults", "clustering/search"

TABLES = {
    "clustering-summary": Table(summary, DEFAULTS),
    "clustering-time": Table(time, DEFAULTS),
    "clustering-choosing": Table(accuracies, DEFAULTS, part="choosing"),
    "clustering-confirming": Table(accuracies, DEFAULTS, part="confirming"),
    "clustering-packages-choosing": Table(accuracies, DEFAULTS, part="packages, choosing"),
    "clustering-packages-confirming": Table(accuracies, DEFAULTS, part="packages, confirming"),
    "clustering-search-summary": Table(search, SEARCH),
    "clustering-search-tasks": Table(search_tasks, SEARCH),
    "clustering-sizes": Table(sizes, "clustering/sizes"),
    "clustering-large": Table(plain, "clustering/large", title="rows"),
}
