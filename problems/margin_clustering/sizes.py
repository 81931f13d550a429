"""Labels of highest score with a lower bound on the size of every cluster."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from structsvm.problem import Indices, Vector

#: Temperatures at which the dual is smoothed, one after the other, as fractions of the standard
#: deviation of the scores.
TEMPERATURES = (0.1, 0.01)


def labels_with_floors(scores: Vector, labels: Indices, floors: Indices) -> Indices:
    """The labels of highest total score among those that give every cluster enough rows.

    This is a transportation problem. Its dual variables are prices of the clusters, found by L-BFGS
    on the entropy-smoothed dual; clusters that are still too small then take rows one by one, in
    order of regret. Exact for two clusters, up to the smoothing for more.

    Parameters
    ----------
    scores : ndarray of shape (n, k)
    labels : ndarray of shape (n,)
        A cluster of highest score for every row.
    floors : ndarray of shape (k,)
        Least number of rows in every cluster. Where they add up to more than n, the last clusters
        get fewer.

    Returns
    -------
    ndarray of shape (n,)
    """
    n, k = scores.shape
    if np.all(np.bincount(labels, minlength=k) >= floors):
        return labels
    # With two clusters, moving the rows of least regret is exact without prices.
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
            # A cluster at its own floor gives no row away.
            if labels[i] != cluster and sizes[labels[i]] > floors[labels[i]]:
                sizes[labels[i]] -= 1
                sizes[cluster] += 1
                labels[i] = cluster
    return labels


def _prices(scores: Vector, fractions: Vector) -> Vector:
    """Additions >= 0 to the clusters' scores such that these fractions of rows prefer them."""
    k = len(fractions)
    prices = np.zeros(k)
    by_cluster = np.ascontiguousarray(scores.T)  # sums along contiguous rows are fast
    # Equal scores have no spread; any temperature will do.
    spread = float(scores.std()) or 1.0
    # The colder dual is almost piecewise linear: it starts from the solution of the warmer one.
    for temperature in (spread * t for t in TEMPERATURES):

        def dual(prices: Vector, temperature: float = temperature) -> tuple[float, Vector]:
            heated = (by_cluster + prices[:, None]) / temperature
            most = heated.max(axis=0)  # for a log-sum-exp that does not overflow
            terms = np.exp(heated - most)
            totals = terms.sum(axis=0)
            value = temperature * float((most + np.log(totals)).mean()) - float(fractions @ prices)
            # KKT for prices >= 0: at the minimum no cluster has less than its fraction.
            return value, (terms / totals).mean(axis=1) - fractions

        prices = minimize(
            dual, prices, jac=True, method="L-BFGS-B", bounds=[(0, None)] * k,
            options={"maxiter": 50},
        ).x  # fmt: skip
    return prices
