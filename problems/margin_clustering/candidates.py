"""Candidates for maximum margin clusters: searches with several kernels, and k-means."""

from __future__ import annotations

import logging
import math
import warnings
from collections.abc import Iterable, Iterator
from typing import Any, Literal

import numpy as np

from structsvm.data.labels import first_seen
from structsvm.features import feature_map
from structsvm.features.diffusion import CopiesError
from structsvm.problems.margin_clustering.annotation import as_annotations
from structsvm.problems.margin_clustering.choice import ROWS, Candidate
from structsvm.problems.margin_clustering.evolution import evolution
from structsvm.problems.margin_clustering.known_rows import best_C, from_known_rows
from structsvm.problems.margin_clustering.partitions import kmeans
from structsvm.problems.margin_clustering.problem import ClusteringProblem
from structsvm.problems.margin_clustering.restarts import restarts
from structsvm.problems.margin_clustering.search import Search, sampled

logger = logging.getLogger(__name__)

#: Factor of C='auto' with 'diffusion', whose coordinates inflate the effective dimension.
DIFFUSION_FACTOR = 1 / 3
#: Default number of diffusion coordinates, unless there are more clusters or fewer columns.
MOST_COMPONENTS = 20
#: Number of runs of k-means, of which the best is a candidate.
KMEANS_RUNS = 10
#: C='auto' for the clusters of k-means: so large that hardly any row is within the margins.
SEPARATING_C = 1000.0
#: The searches by name.
SearchName = Literal["evolutionary", "cccp"]
SEARCHES: dict[SearchName, Search] = {"evolutionary": evolution, "cccp": restarts}
#: Default least size of a cluster, relative to the mean size, if there are more than two.
LEAST = 0.5
#: Default least fraction of the rows in each of two clusters.
LEAST_OF_TWO = 0.05


def candidates(clusterer: Any, X: Any, known: Any, seed: int, on_disk: bool) -> Iterable[Candidate]:
    """Return the candidate clusterings from which a clusterer chooses.

    Parameters
    ----------
    clusterer : MaximumMarginClusterer
    X : array, CSR matrix or DaskRows of shape (n, n_features)
    known : ndarray of shape (n,) or None
        Labels, with -1 for each unknown label.
    seed : int
        Seed of random features and of k-means.
    on_disk : bool
        Whether X may be larger than the memory.
    """
    learned = clusterer._problem().learns_from(known)
    kernels = kernels_to_try(clusterer.kernel, on_disk, learned)
    if learned:
        return [_of_known_rows(clusterer, kernels, X, known, seed)]
    return _searches(clusterer, kernels, X, known, seed)


def kernels_to_try(kernel: Any, on_disk: bool, learned: bool) -> tuple[Any, ...]:
    """Return the kernels to compare: several kernels for 'auto', otherwise only ``kernel``."""
    if not is_named(kernel, "auto"):
        return (kernel,)
    if on_disk:
        return ("linear",)
    return ("linear", "standardise", "diffusion") if learned else ("linear", "diffusion")


def _searches(
    clusterer: Any, kernels: tuple[Any, ...], X: Any, known: Any, seed: int
) -> Iterator[Candidate]:
    """Yield a candidate for each kernel and, with 'auto', one for the clusters of k-means."""
    bounds, given_C = (clusterer.balance, clusterer.min_cluster_size), _given_C(clusterer)
    for kernel, features, Z in _in_features(clusterer, kernels, X, seed):
        problem = bounded(clusterer._problem(), *bounds)
        problem.initialize([Z], as_annotations(known))
        factor = DIFFUSION_FACTOR if is_named(kernel, "diffusion") else 1.0
        C = given_C or problem.automatic_C(Z) * factor
        yield Candidate(kernel, features, Z, problem, C, SEARCHES[clusterer.search], known)
    if len(kernels) > 1 and known is None and bounds == (None, None):
        features, Z = _features(clusterer, "linear", X, seed)
        k = problem.n_clusters
        clusters = kmeans(Z, k, np.random.default_rng(seed), KMEANS_RUNS).labels_
        clusters = np.argsort(first_seen(clusters, k))[clusters]
        problem = _problem_of(clusterer, Z, clusters)
        C = given_C or problem.C_factor * SEPARATING_C
        yield Candidate("linear", features, Z, problem, C, from_known_rows, clusters)


def _of_known_rows(
    clusterer: Any, kernels: tuple[Any, ...], X: Any, known: Any, seed: int
) -> Candidate:
    """Return the candidate whose kernel is best for a classifier of the rows with known labels."""
    losses, found = [], []
    for kernel, features, Z in _in_features(clusterer, kernels, X, seed):
        problem = _problem_of(clusterer, Z, known)
        C, loss = best_C(problem, Z, known, _given_C(clusterer))
        losses.append(loss)
        found.append(Candidate(kernel, features, Z, problem, C, from_known_rows, known))
    best = found[int(np.argmin(losses))]
    said = [(one.kernel, round(loss, 3)) for one, loss in zip(found, losses, strict=True)]
    logger.info("losses of the known rows: %s; %r is kept", said, best.kernel)
    return best


def _given_C(clusterer: Any) -> float | None:
    return None if is_named(clusterer.C, "auto") else float(clusterer.C)


def _problem_of(clusterer: Any, Z: Any, known: Any) -> ClusteringProblem:
    """Return the problem with known labels and no bound on the mean scores."""
    problem = bounded(clusterer._problem(), math.inf, clusterer.min_cluster_size or 0.0)
    problem.initialize([Z], [known])
    return problem


def bounded(
    problem: ClusteringProblem, balance: float | None, min_cluster_size: float | None
) -> ClusteringProblem:
    """Return the problem after its ``balance`` and ``min_cluster_size`` are set."""
    k = problem.n_clusters
    least = LEAST_OF_TWO if k == 2 else LEAST / k
    problem.balance = 0.0 if balance is None else balance
    problem.min_cluster_size = least if min_cluster_size is None else min_cluster_size
    return problem


def _in_features(
    clusterer: Any, kernels: tuple[Any, ...], X: Any, seed: int
) -> Iterator[tuple[Any, Any, Any]]:
    """Yield each kernel, the map to its features, and the mapped rows."""
    several = len(kernels) > 1
    for kernel in kernels:
        try:
            with warnings.catch_warnings():
                if several:
                    warnings.filterwarnings("ignore", "the graph of nearest neighbours falls into")
                found = _features(clusterer, kernel, X, seed)
        except CopiesError:
            if not several:
                raise
            continue  # another kernel is tried too
        yield kernel, *found


def _features(clusterer: Any, kernel: Any, X: Any, seed: int) -> tuple[Any, Any]:
    """Return the map to the features of a kernel, and the mapped rows."""
    components, diffusion = clusterer.n_components, is_named(kernel, "diffusion")
    if components is None and diffusion:
        components = max(clusterer._problem().n_clusters, min(X.shape[1], MOST_COMPONENTS))
    features = feature_map(
        kernel, X, gamma=clusterer.gamma, degree=clusterer.degree,
        n_components=components, random_state=seed,
    ).set_output(transform="default")  # fmt: skip
    if not diffusion or X.shape[0] <= ROWS:
        return features, features.fit_transform(X)
    rows = sampled(X.shape[0], ROWS, None, np.random.default_rng(seed))
    return features, features.fit(X[rows]).transform(X)


def is_named(value: Any, name: str) -> bool:
    """Whether a parameter, which may have any type, equals ``name``."""
    return isinstance(value, str) and value == name
