"""Whether a loss of whole clusterings changes the clusters: MultivariateMMC beside MMC.

Both with their defaults and one seed, on the tasks of _tasks.py with two classes in their raw form.
The adjusted Rand index is that between the two clusterings, and that of each with the classes.

    python -m benchmarks.clustering.losses    # a minute

Tasks are read from the folder in STRUCTSVM_DATA, and from two packages: see _packages.py.
"""

from __future__ import annotations

import warnings
from typing import Any

from sklearn.metrics import adjusted_rand_score

from benchmarks.clustering._tasks import Task, measure_unscaled
from benchmarks.report import cpu_seconds
from benchmarks.store import Row
from structsvm.problems import MMC, MultivariateMMC

RESULTS = "clustering/losses"
LOSSES = ("nmi", "rand", "f")


def fitted(clusterer: Any, X: Any) -> tuple[float, Any]:
    """The CPU seconds of a fit, and its clusters."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seconds, labels = cpu_seconds(lambda: clusterer.fit_predict(X), repeats=1)
    return seconds, labels


def index(one: Any, other: Any) -> float:
    """The adjusted Rand index, in percent."""
    return 100 * float(adjusted_rand_score(one, other))


def task_rows(task: Task) -> list[Row]:
    """A row for every loss; none for a task of more than two classes."""
    if task.n_clusters > 2:
        return []
    seconds, labels = fitted(MMC(random_state=0), task.X)
    rows = []
    for loss in LOSSES:
        taken, others = fitted(MultivariateMMC(loss=loss, random_state=0), task.X)
        row = {"data": task.name, "loss": loss, "ARI with MMC": index(labels, others)}
        row |= {"MMC, ARI": index(task.y, labels), "ARI": index(task.y, others)}
        rows.append(row | {"MMC, CPU s": seconds, "CPU s": taken})
    print(*rows, sep="\n", flush=True)
    return rows


if __name__ == "__main__":
    measure_unscaled(RESULTS, task_rows)
