"""MMC() and CPM3C(k) beside clusterers of scikit-learn, on the tasks of _tasks.py.

Ours are MMC() for two clusters and CPM3C(k) for more, with their defaults; and with 'linear' and
'diffusion' instead of the choice between them. All but HDBSCAN are given the number of clusters;
spectral clustering uses the graph of nearest neighbours, all else is scikit-learn's default.
GaussianMixture gets 50 coordinates of a singular value decomposition of texts, which it cannot take
as they are, Ward's method and HDBSCAN dense copies. A task has at most 800 rows.

Measures are in percent; accuracy matches clusters with classes one to one. The tasks are divided
into four parts. The constants of 'diffusion' and the number of neighbours were chosen on
"choosing". On "confirming" 'diffusion' for all data then was behind plain rows, so the default
became the choice between the two, and tasks from two packages were added. Half of them, "packages,
confirming", were measured when nothing was to change any more. Afterwards the eigenvectors of
graphs of several components were corrected, because of the task "landmarks", and the tasks with
such graphs were measured again; in this part that changed means by less than .1. Later the
default came to choose between k-means and 'diffusion', by a threshold that was chosen on the
choosing parts and on tasks that are not here; only its own rows were measured again. The page shows
the tasks of the last part on which no earlier default was chosen either.

    python -m benchmarks.clustering.defaults    # one to two minutes for every 10 tasks

Tasks are read from the folder in STRUCTSVM_DATA, and from two packages: see _packages.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.decomposition import TruncatedSVD
from sklearn.mixture import GaussianMixture

from benchmarks.clustering._measures import measured
from benchmarks.clustering._tasks import PARTS, Task, tasks
from benchmarks.report import one_thread
from benchmarks.store import Row, save
from benchmarks.tables.pages import show
from structsvm.problems import CPM3C, MMC

RESULTS = "clustering/defaults"
#: Seeds of all that is random; a row has the means.
SEEDS = range(3)


def ours(task: Task, seed: int, **settings: Any) -> Any:
    k = task.n_clusters
    clusterer = MMC(**settings) if k == 2 else CPM3C(k, **settings)
    return clusterer.set_params(random_state=seed).fit(task.X)


def contenders(task: Task, seed: int) -> dict[str, Callable[[], Any]]:
    """What fits each method, by name."""
    X, k = task.X, task.n_clusters
    dense = X.toarray() if sparse.issparse(X) else X
    few = TruncatedSVD(50, random_state=0).fit_transform(X) if sparse.issparse(X) else X
    spectral = SpectralClustering(k, affinity="nearest_neighbors", random_state=seed)
    return {
        "structsvm": lambda: ours(task, seed),
        "linear": lambda: ours(task, seed, kernel="linear"),
        "diffusion": lambda: ours(task, seed, kernel="diffusion"),
        "k-means": lambda: KMeans(k, n_init=10, random_state=seed).fit(X),
        "spectral": lambda: spectral.fit(X),
        "mixture": lambda: GaussianMixture(k, random_state=seed).fit_predict(few),
        "Ward": lambda: AgglomerativeClustering(k).fit(dense),
        "HDBSCAN": lambda: HDBSCAN(copy=True).fit(dense),
    }


def task_rows(task: Task, part: str) -> list[Row]:
    """A row of means over the seeds for every method."""
    found: dict[str, list[Row]] = {}
    for seed in SEEDS:
        for name, fit in contenders(task, seed).items():
            found.setdefault(name, []).append(measured(fit, task.y))
    first = {"part": part, "task": task.name, "form": task.form, "rows": len(task.y)}
    rows = []
    for name, of_seeds in found.items():
        numbers = [key for key, value in of_seeds[0].items() if isinstance(value, float)]
        row = {key: float(np.mean([one[key] for one in of_seeds])) for key in numbers}
        if "kernel" in of_seeds[0]:
            row["kernel"] = "/".join(sorted({one["kernel"] for one in of_seeds}))
        rows.append(first | {"clusters": task.n_clusters, "method": name} | row)
    print(*(f"{row['method']} {row['accuracy']:.1f}" for row in rows), *first.values(), flush=True)
    return rows


def main() -> None:
    rows: list[Row] = []
    with one_thread():
        for part, names in PARTS.items():
            for task in tasks(names):
                rows += task_rows(task, part)
                save(RESULTS, "tasks", rows)
    show(RESULTS)


if __name__ == "__main__":
    main()
