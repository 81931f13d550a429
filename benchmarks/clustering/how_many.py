"""How many clusters? Measures whose largest value over k names the number, on tasks of kinds.py.

The tasks have 2 to 12 classes, and are no tables, whose classes are often no clusters. A measure
is compared from half to twice the number of classes, and from 2 to 24. "silhouette, diffusion" is
that of k-means in the first k - 1 diffusion coordinates; "neighbours, diffusion" has its clusters
judged by the neighbours that they keep, as kernel='auto' judges clusterings; "eigengap" is
lambda_k - lambda_(k+1) of the random walk, and "relative gap" (1 - lambda_(k+1)) / (1 - lambda_k).
"within 1 %" takes the largest k whose silhouette is at least .99 of the highest.

    python -m benchmarks clustering/how_many    # ten seconds a task
"""

from __future__ import annotations

from typing import Any

from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.metrics import calinski_harabasz_score, silhouette_score

from benchmarks.clustering._tasks import Task
from benchmarks.clustering.kinds import loaders
from benchmarks.experiment import Experiment
from benchmarks.store import Row
from structsvm.features import DiffusionMap
from structsvm.problems.margin_clustering.choice import kept, nearest_others

MOST = 24
MOST_CLASSES = 12
#: Silhouettes of this fraction of the highest are as good.
SHARE = 0.99
#: Principal coordinates in which rows are compared.
FEW = 50


def values(task: Task) -> dict[str, dict[int, float]]:
    """The value of each measure for each number of clusters; none for many classes."""
    X, found = task.X, {}
    if task.n_clusters > MOST_CLASSES:
        return {}
    neighbors = nearest_others(X)
    walk = DiffusionMap(MOST + 1).set_output(transform="default")
    steps = walk.fit_transform(X)[:, X.shape[1] :]
    steps = steps.toarray() if sparse.issparse(steps) else steps
    reduced: Any = TruncatedSVD(FEW) if sparse.issparse(X) else PCA(min(FEW, *X.shape))
    rows = reduced.set_params(random_state=0).fit_transform(X)
    left = 1 - walk.eigenvalues_
    for k in range(2, MOST + 1):
        few = steps[:, : k - 1]
        clusters, plain = (
            KMeans(k, n_init=5, random_state=0).fit(coordinates).labels_
            for coordinates in (few, rows)
        )
        of_k = {
            "silhouette, diffusion": silhouette_score(few, clusters),
            "neighbours, diffusion": kept(clusters, neighbors),
            "silhouette, k-means": silhouette_score(rows, plain),
            "Calinski-Harabasz, k-means": calinski_harabasz_score(rows, plain),
            "eigengap": left[k - 1] - left[k - 2],
            "relative gap": left[k - 1] / max(left[k - 2], 1e-6),
        }
        for name, value in of_k.items():
            found.setdefault(name, {})[k] = float(value)
    return found


def numbers(fits: Any, task: Task) -> Row | list[Row]:
    """The numbers found, in both ranges."""
    of_measures, classes = fits["all"].found, task.n_clusters
    if not of_measures:
        return []
    row: Row = {"classes": classes}
    ranges = {"near": range(max(2, (classes + 1) // 2), 2 * classes + 1), "any": range(2, MOST + 1)}
    for where, among in ranges.items():
        for name, of_k in of_measures.items():
            row[f"{name}, {where}"] = max(among, key=of_k.__getitem__)
        of_k = of_measures["silhouette, diffusion"]
        least = SHARE * max(of_k[k] for k in among)
        row[f"within 1 %, {where}"] = max(k for k in among if of_k[k] >= least)
    return row


EXPERIMENTS = (
    Experiment(
        "tasks",
        ("kind", "half", "task"),
        {
            key: load
            for key, load in loaders("choosing", "confirming").items()
            if key[0] != "tables"
        },
        {"all": values},
        numbers,
        wide=True,
    ),
)
