"""The tables of docs/mmc.md."""

from __future__ import annotations

from benchmarks.averages import averaged, grouped
from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, filled, pivot

#: The methods of the table, as the results and as the page name them.
COLUMNS = {
    "structsvm": "ours",
    "k-means": "k-means",
    "spectral": "spectral",
    "mixture": "mixture",
    "Ward": "Ward",
}
#: The ways to learn from known labels, as the results and as the page name them.
KNOWN = {
    "structsvm": "ours",
    "LogisticRegression": "logistic",
    "LabelSpreading": "spreading",
    "LabelSpreading, knn": "by neighbours",
}
SEARCH = {
    "search": "{search}",
    "kernel": "{features}",
    "best found": "{reached:%0} %",
    "accuracy": "{accuracy:.1f}",
    "CPU s": "{CPU s:.2f}",
}


def by_kind(rows: list[Row], measure: str) -> dict[str, dict[str, float]]:
    """The means of each method over the tasks of each kind, and over the kinds."""
    kinds: dict[str, dict[str, float]] = {}
    of_kinds = averaged(rows, ["kind", "method"])
    for row in of_kinds:
        kinds.setdefault(row["kind"], {})[row["method"]] = row[measure]
    of_methods = averaged(of_kinds, ["method"])
    return kinds | {"mean": {row["method"]: row[measure] for row in of_methods}}


def others(content: Content) -> list[Row]:
    """The adjusted Rand index of each method by kind, and its mean accuracy and time."""
    rows = content["tasks"]
    found = by_kind(rows, "ARI") | {"accuracy": by_kind(rows, "accuracy")["mean"]}
    seconds = {row["method"]: row["CPU s"] for row in averaged(rows, ["method"])}
    return [
        *filled(
            [{"name": name} | means for name, means in found.items()],
            {"ARI": "{name}"} | {name: f"{{{method}:.1f}}" for method, name in COLUMNS.items()},
        ),
        {"ARI": "CPU s"} | {name: f"{seconds[method]:.2f}" for method, name in COLUMNS.items()},
    ]


def search(content: Content) -> list[Row]:
    """Means over the tasks, for each kind of features and search."""
    rows = [
        {"search": name, **row}
        | {column: row[f"{name}, {column}"] for column in ("reached", "accuracy", "CPU s")}
        for of_features in grouped(content["tasks"], ["features"]).values()
        for name in ("evolutionary", "cccp")
        for row in of_features
    ]
    return filled(averaged(rows, ["search", "features"]), SEARCH)


DEFAULTS = "clustering/defaults"
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
    "clustering-known": Table(
        pivot,
        "clustering/known",
        title="tasks",
        where={"part": "confirming"},
        means=[["known", "method"]],
        heads={"known": "{known:%0} %"},
        column="method",
        text="{accuracy:.1f}",
        names=KNOWN,
    ),
}
