"""The settings of a clustering that may be left open, and those that are tried then."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from structsvm.data.validation import require_nonnegative
from structsvm.problems.margin_clustering.clustering_problem import (
    ClusteringProblem,
    require_min_cluster_size,
)
from structsvm.problems.margin_clustering.dask_rows import is_dask

#: Least size of one of more than two clusters by default, relative to the mean size,
LEAST = 0.5
#: and for clusters of unequal size.
LOWER = 0.2
#: Least fraction of the rows in one of two clusters.
LEAST_OF_TWO = 0.05
#: Bound of the mean scores for clusters of unequal size: with margins of 1, mean scores differ as
#: much as the clusters' shares of the rows, which is .8 for two clusters of .9 and .1,
UNEQUAL_OF_TWO = 0.8
#: and less for more clusters,
UNEQUAL = 0.5
#: and C='auto' for them, relative to equal ones.
UNEQUAL_FACTOR = 4.0


class Setting(NamedTuple):
    """The features, and the bounds and C of a clustering problem.

    ``balance`` bounds the mean scores, ``min_cluster_size`` is the least fraction of the rows in a
    cluster, and ``C_factor`` multiplies the rule for C.
    """

    kernel: Any
    balance: float
    min_cluster_size: float
    C_factor: float

    def bound(self, problem: ClusteringProblem) -> ClusteringProblem:
        """The problem with these bounds."""
        problem.balance, problem.min_cluster_size = self.balance, self.min_cluster_size
        return problem

    @property
    def equal_sizes(self) -> bool:
        """Whether it is for clusters of about equal size."""
        return self.C_factor == 1

    def __str__(self) -> str:
        size = f"min_cluster_size={self.min_cluster_size:.3g}"
        bounds = f"balance={self.balance:.3g}, {size}"
        return f"kernel={self.kernel!r}, {bounds}, C_factor={self.C_factor:.3g}"


def settings_to_try(
    kernel: Any, balance: float | None, min_cluster_size: float | None, X: Any, k: int
) -> list[Setting]:
    """The settings for k clusters that agree with what is given; one if a kernel is given.

    With 'auto' the first is for clusters of about equal size, others for unequal ones.
    """
    if balance is not None:
        require_nonnegative("balance", balance)
    if min_cluster_size is not None:
        require_min_cluster_size(min_cluster_size, k)
    least = LEAST_OF_TWO if k == 2 else LEAST / k
    bounds = [(0.0, least, 1.0)]
    kernels: Iterable[Any] = (kernel,)
    if is_auto(kernel):
        lower = min(least, LOWER / k)
        if lower < least:
            bounds.append((0.0, lower, UNEQUAL_FACTOR))
        bounds.append((UNEQUAL_OF_TWO if k == 2 else UNEQUAL, lower, UNEQUAL_FACTOR))
        # Rows that need not fit in memory have 'linear' alone.
        kernels = ("linear",) if is_dask(X) or isinstance(X, np.memmap) else ("linear", "diffusion")
    tried = [
        Setting(
            name,
            mean if balance is None else balance,
            size if min_cluster_size is None else min_cluster_size,
            factor,
        )
        for name in kernels
        for mean, size, factor in bounds
    ]
    return list(dict.fromkeys(tried))


def is_auto(value: Any) -> bool:
    """Whether a parameter is left to a rule or a choice."""
    return isinstance(value, str) and value == "auto"
