"""How many clusters? Measures whose largest value over k names the number, on tasks of kinds.py.

The tasks have 2 to 12 classes, and are no tables, whose classes are often no clusters. A measure
is compared from half to twice the number of classes, and from 2 to 24. "silhouette, diffusion" is
that of k-means in the first k - 1 diffusion coordinates; "neighbours, diffusion" has its clusters
judged by the neighbours that they keep, as kernel='auto' judges clusterings; "eigengap" is
lambda_k - lambda_(k+1) of the random walk, and "relative gap" (1 - lambda_(k+1)) / (1 - lambda_k).
"within 1 %" takes the largest k whose silhouette is at least .99 of the highest.

    python -m benchmarks.clustering.how_many    # ten seconds a task
"""

from __future__ import annotations

from typing import Any

from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.metrics import calinski_harabasz_score, silhouette_score

from benchmarks.clustering.kinds import KINDS, tasks
from benchmarks.report import one_thread
from benchmarks.store import Row, save
from structsvm.features import DiffusionMap
from structsvm.problems.margin_clustering.choice import kept, nearest_others

RESULTS = "clustering/how_many"
MOST = 24
MOST_CLASSES = 12
#: Silhouettes of this fraction of the highest are as good.
SHARE = 0.99
#: Principal coordinates in which rows are compared.
FEW = 50


def values(X: Any) -> dict[str, dict[int, float]]:
    """The value of each measure for each number of clusters."""
    neighbors = nearest_others(X)
    walk = DiffusionMap(MOST + 1).set_output(transform="default")
    steps = walk.fit_transform(X)[:, X.shape[1] :]
    steps = steps.toarray() if sparse.issparse(steps) else steps
    reduced: Any = TruncatedSVD(FEW) if sparse.issparse(X) else PCA(min(FEW, *X.shape))
    rows = reduced.set_params(random_state=0).fit_transform(X)
    left = 1 - walk.eigenvalues_
    found: dict[str, dict[int, float]] = {}
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


def task_row(X: Any, classes: int) -> Row:
    """The numbers found, in both ranges."""
    row: Row = {"classes": classes}
    ranges = {"near": range(max(2, (classes + 1) // 2), 2 * classes + 1), "any": range(2, MOST + 1)}
    of_measures = values(X)
    for where, numbers in ranges.items():
        for name, of_k in of_measures.items():
            row[f"{name}, {where}"] = max(numbers, key=of_k.__getitem__)
        of_k = of_measures["silhouette, diffusion"]
        least = SHARE * max(of_k[k] for k in numbers)
        row[f"within 1 %, {where}"] = max(k for k in numbers if of_k[k] >= least)
    return row


def main() -> None:
    rows: list[Row] = []
    with one_thread():
        for half in ("choosing", "confirming"):
            for kind in KINDS:
                for name, X, y in tasks(kind, half) if kind != "tables" else ():
                    classes = int(y.max()) + 1
                    if classes <= MOST_CLASSES:
                        first = {"half": half, "kind": kind, "task": name}
                        rows.append(first | task_row(X, classes))
                        print(rows[-1], flush=True)
                        save(RESULTS, "tasks", rows)


if __name__ == "__main__":
    main()
