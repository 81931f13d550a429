"""The least size of a cluster: accuracy, objective and smallest cluster with and without it.

The default is .05 of the rows for two clusters and .5 / k for more; 0 is no least size. One seed
and half the usual effort, on the raw rows and texts of _tasks.py.

    python -m benchmarks.clustering.sizes          # four minutes
    python -m benchmarks.clustering.sizes tables   # from the results

Tasks are read from the folder in STRUCTSVM_DATA, and from two packages: see _packages.py.
"""

from __future__ import annotations

import sys
from functools import partial

import numpy as np

from benchmarks.clustering._measures import measured
from benchmarks.clustering._tasks import Task, measure_unscaled
from benchmarks.clustering.defaults import ours
from benchmarks.report import Row, markdown, stored, write_fragments

RESULTS = "clustering/sizes"
FEATURES = ("linear", "diffusion")
LEAST = {"default": None, "none": 0.0}


def task_rows(task: Task) -> list[Row]:
    """A row for each kind of features and least size."""
    rows = []
    for kernel in FEATURES:
        for name, least in LEAST.items():
            settings = {"kernel": kernel, "min_cluster_size": least, "n_init": 5}
            row = {"data": task.name, "clusters": task.n_clusters, "least size": name}
            rows.append(row | measured(partial(ours, task, 0, **settings), task.y))
    print(*rows, sep="\n", flush=True)
    return rows


def summary(rows: list[Row]) -> list[Row]:
    """Tasks of more than two clusters: those with an empty one, and mean accuracies."""
    lines = []
    for kernel in FEATURES:
        for name in LEAST:
            chosen = [
                row
                for row in rows
                if row["clusters"] > 2 and (row["kernel"], row["least size"]) == (kernel, name)
            ]
            lines.append(
                {
                    "features": kernel,
                    "least size": name,
                    "tasks": len(chosen),
                    "with an empty cluster": sum(row["smallest"] == 0 for row in chosen),
                    "accuracy": f"{np.mean([row['accuracy'] for row in chosen]):.1f}",
                }
            )
    return lines


def main() -> None:
    if sys.argv[1:] != ["tables"]:
        measure_unscaled(RESULTS, task_rows)
    write_fragments({"clustering-sizes": markdown(summary(stored(RESULTS)["tasks"]))})


if __name__ == "__main__":
    main()
