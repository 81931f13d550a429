"""The tables of docs/relatives.md."""

from __future__ import annotations

import numpy as np

from benchmarks.averages import grouped
from benchmarks.store import Content, Row
from benchmarks.tables.table import Table

CLASSIFIERS = {"`SDPMMC`": "SDP", "SVM": "SVM, cross-validated"}
CLUSTERERS = {
    "`BayesianMMC`": "Bayesian",
    "k-means": "k-means",
    "spectral": "spectral",
    "error": "ECE",
    "calibrated": "calibrated",
}


def labels(content: Content) -> list[Row]:
    """Errors on the rows without a label."""
    return [
        {"data": row["data"]} | {name: f"{row[key]:.1f}" for name, key in CLASSIFIERS.items()}
        for row in content["labels"]
    ]


def probabilities(content: Content) -> list[Row]:
    """Means over the tasks that chose no constant, for two clusters and for more."""
    rows = [row | {"clusters": "two" if row["k"] == 2 else "more"} for row in content["tasks"]]
    rows = [row for row in rows if row["half"] == "confirming"]
    return [
        {"clusters": clusters, "tasks": len(found)}
        | {name: f"{np.mean([row[key] for row in found]):.1f}" for name, key in CLUSTERERS.items()}
        for (clusters,), found in grouped(rows, ["clusters"]).items()
    ]


TABLES = {
    "relatives-labels": Table(labels, "reproduction/sdp_mmc"),
    "relatives-probabilities": Table(probabilities, "reproduction/bayesian_mmc"),
}
