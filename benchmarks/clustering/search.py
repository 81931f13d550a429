"""The evolutionary search beside that of the papers: objectives, accuracies and times over seeds.

Raw rows and texts of _tasks.py, with the features 'linear' and 'diffusion'. The best known
objective of a task is the lowest of all runs of both searches; a run reaches it within half a
percent. CCCP takes most of the time, so it has fewer seeds.

    python -m benchmarks.clustering.search    # twenty minutes

Tasks are read from the folder in STRUCTSVM_DATA, and from two packages: see _packages.py.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.clustering._measures import measured, ours
from benchmarks.clustering._tasks import Task, measure_unscaled
from benchmarks.store import Row
from benchmarks.tables.pages import show

RESULTS = "clustering/search"
SEEDS = {"evolutionary": 5, "cccp": 2}
FEATURES = ("linear", "diffusion")
#: More effort and more coordinates than by default.
SETTINGS = {"n_init": 10, "n_components": 20}
#: A run reaches the best known objective if it is above it by less than this fraction.
CLOSE = 0.005


def task_rows(task: Task) -> list[Row]:
    """A row for each kind of features, with all runs of both searches."""
    rows, k = [], task.n_clusters
    for kernel in FEATURES:
        runs = {
            search: [
                measured(
                    partial(ours, task.X, k, seed, kernel=kernel, search=search, **SETTINGS), task.y
                )
                for seed in range(count)
            ]
            for search, count in SEEDS.items()
        }
        best = min(run["objective"] for of_search in runs.values() for run in of_search)
        row: Row = {"data": task.name, "features": kernel, "rows": len(task.y)}
        row |= {"clusters": task.n_clusters, "best objective": best}
        for search, of_search in runs.items():
            excess = np.array([run["objective"] for run in of_search]) / best - 1
            row |= {
                f"{search}, reached": float(np.mean(excess < CLOSE)),
                f"{search}, excess %": 100 * float(excess.mean()),
                f"{search}, accuracy": float(np.mean([run["accuracy"] for run in of_search])),
                f"{search}, CPU s": float(np.mean([run["CPU s"] for run in of_search])),
            }
        print(row, flush=True)
        rows.append(row)
    return rows


def main() -> None:
    measure_unscaled(RESULTS, task_rows)
    show(RESULTS)


if __name__ == "__main__":
    main()
