"""The least size of a cluster: accuracy, objective and smallest cluster with and without it.

The default is .05 of the rows for two clusters and .5 / k for more; 0 is no least size. One seed
and half the usual effort, on the raw rows and texts of _tasks.py.

    python -m benchmarks clustering/sizes    # four minutes

Tasks are read from the folder in STRUCTSVM_DATA, and from two packages: see _packages.py.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

from benchmarks.clustering._measures import measured, ours
from benchmarks.clustering._tasks import Task, unscaled
from benchmarks.experiment import Experiment
from benchmarks.store import Row

LEAST = {"default": None, "none": 0.0}


def rows(fits: Any, task: Task) -> list[Row]:
    """A row for each kind of features and least size."""
    return [
        {"clusters": task.n_clusters, "least size": name} | measured(fit, task.y)
        for (_, name), fit in fits.items()
    ]


EXPERIMENTS = (
    Experiment(
        "tasks",
        ("data", "kernel", "least size"),
        unscaled(),
        {
            (kernel, name): partial(ours, kernel=kernel, min_cluster_size=least, n_init=5)
            for kernel, (name, least) in product(("linear", "diffusion"), LEAST.items())
        },
        rows,
        wide=True,
    ),
)
