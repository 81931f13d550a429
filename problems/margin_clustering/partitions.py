"""Partitions from which a search starts."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import AgglomerativeClustering, KMeans

from structsvm.data.arrays import Indices, Vector
from structsvm.features import DiffusionMap
from structsvm.features.diffusion import CopiesError
from structsvm.problems.margin_clustering.annotation import UNKNOWN

#: Number of leading coordinates that are whitened; later ones are more often noise.
WHITENED = 20
#: Largest number of rows for Ward's method, which takes O(n^2) memory and time.
WARD_ROWS = 1000


def starting_partitions(
    x: Vector, k: int, count: int, rng: np.random.Generator
) -> Iterator[Indices]:
    """Yield partitions by Ward's method, k-means and random directions.

    Ward's method and k-means use raw, whitened and diffusion coordinates in turn. Ward's method is
    not used for more than 1000 rows.

    Parameters
    ----------
    x : ndarray of shape (n, r)
        Principal coordinates.
    k : int
        Number of clusters.
    count : int
        Number of partitions.
    rng : numpy.random.Generator

    Yields
    ------
    ndarray of shape (n,)
    """
    spaces = _spaces(x, k)
    for number in range(count):
        if number < len(spaces) and len(x) <= WARD_ROWS:
            yield AgglomerativeClustering(k).fit(spaces[number]).labels_
        elif (turn := number % (len(spaces) + 1)) < len(spaces):
            yield kmeans(spaces[turn], k, rng).labels_
        else:
            yield (x @ rng.standard_normal((x.shape[1], k))).argmax(axis=1)


def _spaces(x: Vector, k: int) -> list[Vector]:
    """Return the rows, whitened rows and, unless too many rows are equal, diffusion coordinates."""
    leading = x[:, :WHITENED]
    deviations = leading.std(axis=0)
    spaces = [x, leading / np.where(deviations > 0, deviations, 1)]
    with suppress(CopiesError), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the graph of nearest neighbours falls into")
        walks = DiffusionMap(k).set_output(transform="default")
        spaces.append(walks.fit_transform(x)[:, x.shape[1] :])
    return spaces


def numbered(labels: Indices, k: int, known: Indices | None) -> Indices:
    """Return labels, renumbered to agree with as many known labels as possible."""
    if known is None:
        return labels
    rows = known != UNKNOWN
    return matching(labels[rows], known[rows], k)[labels]


def matching(labels: Indices, others: Indices, k: int) -> Indices:
    """Match each cluster of ``labels`` with a cluster of ``others``.

    The Hungarian method maximises the number of rows in matching clusters.
    """
    shared = np.bincount(labels * k + others, minlength=k * k).reshape(k, k)
    return np.asarray(linear_sum_assignment(shared, maximize=True)[1])


def kmeans(x: Any, k: int, rng: np.random.Generator, n_init: int = 1) -> KMeans:
    """Fit k-means to the rows, without a warning if there are fewer distinct rows than clusters."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Number of distinct clusters")
        return KMeans(k, n_init=n_init, random_state=int(rng.integers(2**31))).fit(x)
