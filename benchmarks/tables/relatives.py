"""A table of docs/relatives.md."""

from __future__ import annotations

import numpy as np

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table

CLUSTERERS = {
    "`BayesianMMC`": "Bayesian",
    "k-means": "k-means",
    "spectral": "spectral",
    "calibration error": "ECE",
    "with `calibrate=True`": "calibrated",
}


def probabilities(content: Content) -> list[Row]:
    """Means over the tasks that chose no constant, for two clusters and for more."""
    rows = [row for row in content["tasks"] if row["half"] == "confirming"]
    two, more = ([row for row in rows if (row["k"] == 2) == only] for only in (True, False))
    columns = {f"two clusters, {len(two)} tasks": two, f"more, {len(more)} tasks": more}
    return [
        {"": name}
        | {head: f"{np.mean([row[key] for row in found]):.1f}" for head, found in columns.items()}
        for name, key in CLUSTERERS.items()
    ]


TABLES = {"relatives-probabilities": Table(probabilities, "reproduction/bayesian_mmc")}
