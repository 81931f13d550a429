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
    if advice := _advice(problem, clusters, decoded, known):
        warn_user(advice, ConvergenceWarning)


def _advice(problem: ClusteringProblem, clusters: Indices, decoded: Indices, known: Any) -> str:
    """The message of :func:`warn_of_sizes`, '' if there is nothing to say."""
    least = problem.least_size(len(clusters))
    sizes = np.bincount(clusters, minlength=problem.n_clusters)
    for few in (np.flatnonzero(sizes == 0), np.flatnonzero(sizes < least)):
        if len(few):
            return _of_few(problem, few, clusters)
    if moved := moved_by_sizes(problem, clusters, decoded, known):
        return (
            f"{moved}, and predict puts them there. If the data have smaller clusters, lower "
            "min_cluster_size. Otherwise look for outliers and for copies of rows, or take "
            "fewer clusters, a larger C, a balance nearer to 0 or other features (kernel='rbf' "
            "if there are more clusters than features)"
        )
    small = np.flatnonzero(sizes <= least)
    # A single cluster may have this size by chance, and no cluster has less than one row.
    if len(small) < 2 or least < 2:
        return ""
    return (
        f"{_named(small, clusters)} are as small as min_cluster_size="
        f"{problem.min_cluster_size:.3g} of the rows allows, so it may have decided their "
        "sizes. If the data have smaller clusters, set it to less, say "
        f"{problem.min_cluster_size / 5:.2g}; otherwise take fewer clusters"
    )


def _of_few(problem: ClusteringProblem, few: Indices, clusters: Indices) -> str:
    """Name clusters that are empty, or smaller than the least size, and say why."""
    different, k = int(problem.copy_of_.max()) + 1, problem.n_clusters
    bound = f"min_cluster_size={problem.min_cluster_size:.3g}"
    reason = f"{bound} allows it"
    remedy = "fewer clusters, or a larger min_cluster_size"
    if problem.min_cluster_size > 0 or different < k:
        reason = f"X has {different} different rows, and copies of a row share a cluster"
        remedy = "fewer clusters, or a smaller min_cluster_size"
    if different < k:
        remedy = f"n_clusters={different} at most"
    wrong = f"smaller than {bound} of the rows" if few[0] in clusters else "empty"
    be = "is" if len(few) == 1 else "are"
    named = _named(few, clusters).removesuffix(" of 0 rows")
    return f"{named} {be} {wrong}, because {reason}. Take {remedy}"


def moved_by_sizes(
    problem: ClusteringProblem, clusters: Indices, decoded: Indices, known: Any
) -> str:
    """Name the clusters that keep rows against their scores to be large enough, '' if none do."""
    elsewhere = clusters != decoded
    if known is not None:
        elsewhere &= known == UNKNOWN
    sizes = np.bincount(clusters, minlength=problem.n_clusters)
    small = np.flatnonzero(sizes <= problem.least_size(len(clusters)))
    if not elsewhere.any() or not len(small):
        return ""
    count = np.count_nonzero(elsewhere)
    rows = "1 row scores" if count == 1 else f"{count} rows score"
    return (
        f"{_named(small, clusters)} would be smaller than "
        f"min_cluster_size={problem.min_cluster_size:.3g} of the rows: {rows} higher for another "
        "cluster than their own"
    )


def _named(small: Indices, clusters: Indices) -> str:
    """The clusters as 'clusters 1, 2 and 5 of 12 rows'."""
    *most, last = map(str, small)
    names = f"clusters {', '.join(most)} and {last}" if most else f"cluster {last}"
    sizes = sorted({np.count_nonzero(clusters == c) for c in small})
    rows = " or ".join(map(str, sizes))
    return f"{names} of {rows} row{'' if rows == '1' else 's'}"
