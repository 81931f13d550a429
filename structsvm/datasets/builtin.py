"""Data sets without files: scikit-learn's digits, and random samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.datasets import load_digits

from structsvm.data.arrays import Indices, Vector
from structsvm.data.validation import (
    checked_generator,
    checked_random_state,
    require_integer,
    require_number,
)

#: Largest number of rows, clusters or features: more would not fit in memory.
MOST = 1_000_000


def digits() -> tuple[Vector, Indices]:
    """Return the 1797 handwritten digits that come with scikit-learn.

    Returns
    -------
    X : ndarray of shape (1797, 64)
        Images of 8 x 8 pixels, row by row, scaled to [0, 1].
    y : ndarray of shape (1797,)
        The digit.
    """
    X, y = load_digits(return_X_y=True)
    return X / 16, y


def digits_pair(first: int, second: int) -> tuple[Vector, Indices]:
    """Return the rows of :func:`digits` that show one of the two given digits.

    Parameters
    ----------
    first, second : int
        The two digits.

    Returns
    -------
    X : ndarray of shape (n, 64)
        Images of 8 x 8 pixels, row by row, scaled to [0, 1].
    y : ndarray of shape (n,)
        The digit.

    Examples
    --------
    >>> from structsvm.datasets import digits_pair
    >>> X, y = digits_pair(3, 8)
    >>> X.shape
    (357, 64)
    >>> sorted(set(y.tolist()))
    [3, 8]
    """
    for name, digit in (("first", first), ("second", second)):
        require_integer(name, digit, 0, 9)
    X, y = digits()
    rows = (y == first) | (y == second)
    return X[rows], y[rows]


def synth(
    noise: float = 0.45,
    n_sets: int = 5,
    n_clusters: int = 5,
    cluster_size: int = 20,
    region_size: int = 50,
    n_active: int = 5,
    random_state: Any = 0,
) -> tuple[list[tuple[Any, Any, Any]], list[Any]]:
    """Draw sets of points in clusters, and noisy features of each pair of points [1]_.

    Each unordered pair of clusters, equal or different, has its own block of features, called a
    region. For each pair of points, the cluster of each of its two points is first replaced, with
    probability ``noise``, by a random cluster. Then ``n_active`` random features are drawn from the
    region of the two resulting clusters.

    Parameters
    ----------
    noise : float, default=0.45
        Probability of replacing a cluster by a random cluster, from 0 to 1. Finley & Joachims state
        0.2, which makes the task easy. Values from 0.45 to 0.48 lead to losses as large as Finley &
        Joachims report.
    n_sets, n_clusters, cluster_size, region_size, n_active : int
        Number of sets, clusters per set, points per cluster, features per region, and active
        features per pair. The defaults are the values of Finley & Joachims.
    random_state : int, Generator or None
        The seed. The same integer always yields the same sets.

    Returns
    -------
    X : list of (rows, cols, features)
        For each set, the pairs of different points, and the pairs' features: a CSR matrix of shape
        (n_pairs, n_clusters (n_clusters + 1) / 2 * region_size). Pass a triple (rows, cols,
        features) as the parameter ``pairs`` of
        ``structsvm.problems.ItemSet(pairs=..., n_items=n_clusters * cluster_size)``.
    y : list of ndarray of shape (n_clusters * cluster_size,)
        The cluster of every point in each set.

    References
    ----------
    .. [1] T. Finley and T. Joachims, "Supervised k-Means Clustering", section 6.1.3.

    Examples
    --------
    >>> from structsvm.datasets import synth
    >>> X, y = synth()
    >>> rows, cols, features = X[0]
    >>> features.shape, len(y[0])
    ((4950, 750), 100)
    """
    require_number("noise", noise, ">= 0")
    if noise > 1:
        raise ValueError(f"noise must be a probability, from 0 to 1; got {noise!r}")
    counts = {"n_sets": n_sets, "n_clusters": n_clusters, "cluster_size": cluster_size,
              "region_size": region_size, "n_active": n_active}  # fmt: skip
    for name, count in counts.items():
        require_integer(name, count, 1, MOST)
    if n_active > region_size:
        raise ValueError(f"n_active must be at most region_size={region_size}; got {n_active}")
    rng = checked_generator(random_state)
    sizes = n_clusters, region_size, n_active
    y = [rng.permutation(np.repeat(np.arange(n_clusters), cluster_size)) for _ in range(n_sets)]
    return [_noisy_pairs(labels, noise, *sizes, rng) for labels in y], y


def _noisy_pairs(
    labels: Any, noise: float, k: int, region_size: int, n_active: int, rng: np.random.Generator
) -> tuple[Any, Any, Any]:
    rows, cols = np.triu_indices(len(labels), 1)
    ends = labels[np.column_stack([rows, cols])]
    ends = np.where(rng.random(ends.shape) < noise, rng.integers(k, size=ends.shape), ends)
    low, high = ends.min(axis=1), ends.max(axis=1)
    # Index of the unordered pair in the upper triangle, diagonal included, row by row.
    region = low * k - low * (low - 1) // 2 + high - low
    active = rng.permuted(np.tile(np.arange(region_size), (len(rows), 1)), axis=1)[:, :n_active]
    columns = np.sort(active, axis=1) + region[:, None] * region_size
    starts = np.arange(0, columns.size + 1, n_active)
    shape = len(rows), k * (k + 1) // 2 * region_size
    return rows, cols, sparse.csr_matrix((np.ones(columns.size), columns.ravel(), starts), shape)


def ringnorm(n: int = 1000, random_state: Any = 0) -> tuple[Vector, Indices]:
    """Draw rows of ringnorm: a wide Gaussian in 20 dimensions, and a narrow Gaussian inside it.

    Class 0 is N(0, 4 I), and class 1 is N((a, ..., a), I) with a = 1 / sqrt(20). The two classes
    have equal probabilities [1]_.

    Parameters
    ----------
    n : int, default=1000
        Number of rows.
    random_state : int, RandomState instance or None
        The seed. The same integer always yields the same rows.

    Returns
    -------
    X : ndarray of shape (n, 20)
    y : ndarray of shape (n,)
        The class of each row: 0 (wide) or 1 (narrow).

    References
    ----------
    .. [1] L. Breiman, "Bias, variance, and arcing classifiers", Technical report 460, University
       of California, Berkeley, 1996.

    Examples
    --------
    >>> from structsvm.datasets import ringnorm
    >>> X, y = ringnorm()
    >>> X.shape
    (1000, 20)
    """
    require_integer("n", n, 1, MOST)
    rng = checked_random_state(random_state)
    y = rng.randint(2, size=n)
    noise = rng.standard_normal((n, 20))
    return np.where(y[:, None] == 1, noise + 1 / np.sqrt(20), 2 * noise), y
