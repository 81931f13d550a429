"""Warn if the bound on cluster sizes, rather than the rows, determines the clusters."""

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
    """Warn if clusters are too small, or if ``min_cluster_size`` determines their sizes.

    Parameters
    ----------
    problem : ClusteringProblem
    clusters : ndarray of shape (n,)
        The clusters of the fit.
    decoded : ndarray of shape (n,)
        The cluster of highest score for each row.
    known : ndarray of shape (n,) or None
        Labels, with -1 for each unknown label.
    """
    least = problem.least_size(len(clusters))
    sizes = np.bincount(clusters, minlength=problem.n_clusters)
    bound = f"min_cluster_size={problem.min_cluster_size:.3g}"
    empty, few = np.flatnonzero(sizes == 0), np.flatnonzero(sizes < least)
    small = np.flatnonzero(sizes <= least)
    elsewhere = clusters != decoded
    if known is not None:
        elsewhere &= known == UNKNOWN
    if len(empty) or len(few):
        what = f"{_named(empty)} empty" if len(empty) else f"{_named(few)} smaller than {bound}"
        different = int(problem.copy_of_.max()) + 1
        reason, remedy = f"{bound} allows it", "a larger min_cluster_size"
        if least or different < problem.n_clusters:
            reason = (
                f"X has {different} different rows, copies of a row share a cluster, and rows of "
                "known label stay in theirs"
            )
            remedy = "a smaller min_cluster_size"
        advice = f"{what}, because {reason}. Take fewer clusters, or {remedy}"
    elif len(small) and elsewhere.any():
        advice = (
            f"{_named(small)} as small as {bound} of the rows allows, and keep {elsewhere.sum()} "
            "rows that score higher for another cluster, where predict puts them. If the data have "
            "smaller clusters, lower min_cluster_size. Otherwise look for outliers and for copies "
            "of rows, or take fewer clusters, a larger C, a balance nearer to 0 or other features "
            "(kernel='rbf' if there are more clusters than features)"
        )
    # A single cluster may have the least size by chance, and no cluster has less than one row.
    elif len(small) > 1 and least > 1:
        advice = (
            f"{_named(small)} as small as {bound} of the rows allows, which may have decided their "
            "sizes. If the data have smaller clusters, lower it; otherwise take fewer clusters"
        )
    else:
        return
    warn_user(advice, ConvergenceWarning)


def _named(few: Indices) -> str:
    names = ", ".join(map(str, few))
    return f"cluster {names} is" if len(few) == 1 else f"clusters {names} are"
