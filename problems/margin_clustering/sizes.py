"""Labels of highest score under which no cluster is too small."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from structsvm.problem import Indices, Vector

#: Temperatures of the smoothed prices, as shares of the spread of the scores.
TEMPERATURES = (0.1, 0.01)


def labels_with_floors(scores: Vector, labels: Indices, floors: Indices) -> Indices:
    """The labels of highest total score among those that give every cluster enough rows.

    A transportation problem. Its dual is a price for each cluster below the floor, found by
    L-BFGS on the entropy-smoothed dual; what the prices leave open is settled row by row in order
    of regret. Exact for two clusters, else up to the smoothing.

    Parameters
    ----------
    scores : ndarray of shape (n, k)
    labels : ndarray of shape (n,)
        A cluster of highest score for every row.
    floors : ndarray of shape (k,)
        Least number of rows in every cluster. Where they add up to more than n, the clusters that
        come last get less.
    """
    n, k = scores.shape
    if np.all(np.bincount(labels, minlength=k) >= floors):
        return labels
    if k > 2:
        scores = scores + _prices(scores, floors / n)
        labels = scores.argmax(axis=1)
    labels = labels.copy()
    sizes = np.bincount(labels, minlength=k)
    for cluster in np.flatnonzero(sizes < floors):
        regret = scores[np.arange(n), labels] - scores[:, cluster]
        for i in np.argsort(regret, kind="stable"):
            if sizes[cluster] >= floors[cluster]:
                break
            if labels[i] != cluster and sizes[labels[i]] > floors[labels[i]]:
                sizes[labels[i]] -= 1
                sizes[cluster] += 1
                labels[i] = cluster
    return labels


def _prices(scores: Vector, shares: Vector) -> Vector:
    """What to add to each cluster's scores, >= 0, so that about its share of rows prefer it."""
    k = len(shares)
    prices = np.zeros(k)
    by_cluster = np.ascontiguousarray(scores.T)  # sums over long rows are fast
    spread = float(scores.std()) or 1.0
    for temperature in (spread * t for t in TEMPERATURES):

        def dual(prices: Vector, temperature: float = temperature) -> tuple[float, Vector]:
            heated = (by_cluster + prices[:, None]) / temperature
            most = heated.max(axis=0)
            terms = np.exp(heated - most)
            totals = terms.sum(axis=0)
            value = temperature * float((most + np.log(totals)).mean()) - float(shares @ prices)
            return value, (terms / totals).mean(axis=1) - shares

        prices = minimize(
            dual, prices, jac=True, method="L-BFGS-B", bounds=[(0, None)] * k,
            options={"maxiter": 50},
        ).x  # fmt: skip
    return prices
