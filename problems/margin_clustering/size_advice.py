"""Advice where the bound on cluster sizes, rather than the rows, decides the clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from structsvm.data.arrays import Indices
from structsvm.exceptions import warn_user
from structsvm.problems.margin_clustering.annotation import UNKNOWN
from structsvm.problems.margin_clustering.problem import ClusteringProblem


def warn_of_sizes(
    problem: ClusteringProblem, clusters: Indices, decoded: Indices, known: Any
) -> None:
    """Warn of small clusters, else of rows kept against their scores, else of the least size.

    Parameters
    ----------
    problem : ClusteringProblem
    clusters : ndarray of shape (n,)
        The clusters that were found.
    decoded : ndarray of shape (n,)
        The clusters of highest score.
    known : ndarray of shape (n,) or None
        Known labels.
    """
    least = problem.least_size(len(clusters))
    sizes = np.bincount(clusters, minlength=problem.n_clusters)
    for few in (np.flatnonzero(sizes == 0), np.flatnonzero(sizes < least)):
        if len(few):
            _warn_of_few(problem, few, clusters)
            return
    if moved := moved_by_sizes(problem, clusters, decoded, known):
        warn_user(
            f"{moved}, and predict puts them there. If the data have smaller clusters, lower "
            "min_cluster_size. Otherwise look for outliers and for copies of rows, or take "
            "fewer clusters, a larger C, a balance nearer to 0 or other features (kernel='rbf' "
            "if there are more clusters than features)",
            ConvergenceWarning,
        )
        return
    small = _smallest_allowed(problem, clusters)
    # A single cluster may have this size by chance, and no cluster has less than one row.
    if len(small) > 1 and least > 1:
        warn_user(
            f"{_named(small, clusters)} are as small as min_cluster_size="
            f"{problem.min_cluster_size:.3g} of the rows allows, so it may have decided their "
            "sizes. If the data have smaller clusters, set it to less, say "
            f"{problem.min_cluster_size / 5:.2g}; otherwise take fewer clusters",
            ConvergenceWarning,
        )


def _warn_of_few(problem: ClusteringProblem, few: Indices, clusters: Indices) -> None:
    """Warn of clusters that are empty, or smaller than the least size."""
    different, k = int(problem.copy_of_.max()) + 1, problem.n_clusters
    bound = f"min_cluster_size={problem.min_cluster_size:.3g}"
    if problem.min_cluster_size > 0 or different < k:
        reason = f"X has {different} different rows, and copies of a row share a cluster"
        remedy = "fewer clusters, or a smaller min_cluster_size"
        if different < k:
            remedy = f"n_clusters={different} at most"
    else:
        reason = f"{bound} allows it"
        remedy = "fewer clusters, or a larger min_cluster_size"
    wrong = f"smaller than {bound} of the rows" if few[0] in clusters else "empty"
    be = "is" if len(few) == 1 else "are"
    named = _named(few, clusters).removesuffix(" of 0 rows")
    warn_user(f"{named} {be} {wrong}, because {reason}. Take {remedy}", ConvergenceWarning)


def moved_by_sizes(
    problem: ClusteringProblem, clusters: Indices, decoded: Indices, known: Any
) -> str:
    """Name the clusters that keep rows against their scores to be large enough, '' if none do."""
    elsewhere = clusters != decoded
    if known is not None:
        elsewhere &= known == UNKNOWN
    small = _smallest_allowed(problem, clusters)
    if not elsewhere.any() or not len(small):
        return ""
    count = np.count_nonzero(elsewhere)
    rows = "1 row scores" if count == 1 else f"{count} rows score"
    return (
        f"{_named(small, clusters)} would be smaller than "
        f"min_cluster_size={problem.min_cluster_size:.3g} of the rows: {rows} higher for another "
        "cluster than their own"
    )


def _smallest_allowed(problem: ClusteringProblem, clusters: Indices) -> Indices:
    """The clusters that have no more rows than they must have."""
    sizes = np.bincount(clusters, minlength=problem.n_clusters)
    return np.flatnonzero(sizes <= problem.least_size(len(clusters)))


def _named(small: Indices, clusters: Indices) -> str:
    """The clusters as 'clusters 1, 2 and 5 of 12 rows'."""
    *most, last = map(str, small)
    names = f"clusters {', '.join(most)} and {last}" if most else f"cluster {last}"
    sizes = sorted({np.count_nonzero(clusters == c) for c in small})
    rows = " or ".join(map(str, sizes))
    return f"{names} of {rows} row{'' if rows == '1' else 's'}"
