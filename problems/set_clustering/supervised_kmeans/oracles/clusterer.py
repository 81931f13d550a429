"""scikit-learn clusterers as predictors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import clone

from structsvm.bases import HasParameters
from structsvm.contract.problem import OracleQuality
from structsvm.data.arrays import Indices, Vector
from structsvm.data.labels import in_order
from structsvm.problems.set_clustering.similarities import require_similarity


class ClustererOracle(HasParameters):
    """A scikit-learn clusterer that takes a precomputed matrix, applied to similarities.

    A clusterer with ``affinity='precomputed'`` gets K minus its smallest entry, so that no affinity
    is negative; this changes the k-means objective of all partitions by the same amount. A
    clusterer with ``metric='precomputed'`` gets the distances max K - K with a zero diagonal.

    Parameters
    ----------
    clusterer : estimator
        It is cloned, and its ``n_clusters`` is set if it has this parameter.
    """

    quality: OracleQuality = "undergenerating"

    def __init__(self, clusterer: Any) -> None:
        self.clusterer = clusterer
        self._input()

    def _input(self) -> str:
        """The parameter that is 'precomputed': 'affinity' or 'metric'."""
        parameters = self.clusterer.get_params()
        for name in ("affinity", "metric"):
            if parameters.get(name) == "precomputed":
                return name
        raise ValueError(
            f"{self.clusterer} must have affinity='precomputed' or metric='precomputed' to cluster "
            "by a learned similarity"
        )

    def cluster(self, K: Vector, n_clusters: int, starts: Iterable[Indices] = ()) -> Indices:
        """Labels of shape (m,), for a symmetric K of shape (m, m). ``starts`` are unused."""
        require_similarity(K)
        clusterer = clone(self.clusterer)
        if "n_clusters" in clusterer.get_params():
            clusterer.set_params(n_clusters=n_clusters)
        if self._input() == "affinity":
            matrix = K - K.min()
        else:
            matrix = K.max() - K
            # The distance of an item to itself; max K - K_ii need not be 0.
            np.fill_diagonal(matrix, 0)
        labels = np.asarray(clusterer.fit_predict(matrix))
        if (labels == -1).any():
            raise ValueError(
                f"{clusterer} left {np.count_nonzero(labels == -1)} items without a cluster, as "
                "noise; choose one that assigns every item to a cluster"
            )
        codes = in_order(labels)
        if codes.max() + 1 != n_clusters:
            raise ValueError(
                f"{clusterer} found {codes.max() + 1} clusters; expected {n_clusters}. Choose one "
                "with a parameter n_clusters"
            )
        return codes
