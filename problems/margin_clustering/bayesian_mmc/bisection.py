"""More than two clusters by dividing the largest in two, again and again."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.margin_clustering.bayesian_mmc.parameters import is_kernel


class Bisection:
    """Clusters from k - 1 divisions in two, always of the largest cluster.

    A row goes to the more probable side of each division of its cluster. The probability of a
    cluster is the product over the divisions that lead to it.

    Parameters
    ----------
    estimator : BayesianMMC
        Its copies for two clusters divide.
    X : array or CSR matrix of shape (n, n_features), or (n, n) with a precomputed kernel

    Attributes
    ----------
    models : list of BayesianMMC
        Of two clusters each. The first keeps the number of the cluster that is divided, the second
        has the next free number.

    Raises
    ------
    ValueError
        The largest cluster cannot be divided.
    """

    def __init__(self, estimator: Any, X: Any) -> None:
        self.models: list[Any] = []
        self._clusters: list[int] = []
        self._columns: list[Any] = []  # of a precomputed kernel, those of the rows divided
        for _ in range(1, estimator.n_clusters):
            labels, _ = self.of(X)
            cluster = int(np.bincount(labels).argmax())
            rows = np.flatnonzero(labels == cluster)
            columns = rows if is_kernel(estimator.kernel, "precomputed") else slice(None)
            model = clone(estimator).set_params(n_clusters=2, calibrate=False)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ConvergenceWarning)  # the estimator warns
                    model.fit(X[rows][:, columns])
            except ValueError as error:
                raise ValueError(
                    f"the largest cluster, of {len(rows)} rows, cannot be divided: {error}. Take "
                    "fewer clusters, or multi_class='joint'"
                ) from error
            self.models.append(model)
            self._clusters.append(cluster)
            self._columns.append(columns)

    def of(self, X: Any) -> tuple[Indices, Vector]:
        """The cluster of every row, shape (n,), and the probability of each, shape (n, k)."""
        labels, probabilities = np.zeros(X.shape[0], dtype=np.intp), np.ones((X.shape[0], 1))
        for model, cluster, columns in zip(self.models, self._clusters, self._columns, strict=True):
            sides = model.predict_proba(X[:, columns])
            labels[(labels == cluster) & (sides.argmax(axis=1) == 1)] = probabilities.shape[1]
            second = probabilities[:, cluster] * sides[:, 1]
            probabilities[:, cluster] *= sides[:, 0]
            probabilities = np.column_stack([probabilities, second])
        return labels, probabilities
