"""The kernels and bounds of a clustering that may be left open."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.problems.margin_clustering.clustering_problem import ClusteringProblem
from structsvm.problems.margin_clustering.dask_rows import is_dask

#: Least size of one of more than two clusters by default, relative to the mean size.
LEAST = 0.5
#: Least fraction of the rows in one of two clusters.
LEAST_OF_TWO = 0.05


def kernels_to_try(kernel: Any, X: Any) -> tuple[Any, ...]:
    """The kernels whose clusters are compared; one if a kernel is given."""
    if not is_auto(kernel):
        return (kernel,)
    # Rows that need not fit in memory have 'linear' alone.
    on_disk = is_dask(X) or isinstance(X, np.memmap)
    return ("linear",) if on_disk else ("linear", "diffusion")


def bounded(
    problem: ClusteringProblem, balance: float | None, min_cluster_size: float | None
) -> ClusteringProblem:
    """The problem with these bounds; where they are None, those for clusters of similar size."""
    k = problem.n_clusters
    least = LEAST_OF_TWO if k == 2 else LEAST / k
    problem.balance = 0.0 if balance is None else balance
    problem.min_cluster_size = least if min_cluster_size is None else min_cluster_size
    return problem


def is_auto(value: Any) -> bool:
    """Whether a parameter is left to a rule or a choice."""
    return isinstance(value, str) and value == "auto"


def is_diffusion(kernel: Any) -> bool:
    """Whether a kernel is that of diffusion coordinates."""
    return isinstance(kernel, str) and kernel == "diffusion"
