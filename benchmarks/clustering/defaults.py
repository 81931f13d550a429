"""MMC() and CPM3C(k) beside clusterers of scikit-learn, on the tasks of kinds.py.

Ours is MMC() for two clusters and CPM3C(k) for more, with the defaults; and with 'diffusion'
alone. The others are given the number of clusters too: k-means has ten starts, spectral clustering
the graph of nearest neighbours. GaussianMixture gets at most 20 principal coordinates, or 50 of a
singular value decomposition of texts; Ward's method dense copies.

The tasks are those of the half "confirming", measured once everything was fixed. The other half
chose what the default compares, how, the number of diffusion coordinates and the effort of the
search.

    python -m benchmarks.clustering.defaults    # ten seconds a task

The tasks are read from the folder in STRUCTSVM_CLUSTERS: see kinds.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scipy import sparse
from sklearn.cluster import AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.mixture import GaussianMixture

from benchmarks.clustering._measures import measured, ours
from benchmarks.clustering.kinds import KINDS, tasks
from benchmarks.report import one_thread
from benchmarks.store import Row, save
from benchmarks.tables.pages import show

RESULTS = "clustering/defaults"
HALF = "confirming"
#: Variance added to GaussianMixture's, as a share of the mean: some tasks have fewer rows than it
#: needs.
RIDGE = 1e-3


def contenders(X: Any, k: int) -> dict[str, Callable[[], Any]]:
    """What fits each method, by name."""
    dense = X.toarray() if sparse.issparse(X) else X
    few: Any = TruncatedSVD(50) if sparse.issparse(X) else PCA(min(20, *X.shape))
    few = few.set_params(random_state=0).fit_transform(X)
    mixture = GaussianMixture(k, random_state=0, reg_covar=RIDGE * few.var())
    return {
        "structsvm": lambda: ours(X, k),
        "diffusion": lambda: ours(X, k, kernel="diffusion"),
        "k-means": lambda: KMeans(k, n_init=10, random_state=0).fit(X),
        "spectral": lambda: SpectralClustering(k, affinity="nearest_neighbors", random_state=0).fit(
            X
        ),
        "mixture": lambda: mixture.fit_predict(few),
        "Ward": lambda: AgglomerativeClustering(k).fit(dense),
    }


def task_rows(kind: str, half: str, name: str, X: Any, y: Any) -> list[Row]:
    """A row for every method."""
    k = int(y.max()) + 1
    first = {"kind": kind, "half": half, "task": name, "rows": len(y), "clusters": k}
    found = [
        first | {"method": method} | measured(fit, y) for method, fit in contenders(X, k).items()
    ]
    print(*(f"{row['method']} {row['ARI']:.1f}" for row in found), *first.values(), flush=True)
    return found


def main() -> None:
    rows: list[Row] = []
    with one_thread():
        for kind in KINDS:
            for name, X, y in tasks(kind, HALF):
                rows += task_rows(kind, HALF, name, X, y)
                save(RESULTS, "tasks", rows)
    show(RESULTS)


if __name__ == "__main__":
    main()
