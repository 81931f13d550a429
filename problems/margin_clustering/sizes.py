"""Labels of highest score with a lower bound on the size of every cluster."""

from __future__ import annotations

import numpy as np

from structsvm.data.arrays import Indices, Vector

#: Price changes per cluster, before clusters that are still too small take rows one by one.
ROUNDS = 30


def labels_with_floors(
    scores: Vector,
    labels: Indices,
    floors: Indices,
    rounds: int = ROUNDS,
) -> Indices:
    """Return the labels of highest total score for which every cluster has enough rows.

    Assigning rows to clusters is a transportation problem. Each cluster has a dual variable, a
    price that is added to the scores of the cluster. The algorithm changes one dual variable at a
    time, so that the cluster gets exactly its minimum number of rows. If the dual variable of a
    cluster is 0, the cluster may have more rows than its minimum. Finally, clusters that are too
    small take rows one by one, starting with the rows whose scores decrease least. The labels are
    exactly optimal for two clusters, and for more clusters if the dual variables converge.

    Parameters
    ----------
    scores : ndarray of shape (n, k)
    labels : ndarray of shape (n,)
        A cluster of highest score for every row.
    floors : ndarray of shape (k,)
        Minimum number of rows in each cluster. If these numbers add up to more than n, the last
        clusters get fewer rows.
    rounds : int, default=30
        For k clusters, dual variables change at most ``rounds * k`` times.

    Returns
    -------
    ndarray of shape (n,)
    """
    n, k = scores.shape
    floors = np.minimum(floors, np.maximum(0, n - np.cumsum(floors) + floors))
    prices, priced = np.zeros(k), np.array(scores, order="F")
    for _ in range(rounds * k):
        labels = priced.argmax(axis=1)
        sizes = np.bincount(labels, minlength=k)
        # At the optimum a cluster with a price has no more rows than it must have.
        excess = sizes - floors
        excess[(excess > 0) & (prices == 0)] = 0
        cluster = int(np.abs(excess).argmax())
        if excess[cluster] == 0:
            break
        change = max(_change(priced, cluster, floors[cluster]), -prices[cluster])
        if change == 0:  # rows tie
            break
        prices[cluster] += change
        priced[:, cluster] += change
    return _filled(priced, labels, floors)


def _change(priced: Vector, cluster: int, size: int) -> float:
    """Return the number to add to the cluster's scores so that ``size`` rows choose the cluster."""
    if size == 0:
        return -np.inf
    own = priced[:, cluster].copy()
    priced[:, cluster] = -np.inf
    regret = priced.max(axis=1) - own
    priced[:, cluster] = own
    last = min(size, len(regret) - 1)
    regret.partition((size - 1, last))
    # Halfway to the next row, which stays where it is.
    return float(regret[size - 1] + regret[last]) / 2


def _filled(scores: Vector, labels: Indices, floors: Indices) -> Indices:
    """Fill clusters up to their minimum sizes with the rows whose scores decrease least."""
    labels, own = labels.copy(), scores[np.arange(len(labels)), labels]
    spare = np.bincount(labels, minlength=scores.shape[1]) - floors
    for cluster in np.flatnonzero(spare < 0).tolist():
        while (missing := -int(spare[cluster])) > 0:
            # A cluster gives rows away only above its floor, so rows that it took are not retaken.
            regret = np.where(spare[labels] > 0, own - scores[:, cluster], np.inf)
            # Only a few rows are sorted. If their clusters cannot spare enough, more rows follow.
            most = np.partition(regret, missing - 1)[missing - 1]
            near = np.flatnonzero(~(regret > most))  # all rows where it is NaN
            near = near[regret[near].argsort(kind="stable")]
            for row, giver in zip(near.tolist(), labels[near].tolist(), strict=True):
                if missing and spare[giver] > 0:
                    labels[row] = cluster
                    spare[giver] -= 1
                    missing -= 1
            spare[cluster] = -missing
    return labels
