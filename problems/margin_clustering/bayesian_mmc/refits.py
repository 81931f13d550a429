"""Fit copies of a model to parts of the rows, to divide clusters or calibrate probabilities."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.optimize import brentq, linear_sum_assignment
from scipy.special import softmax
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.margin_clustering.bayesian_mmc.parameters import is_kernel

#: Number of random divisions of the rows into halves.
DIVISIONS = 3
#: Range of the logarithm of the temperature.
RANGE = (-3.0, 4.0)


def refit(estimator: Any, X: Any, rows: Indices, **parameters: Any) -> tuple[Any, Any]:
    """Fit a copy of a model to some rows; return the copy and the columns of X that the copy uses.

    If X is a precomputed kernel matrix, the copy of the model uses only the columns ``rows``.
    """
    columns = rows if is_kernel(estimator.kernel, "precomputed") else slice(None)
    model = clone(estimator).set_callbacks().set_params(calibrate=False, **parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the estimator itself warns
        return model.fit(X[rows][:, columns]), columns


# ---------------------------------------------------------------------- divisions


class Bisection:
    """A clustering into k clusters by k - 1 divisions, each of the largest cluster.

    In each division of its cluster, a row goes to the more probable part. The probability of a
    cluster is the product of the probabilities of the parts that contain the cluster.

    Parameters
    ----------
    estimator : BayesianMMC
        For each division, a copy of this estimator finds two clusters.
    X : array or CSR matrix of shape (n, n_features), or (n, n) with a precomputed kernel
        The rows.

    Attributes
    ----------
    models : list of BayesianMMC
        A model of two clusters for each division of a cluster. The first part keeps the index of
        the divided cluster, and the second part gets the next free index.

    Raises
    ------
    ValueError
        If the largest cluster cannot be divided.
    """

    def __init__(self, estimator: Any, X: Any) -> None:
        self.models: list[Any] = []
        self._clusters: list[int] = []
        self._columns: list[Any] = []  # with a precomputed kernel, those of the divided rows
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
        """Return the cluster of every row, shape (n,), and probabilities of shape (n, k)."""
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
    """Return the mean agreement of ``labels`` with predictions by models of the other half.

    Raises
    ------
    ValueError
        If the fit of one half of the rows fails.
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
    """Match clusters by the Hungarian method; return the fraction of rows in matching clusters."""
    common = np.zeros((n_clusters, n_clusters))
    np.add.at(common, (one, other), 1)
    return float(common[linear_sum_assignment(common, maximize=True)].sum() / len(one))


def tempered(probabilities: Vector, temperature: float) -> Vector:
    """Return probabilities that are proportional to ``probabilities ** (1 / temperature)``."""
    logs = np.log(np.maximum(probabilities, np.finfo(np.float64).tiny)) / temperature
    return np.asarray(softmax(logs, axis=1))


def fitted_temperature(probabilities: Vector, confidence: float) -> float:
    """Return the temperature that brings the mean confidence nearest to ``confidence``."""

    def excess(log_temperature: float) -> float:
        p = tempered(probabilities, np.exp(log_temperature))
        return float(p.max(axis=1).mean()) - confidence

    low, high = RANGE
    if excess(low) <= 0:
        return float(np.exp(low))
    return float(np.exp(high if excess(high) >= 0 else brentq(excess, low, high)))
