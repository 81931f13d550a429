"""Measures whose largest value over k estimates the number of clusters, on tasks of kinds.py.

The tasks have 2 to 12 classes, and are no tables, whose classes are often no clusters. Numbers from
half to twice the number of classes are compared. "silhouette, k-means" clusters by k-means in the
first principal coordinates. "within 1 %" takes the largest k whose silhouette, of k-means in the
first k - 1 diffusion coordinates, is at least .99 of the highest.

    python -m benchmarks clustering/how_many    # ten seconds a task
"""

from __future__ import annotations

from typing import Any

from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.metrics import silhouette_score

from benchmarks.clustering._tasks import Task
from benchmarks.clustering.kinds import loaders
from benchmarks.experiment import Experiment
from benchmarks.store import Row
from structsvm.features import DiffusionMap

MOST_CLASSES = 12
#: Silhouettes of this fraction of the highest are as good.
SHARE = 0.99
#: Principal coordinates in which rows are compared.
FEW = 50


def numbers(task: Task) -> Row | list[Row]:
    """Return the estimated numbers, or None for many classes."""
    X, classes = task.X, task.n_clusters
    if classes > MOST_CLASSES:
        return []
    among = range(max(2, (classes + 1) // 2), 2 * classes + 1)
    walk = DiffusionMap(among[-1]).set_output(transform="default")
    steps = walk.fit_transform(X)[:, X.shape[1] :]
    steps = steps.toarray() if sparse.issparse(steps) else steps
    reduced: Any = TruncatedSVD(FEW) if sparse.issparse(X) else PCA(min(FEW, *X.shape))
    rows = reduced.set_params(random_state=0).fit_transform(X)
    plain = {k: silhouette(rows, k) for k in among}
    diffusion = {k: silhouette(steps[:, : k - 1], k) for k in among}
    least = SHARE * max(diffusion.values())
    return {
        "classes": classes,
        "silhouette, k-means, near": max(plain, key=plain.__getitem__),
        "within 1 %, near": max(k for k, value in diffusion.items() if value >= least),
    }


def silhouette(coordinates: Any, k: int) -> float:
    clusters = KMeans(k, n_init=5, random_state=0).fit(coordinates).labels_
    return float(silhouette_score(coordinates, clusters))


EXPERIMENTS = (
    Experiment(
        "tasks",
        ("kind", "half", "task"),
        {
            key: load
            for key, load in loaders("choosing", "confirming").items()
            if key[0] != "tables"
        },
        numbers,
    ),
)
