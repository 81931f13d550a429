"""Find the copies of rows, and keep all copies of a row in one cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.margin_clustering.rows import map_blocks

#: Rows count as copies if their projections differ by less than this, relative to the spread of all
#: projections: kernel features of copies, and features far from 0, have rounding errors.
SAME = 1e-6


def distinct_rows(X: Any) -> tuple[Indices, Indices]:
    """Return the indices of the distinct rows, and each row's position in this array."""
    # Two random projections of different rows agree with probability 0.
    directions = np.random.default_rng(0).standard_normal((X.shape[1], 2))
    sums = np.concatenate([np.asarray(part) for part in map_blocks(X, _product, directions)])
    unit = SAME * np.maximum(sums.std(axis=0), np.finfo(np.float64).tiny)
    keys = np.round((sums - sums[0]) / unit) @ [1, 1j]
    _, first, copy_of = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return first[order], np.argsort(order)[copy_of]


def _product(block: Any, directions: Vector) -> Vector:
    return np.asarray(block @ directions)


def undivided(
    labels: Indices, copy_of: Indices, floors: Indices, scores: Callable[[], Vector]
) -> Indices:
    """Return the labels after all copies of a row are moved to one cluster.

    If copies of a row are in several clusters, all the copies move to one of these clusters. The
    copies move to the cluster that can use most of the copies to reach its minimum size in
    ``floors``. If every cluster with copies of the row reaches its minimum size without the copies,
    the copies move to the cluster that has most of the copies. An empty cluster takes a row, with
    all its copies, from a cluster that has several distinct rows. The empty cluster takes the row
    whose move lowers the total score least.

    Parameters
    ----------
    labels : ndarray of shape (n,)
    copy_of : ndarray of shape (n,)
        Position of each row among the distinct rows, as :func:`distinct_rows` returns it.
    floors : ndarray of shape (k,)
        Minimum number of rows in each cluster, if copies of rows allow it.
    scores : callable
        A function that returns the score of every row for every cluster, shape (n, k).

    Returns
    -------
    ndarray of shape (n,)
    """
    k = len(floors)
    own = np.empty(copy_of.max(initial=-1) + 1, dtype=np.intp)  # the cluster of each different row
    own[copy_of] = labels
    sizes = np.bincount(labels, minlength=k)
    for row in np.unique(copy_of[own[copy_of] != labels]):
        shares = np.bincount(labels[copy_of == row], minlength=k)
        sizes -= shares
        taken = np.minimum(floors - sizes, shares.sum()).clip(0)
        own[row] = max(np.flatnonzero(shares), key=lambda c: (taken[c], shares[c]))
        sizes[own[row]] += shares.sum()
    for cluster in np.flatnonzero((sizes == 0) & (floors > 0)):
        spare = np.bincount(own, minlength=k)[own] > 1
        if not spare.any():
            break
        values = scores()
        regrets = values[np.arange(len(labels)), own[copy_of]] - values[:, cluster]
        costs = np.bincount(copy_of, weights=regrets)
        own[np.flatnonzero(spare)[costs[spare].argmin()]] = cluster
    return own[copy_of]
