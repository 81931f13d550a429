"""scikit-learn clusterers as predictors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import clone

from structsvm.bases import HasParameters
from structsvm.contract.problem import OracleQuality
from structsvm.data.arrays import Indices, Vector
from structsvm.problems.set_clustering.similarities import require_similarity


class ClustererOracle(HasParameters):
    """A scikit-learn clusterer of precomputed matrices, applied to similarities.

    A clusterer with ``affinity='precomputed'`` gets the similarity matrix K minus its smallest
    entry, so that no affinity is negative. Subtracting a number from all entries of K changes the
    k-means objective of all partitions by the same amount. A clusterer with
    ``metric='precomputed'`` gets the distances max K - K with a zero diagonal.

    Parameters
    ----------
    clusterer : estimator
        The clusterer, which is cloned before its ``n_clusters`` is set.
    """

    quality: OracleQuality = "undergenerating"

    def __init__(self, clusterer: Any) -> None:
        self.clusterer = clusterer
        parameters = clusterer.get_params()
        forms = [parameters.get(name) for name in ("affinity", "metric")]
        if "precomputed" not in forms or "n_clusters" not in parameters:
            raise ValueError(
                f"{clusterer} must have affinity='precomputed' or metric='precomputed' to cluster "
                "by a learned similarity, and a parameter n_clusters"
            )

    def cluster(self, K: Vector, n_clusters: int, starts: Iterable[Indices] = ()) -> Indices:
        """Return labels of shape (m,), for a symmetric K of shape (m, m).

        ``starts`` are not used.
        """
        require_similarity(K)
        if self.clusterer.get_params().get("affinity") == "precomputed":
            matrix = K - K.min()
        else:
            matrix = K.max() - K
            # An item has distance 0 to itself, but max K - K_ii need not be 0.
            np.fill_diagonal(matrix, 0)
        clusterer = clone(self.clusterer).set_params(n_clusters=n_clusters)
        return np.asarray(clusterer.fit_predict(matrix))
