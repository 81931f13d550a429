"""The evolutionary search and the papers' search: objectives, accuracies and times over seeds.

Raw rows and texts of _tasks.py, with the features 'linear' and 'diffusion'. The best known
objective of a task is the lowest of all runs of both searches; a run reaches it within half a
percent. CCCP takes most of the time, so it has fewer seeds.

    python -m benchmarks clustering/search    # twenty minutes

Tasks are read from the folder in STRUCTSVM_DATA, and from two packages: see _packages.py.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.clustering._measures import measured, ours
from benchmarks.clustering._tasks import Task, unscaled
from benchmarks.experiment import Experiment, Fit, cpu_seconds
from benchmarks.store import Row

#: Numbers of seeds.
SEEDS = {"evolutionary": 5, "cccp": 2}
#: More effort and more coordinates than by default.
SETTINGS = {"n_init": 10, "n_components": 20}
#: A run reaches the best known objective if it is above it by less than this fraction.
CLOSE = 0.005


def runs(data: tuple[Task, str], search: str) -> list[Row]:
    """A row for each seed."""
    task, kernel = data
    rows = []
    for seed in range(SEEDS[search]):
        run = partial(ours, task, seed=seed, kernel=kernel, search=search, **SETTINGS)
        seconds, fitted = cpu_seconds(run, 1)
        rows.append(measured(Fit(fitted, seconds), task.y))
    return rows


def row(fits: Any, data: tuple[Task, str]) -> Row:
    task, _ = data
    best = min(run["objective"] for fit in fits.values() for run in fit.found)
    row: Row = {"rows": len(task.y), "clusters": task.n_clusters, "best objective": best}
    for search, fit in fits.items():
        excess = np.array([run["objective"] for run in fit.found]) / best - 1
        row |= {
            f"{search}, reached": float(np.mean(excess < CLOSE)),
            f"{search}, excess %": 100 * float(excess.mean()),
            f"{search}, accuracy": float(np.mean([run["accuracy"] for run in fit.found])),
            f"{search}, CPU s": float(np.mean([run["CPU s"] for run in fit.found])),
        }
    return row


EXPERIMENTS = (
    Experiment(
        "tasks",
        ("data", "features"),
        {
            (name, kernel): lambda load=load, kernel=kernel: (load(), kernel)
            for name, load in unscaled().items()
            for kernel in ("linear", "diffusion")
        },
        {search: partial(runs, search=search) for search in SEEDS},
        row,
        wide=True,
    ),
)
