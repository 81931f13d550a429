"""Initial clusters: partitions of the rows by eigenvectors of a graph of near neighbours."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from itertools import cycle, islice

import numpy as np
from sklearn.cluster import AgglomerativeClustering, KMeans

from structsvm.data.arrays import Indices, Vector
from structsvm.data.labels import in_order
from structsvm.problems.margin_clustering.bayesian_mmc.prior import SpectralCoordinates

#: Number of runs of k-means, of which the best is one start.
RUNS = 10


def starts(
    coordinates: SpectralCoordinates, n_clusters: int, n_init: int, rng: np.random.Generator
) -> list[Indices]:
    """Return at most n_init different partitions, each with the cluster of every row.

    For two clusters, each partition divides the rows by the signs of the entries of a centred
    vector. The first vector is the second eigenvector of a random walk on a graph of near
    neighbours (Remark 2 of Dai, Hu & Niu). The vectors after the first are further eigenvectors of
    the random walk, or sums and differences of two eigenvectors.

    The first partition into more than two clusters comes from k-means of the leading eigenvectors,
    with rows scaled to norm 1 (Ng, Jordan & Weiss, NIPS 2001). The partitions after the first come
    from Ward's method and from further runs of k-means.
    """
    if n_clusters == 2:
        most = max(1, math.isqrt(n_init - 1) + 1)  # k eigenvectors have k^2 directions
        eigenvectors = coordinates.eigenvectors[:, :most]
        halves = ((direction > 0).astype(np.intp) for direction in directions(eigenvectors))
        return _different(halves, n_init)
    return _different(_partitions(coordinates, n_clusters, rng), n_init)


def _different(found: Iterator[Indices], most: int) -> list[Indices]:
    kept: dict[bytes, Indices] = {}
    for labels in islice(found, most):
        kept.setdefault(in_order(labels).tobytes(), labels)
    return list(kept.values())


def _partitions(
    coordinates: SpectralCoordinates, k: int, rng: np.random.Generator
) -> Iterator[Indices]:
    leading = coordinates.eigenvectors[:, : k - 1]
    norms = np.linalg.norm(leading, axis=1, keepdims=True)
    unit = leading / np.maximum(norms, np.finfo(float).tiny)
    walk, features = coordinates.walk, coordinates.features[: coordinates.n]

    def by_k_means(rows: Vector, n_init: int = RUNS) -> Indices:
        seed = int(rng.integers(2**31 - 1))
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Number of distinct clusters")
            return np.asarray(KMeans(k, n_init=n_init, random_state=seed).fit_predict(rows))

    yield by_k_means(unit)
    for rows in (features, walk):
        yield AgglomerativeClustering(k).fit_predict(rows)
        yield by_k_means(rows)
    yield by_k_means(leading)
    for rows in cycle((features, walk)):
        yield by_k_means(rows, 1)


def directions(eigenvectors: Vector) -> Iterator[Vector]:
    """Yield the scaled eigenvectors of a random walk, then their pairwise sums and differences.

    Each vector has shape (n,) and mean 0. The signs of a vector's entries divide the rows into two
    clusters. ``eigenvectors`` has shape (n, m).
    """
    centred = eigenvectors - eigenvectors.mean(axis=0)
    columns = (centred / np.maximum(centred.std(axis=0), np.finfo(float).tiny)).T
    yield from columns
    for i in range(len(columns)):
        for j in range(i):
            yield columns[i] + columns[j]
            yield columns[i] - columns[j]
