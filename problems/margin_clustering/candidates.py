"""The candidates of a maximum margin clusterer: searches with several kernels, and k-means."""

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

#: C='auto' with 'diffusion', relative to other features: their coordinates inflate the dimension.
DIFFUSION_FACTOR = 1 / 3
#: Diffusion coordinates by default, unless there are more clusters, or fewer columns.
MOST_COMPONENTS = 20
#: Runs of k-means whose best clusters are compared with those of the search.
KMEANS_RUNS = 10
#: C='auto' with these clusters: hardly a row is within the margins, so that scores tell them apart.
SEPARATING_C = 1000.0
#: The searches by name.
SearchName = Literal["evolutionary", "cccp"]
SEARCHES: dict[SearchName, Search] = {"evolutionary": evolution, "cccp": restarts}
#: Least size of one of more than two clusters by default, relative to the mean size.
LEAST = 0.5
#: Least fraction of the rows in one of two clusters.
LEAST_OF_TWO = 0.05


def candidates(clusterer: Any, X: Any, known: Any, seed: int, on_disk: bool) -> Iterable[Candidate]:
    """The candidates of a clusterer.

    Parameters
    ----------
    clusterer : MaximumMarginClusterer
    X : array, CSR matrix or DaskRows of shape (n, n_features)
    known : ndarray of shape (n,) or None
        Known labels.
    seed : int
    on_disk : bool
        Whether X need not fit in memory.
    """
    learned = clusterer._problem().learns_from(known)
    kernels = kernels_to_try(clusterer.kernel, on_disk, learned)
    if learned:
        return [_of_known_rows(clusterer, kernels, X, known, seed)]
    return _searches(clusterer, kernels, X, known, seed)


def kernels_to_try(kernel: Any, on_disk: bool, learned: bool) -> tuple[Any, ...]:
    """The kernels whose clusters are compared, or that known rows choose from; one if given."""
    if not is_named(kernel, "auto"):
        return (kernel,)
    if on_disk:
        return ("linear",)
    return ("linear", "standardise", "diffusion") if learned else ("linear", "diffusion")


def _searches(
    clusterer: Any, kernels: tuple[Any, ...], X: Any, known: Any, seed: int
) -> Iterator[Candidate]:
    """Yield a search in the features of each kernel, and for 'auto' the clusters of k-means."""
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
    """A descent from the classifier of the known rows, in the features that they choose."""
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
    """The problem of rows of which labels are known, with clusters of any size."""
    problem = bounded(clusterer._problem(), math.inf, clusterer.min_cluster_size or 0.0)
    problem.initialize([Z], [known])
    return problem


def bounded(
    problem: ClusteringProblem, balance: float | None, min_cluster_size: float | None
) -> ClusteringProblem:
    """The problem with these bounds; where they are None, those for clusters of similar size."""
    k = problem.n_clusters
    least = LEAST_OF_TWO if k == 2 else LEAST / k
    problem.balance = 0.0 if balance is None else balance
    problem.min_cluster_size = least if min_cluster_size is None else min_cluster_size
    return problem


def _in_features(
    clusterer: Any, kernels: tuple[Any, ...], X: Any, seed: int
) -> Iterator[tuple[Any, Any, Any]]:
    """Yield each kernel, the map to its features, and the rows in them."""
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
            continue  # the rows themselves will do
        yield kernel, *found


def _features(clusterer: Any, kernel: Any, X: Any, seed: int) -> tuple[Any, Any]:
    """The map to the features of a kernel, and the rows in them."""
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
    """Whether a parameter, which may be of any type, is this name."""
    return isinstance(value, str) and value == name
