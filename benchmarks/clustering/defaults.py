"""MMC() and CPM3C(k) compared with clusterers of scikit-learn, on the tasks of kinds.py.

Ours is MMC() for two clusters and CPM3C(k) for more, with the defaults. The others are given the
number of clusters too: k-means has ten starts, spectral clustering the graph of nearest neighbours.
GaussianMixture gets at most 20 principal coordinates, or 50 of a singular value decomposition of
texts; Ward's method dense copies.

The tasks are in the half "confirming", which was measured after everything was fixed. The other
half was used to choose the clusterings that the default compares and their measure, the number of
diffusion coordinates, and the effort of the search.

    python -m benchmarks clustering/defaults    # ten seconds a task

The tasks are read from the folder in STRUCTSVM_CLUSTERS: see kinds.py.
"""

from __future__ import annotations

from typing import Any

from scipy import sparse
from sklearn.cluster import AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.mixture import GaussianMixture

from benchmarks.clustering._measures import measured, ours
from benchmarks.clustering._tasks import Task
from benchmarks.clustering.kinds import loaders
from benchmarks.experiment import Experiment
from benchmarks.store import Row

#: Variance added to GaussianMixture's, as a share of the mean: some tasks have fewer rows than it
#: needs.
RIDGE = 1e-3


def k_means(task: Task) -> Any:
    return KMeans(task.n_clusters, n_init=10, random_state=0).fit(task.X)


def spectral(task: Task) -> Any:
    model = SpectralClustering(task.n_clusters, affinity="nearest_neighbors", random_state=0)
    return model.fit(task.X)


def mixture(task: Task) -> Any:
    X = task.X
    few: Any = TruncatedSVD(50) if sparse.issparse(X) else PCA(min(20, *X.shape))
    few = few.set_params(random_state=0).fit_transform(X)
    model = GaussianMixture(task.n_clusters, random_state=0, reg_covar=RIDGE * few.var())
    return model.fit_predict(few)


def ward(task: Task) -> Any:
    X = task.X.toarray() if sparse.issparse(task.X) else task.X
    return AgglomerativeClustering(task.n_clusters).fit(X)


def row(fit: Any, task: Task) -> Row:
    return {"rows": len(task.y), "clusters": task.n_clusters} | measured(fit, task.y)


EXPERIMENTS = (
    Experiment(
        "tasks",
        ("kind", "half", "task", "method"),
        loaders("confirming"),
        {
            "structsvm": ours,
            "k-means": k_means,
            "spectral": spectral,
            "mixture": mixture,
            "Ward": ward,
        },
        row,
    ),
)
