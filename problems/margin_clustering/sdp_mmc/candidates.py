"""Candidate labellings, each given by a matrix with a score for each node and each cluster."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.linalg import eigh
from sklearn.cluster import KMeans
from sklearn.preprocessing import KernelCenterer

from structsvm.data.arrays import Vector
from structsvm.features import DiffusionMap
from structsvm.problems.margin_clustering.bayesian_mmc import BayesianMMC
from structsvm.problems.margin_clustering.bayesian_mmc.initial_clusters import directions
from structsvm.problems.margin_clustering.copies import distinct_rows
from structsvm.problems.margin_clustering.sdp_mmc.program import Program
from structsvm.problems.margin_clustering.sdp_mmc.relaxation import Relaxation

logger = logging.getLogger(__name__)

#: Numbers of neighbours in the graphs, the row itself included.
NEIGHBORS = (5, 11)
#: Number k of eigenvectors of a graph; with sums and differences of two there are k^2 vectors.
EIGENVECTORS = 3
#: Number of runs of k-means.
RUNS = 10
#: Largest number of rows for which BayesianMMC gives a candidate; it takes O(n^2) memory.
MOST_BAYESIAN = 4000


def candidates(program: Program, result: Any, X: Any, rng: np.random.Generator) -> list[Vector]:
    """Return several candidates, each of which is rounded to labels.

    For two clusters, the relaxed matrix gives two candidates: its leading eigenvector, and its
    column for the largest group of linked rows. For more than two clusters, k-means of the rows of
    V gives candidates, where V V' is the relaxed matrix. The rows X give two kinds of candidates:
    partitions of graphs of nearest neighbours, and the clusters of :class:`BayesianMMC`. A node is
    a row or a group of linked rows. The scores of a node are sums of scores of its rows.
    """
    found = list(_by_matrix(program, result, rng))
    if isinstance(program, Relaxation):
        first, copy_of = distinct_rows(X)  # copies of a row are one vertex of a graph
        rows: Iterator[Vector] = (scores[copy_of] for scores in by_rows(X[first], 2, rng))
    else:
        rows = by_rows(X, program.n_clusters, rng)
    return [*found, *(of_nodes(program, scores) for scores in rows)]


def kernel_rows(relaxation: Relaxation) -> Vector:
    """Return rows of mean 0 whose distances equal the distances defined by the kernel matrix."""
    signs = relaxation.groups.signs
    centred = KernelCenterer().set_output(transform="default")
    values, vectors = eigh(centred.fit_transform(relaxation.K * np.outer(signs, signs)))
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0)))


def draws(program: Program, result: Any, rng: np.random.Generator) -> Iterator[Vector]:
    """Draw scores by random projections (Goemans & Williamson, 1995; Frieze & Jerrum, 1997)."""
    k, factors = program.n_clusters, result.factors
    for number in range(program.draws):
        factor = factors[number % len(factors)]
        if k == 2:
            yield _two(factor @ rng.standard_normal(factor.shape[1]))
        else:
            yield factor @ rng.standard_normal((factor.shape[1], k))


def by_rows(X: Any, k: int, rng: np.random.Generator) -> Iterator[Vector]:
    """Yield scores of the rows for k clusters, computed from distances between rows."""
    with warnings.catch_warnings():  # a warning means a poor candidate, whose f is then large
        warnings.simplefilter("ignore")
        if X.shape[0] <= MOST_BAYESIAN:
            seed = int(rng.integers(2**31 - 1))
            try:
                yield BayesianMMC(n_clusters=k, random_state=seed).fit(X).probabilities_
            except ValueError as error:  # fewer different rows than clusters, for example
                logger.debug("no candidate by BayesianMMC: %s", error)
        for number in NEIGHBORS:
            graph = DiffusionMap(max(EIGENVECTORS, k - 1), number)
            try:
                vectors = graph.fit(X).eigenvectors_
            except ValueError as error:  # all neighbours are copies, for example
                logger.debug("no candidate by a graph: %s", error)
                continue
            if k == 2:
                yield from map(_two, directions(vectors))
            else:
                yield _by_k_means(vectors[:, : k - 1], k, rng)
        if k > 2:
            yield _by_k_means(X, k, rng)


def of_nodes(program: Program, scores: Vector) -> Vector:
    along = (scores @ program.codes) * program.groups.signs[:, None]
    return np.asarray(program.of_nodes(along) @ program.codes.T)


def _by_matrix(program: Program, result: Any, rng: np.random.Generator) -> Iterator[Vector]:
    counts = np.bincount(program.groups.nodes)
    if program.n_clusters == 2:
        yield _two(result.soft_assignment(counts))
        # The column of the largest node is the similarity to the labelled rows, if any.
        yield _two(result.column(counts.argmax()))
    else:
        for _ in range(RUNS):
            yield _by_k_means(result.V, program.n_clusters, rng, 1, counts)


def _by_k_means(
    rows: Any, k: int, rng: np.random.Generator, n_init: int = RUNS, weights: Any = None
) -> Vector:
    """Return minus the distances of the rows from the centres of k-means."""
    found = KMeans(k, n_init=n_init, random_state=int(rng.integers(2**31 - 1)))
    return np.asarray(-found.fit(rows, sample_weight=weights).transform(rows))


def _two(values: Vector) -> Vector:
    """Return the scores of two clusters, given the differences of the scores."""
    return np.column_stack([-values, values]) / 2
