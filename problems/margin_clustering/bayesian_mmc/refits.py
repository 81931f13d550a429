"""Copies of a model that are fitted to parts of the rows: divisions in two, and calibration."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.optimize import brentq, linear_sum_assignment
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.margin_clustering.bayesian_mmc.parameters import is_kernel

#: Random divisions of the rows into halves.
DIVISIONS = 3
#: Range of the logarithm of the temperature.
RANGE = (-3.0, 4.0)


def refit(estimator: Any, X: Any, rows: Indices, **parameters: Any) -> tuple[Any, Any]:
    """A copy fitted to some of the rows, and the columns of X that it takes.

    With a precomputed kernel these are the columns of its rows.
    """
    columns = rows if is_kernel(estimator.kernel, "precomputed") else slice(None)
    model = clone(estimator).set_params(calibrate=False, **parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the estimator warns
        return model.fit(X[rows][:, columns]), columns


# ---------------------------------------------------------------------- divisions


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
            try:
                model, columns = refit(estimator, X, rows, n_clusters=2)
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


# ---------------------------------------------------------------------- calibration


def stability(estimator: Any, X: Any, labels: Indices, rng: np.random.Generator) -> float:
    """Return how far fits of halves of the rows agree with the labels of the other halves.

    Raises
    ------
    ValueError
        A half cannot be fitted.
    """
    found, n = [], len(labels)
    for _ in range(DIVISIONS):
        order = rng.permutation(n)
        one, other = np.sort(order[: n // 2]), np.sort(order[n // 2 :])
        for half, rest in ((one, other), (other, one)):
            seed = int(rng.integers(2**31 - 1))
            try:
                model, columns = refit(estimator, X, half, verbose=False, random_state=seed)
            except ValueError as error:
                raise ValueError(
                    f"calibrate=True fits halves of the rows, and one cannot be fitted: {error}"
                ) from error
            predicted = model.predict(X[rest][:, columns])
            found.append(agreement(predicted, labels[rest], estimator.n_clusters))
    return float(np.mean(found))


def agreement(one: Indices, other: Indices, n_clusters: int) -> float:
    """Return the fraction of rows in the same of k clusters, matched by the Hungarian method."""
    common = np.zeros((n_clusters, n_clusters))
    np.add.at(common, (one, other), 1)
    return float(common[linear_sum_assignment(common, maximize=True)].sum() / len(one))


def tempered(probabilities: Vector, temperature: float) -> Vector:
    """Return probabilities proportional to their powers 1 / temperature, shape (n, k)."""
    logs = np.log(np.maximum(probabilities, np.finfo(np.float64).tiny)) / temperature
    powers = np.exp(logs - logs.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def fitted_temperature(probabilities: Vector, confidence: float) -> float:
    """Return the temperature with this mean of the largest probabilities, or the nearest to it."""

    def excess(log_temperature: float) -> float:
        p = tempered(probabilities, np.exp(log_temperature))
        return float(p.max(axis=1).mean()) - confidence

    low, high = RANGE
    if excess(low) <= 0:
        return float(np.exp(low))
    return float(np.exp(high if excess(high) >= 0 else brentq(excess, low, high)))
