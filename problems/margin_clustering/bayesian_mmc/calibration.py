"""Probabilities as sure as the clusters are stable."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.optimize import brentq, linear_sum_assignment
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from structsvm.data.arrays import Indices, Vector

#: Random divisions of the rows into halves.
DIVISIONS = 3

#: Range of the logarithm of the temperature.
RANGE = (-3.0, 4.0)


def stability(estimator: Any, X: Any, labels: Indices, rng: np.random.Generator) -> float:
    """Return how far fits of halves of the rows agree with the labels of the other halves.

    Raises
    ------
    ValueError
        A half cannot be fitted.
    """
    found = []
    for half, rest in _halves(len(labels), rng):
        model = clone(estimator).set_params(
            calibrate=False, verbose=False, random_state=int(rng.integers(2**31 - 1))
        )
        precomputed = isinstance(estimator.kernel, str) and estimator.kernel == "precomputed"
        columns = half if precomputed else slice(None)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                model.fit(X[half][:, columns])
        except ValueError as error:
            raise ValueError(
                f"calibrate=True fits halves of the rows, and one cannot be fitted: {error}"
            ) from error
        predicted = model.predict(X[rest][:, columns])
        found.append(agreement(predicted, labels[rest], estimator.n_clusters))
    return float(np.mean(found))


def _halves(n: int, rng: np.random.Generator) -> Iterator[tuple[Indices, Indices]]:
    for _ in range(DIVISIONS):
        order = rng.permutation(n)
        one, other = np.sort(order[: n // 2]), np.sort(order[n // 2 :])
        yield one, other
        yield other, one


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
    if excess(high) >= 0:
        return float(np.exp(high))
    return float(np.exp(brentq(excess, low, high)))
