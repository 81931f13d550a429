"""The least size of a cluster: accuracy, objective and smallest cluster with and without it.

The default is .05 of the rows for two clusters and .5 / k for more; 0 is no least size. One seed
and half the usual effort, on the raw rows and texts of _tasks.py.

    python -m benchmarks.clustering.sizes    # four minutes

Tasks are read from the folder in STRUCTSVM_DATA, and from two packages: see _packages.py.
"""

from __future__ import annotations

from functools import partial

from benchmarks.clustering._measures import measured, ours
from benchmarks.clustering._tasks import Task, measure_unscaled
from benchmarks.store import Row
from benchmarks.tables.pages import show

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
            rows.append(row | measured(partial(ours, task.X, task.n_clusters, **settings), task.y))
    print(*rows, sep="\n", flush=True)
    return rows


def main() -> None:
    measure_unscaled(RESULTS, task_rows)
    show(RESULTS)


if __name__ == "__main__":
    main()
