"""The evolutionary search beside that of the papers: objectives, accuracies and times over seeds.

Raw rows and texts of _tasks.py, with the features 'linear' and 'diffusion'. The best known
objective of a task is the lowest of all runs of both searches; a run reaches it within half a
percent. CCCP takes most of the time, so it has fewer seeds.

    python -m benchmarks.clustering.search          # an hour
    python -m benchmarks.clustering.search tables   # from the results

Tasks are read from the folder in STRUCTSVM_DATA, and from two packages: see _packages.py.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import numpy as np

from benchmarks.clustering._measures import measured
from benchmarks.clustering._tasks import Task, measure_unscaled
from benchmarks.clustering.defaults import ours
from benchmarks.report import Row, markdown, stored, write_fragments

RESULTS = "clustering/search"
SEEDS = {"evolutionary": 20, "cccp": 3}
FEATURES = ("linear", "diffusion")
#: A run reaches the best known objective if it is above it by less than this fraction.
CLOSE = 0.005


def task_rows(task: Task) -> list[Row]:
    """A row for each kind of features, with all runs of both searches."""
    rows = []
    for kernel in FEATURES:
        runs = {
            search: [
                measured(partial(ours, task, seed, kernel=kernel, search=search), task.y)
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


def summary(rows: list[Row]) -> list[Row]:
    lines = []
    for kernel in FEATURES:
        chosen = [row for row in rows if row["features"] == kernel]
        for search in SEEDS:
            mean = {
                name: np.mean([row[f"{search}, {name}"] for row in chosen])
                for name in ("reached", "excess %", "accuracy", "CPU s")
            }
            often = np.mean([row[f"{search}, reached"] >= 0.85 for row in chosen])
            lines.append(
                {
                    "features": kernel,
                    "search": search,
                    "tasks": len(chosen),
                    "runs that reach the best": f"{100 * mean['reached']:.0f} %",
                    "tasks where 17 of 20 do": f"{100 * often:.0f} %",
                    "mean excess": f"{mean['excess %']:.2f} %",
                    "accuracy": f"{mean['accuracy']:.1f}",
                    "CPU s": f"{mean['CPU s']:.2f}",
                }
            )
    return lines


def line(row: Row) -> dict[str, Any]:
    cells: dict[str, Any] = {key: row[key] for key in ("data", "features", "rows", "clusters")}
    for search, name in (("evolutionary", "ours"), ("cccp", "CCCP")):
        cells |= {
            f"{name}: reached": f"{100 * row[f'{search}, reached']:.0f} %",
            f"{name}: excess": f"{row[f'{search}, excess %']:.2f} %",
            f"{name}: accuracy": f"{row[f'{search}, accuracy']:.1f}",
            f"{name}: CPU s": f"{row[f'{search}, CPU s']:.2f}",
        }
    return cells


def main() -> None:
    if sys.argv[1:] != ["tables"]:
        measure_unscaled(RESULTS, task_rows)
    rows = stored(RESULTS)["tasks"]
    fragments = {"search-summary": summary(rows), "search-tasks": [line(row) for row in rows]}
    write_fragments({f"clustering-{name}": markdown(of) for name, of in fragments.items()})


if __name__ == "__main__":
    main()
