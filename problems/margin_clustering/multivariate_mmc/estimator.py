"""Maximum margin clustering with a loss of whole clusterings as a scikit-learn clusterer."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

from structsvm.data.validation import require_integer
from structsvm.docstrings import documented
from structsvm.fitting.about import About
from structsvm.problems.margin_clustering.clusterer import MaximumMarginClusterer
from structsvm.problems.margin_clustering.clustering_problem import ClusteringProblem
from structsvm.problems.margin_clustering.multivariate_mmc.problem import (
    MultivariateCPM3CProblem,
    MultivariateMMCProblem,
)
from structsvm.problems.multivariate.contingency.loss_kinds import TableLoss
from structsvm.problems.multivariate.contingency.losses import TableLossName


@documented
@dataclass(eq=False, repr=False)
class MultivariateMMC(MaximumMarginClusterer):
    """Maximum margin clustering whose margin is rescaled by a loss of the whole clustering.

    Any other clustering must score lower, by a margin that grows with its distance: 1 less the
    normalised mutual information, the Rand index, F, or a loss of your own. For two clusters the
    separation oracle is exact; for more it is a local search, and ``result_.guarantee`` states
    which bounds remain.

    Shared parameters and attributes are added at import: see ``help``.

    Parameters
    ----------
    n_clusters : int, default=2
        At least 2, at most the number of rows.
    loss : {'nmi', 'v_measure', 'rand', 'adjusted_rand', 'f', 'error'}, ClusteringLoss or \
            callable, default='nmi'
        1 less scikit-learn's measure of this name ('nmi' with the geometric mean of the entropies),
        or F_beta of pairs of rows; or 'error', which for two clusters is :class:`MMC`. An instance
        of your own subclass of :class:`ClusteringLoss` is a loss for any number of clusters. A
        callable, for two clusters only, takes (a, b, c, d), the contingency table of two
        clusterings as integer arrays of one shape; its oracle takes time n^2. See
        :class:`MultivariateMMCProblem`.
    beta : float, default=1.5
        Weight of the recall relative to the precision in 'f'.
    C : 'auto' or float, default='auto'
        Weight of the slack in the objective of :mod:`structsvm.objective`, for rows centred and
        scaled to a mean squared norm of 1, so it does not depend on units or on n. 'auto' chooses
        it from the rows, as in :class:`MMC` for two clusters and as in :class:`CPM3C` for more.
    balance : float, optional
        Bound of the mean scores, as in :class:`MMC` and :class:`CPM3C`.
    min_cluster_size : float, optional
        Smallest fraction of the rows in a cluster, below 1 / n_clusters. The default is 0.05 for
        two clusters, and 0.5 / n_clusters for more; for the clusters of k-means it is 0. A
        warning is given where it keeps rows in a cluster against their scores, or several clusters
        at the least size.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        The number of every row's cluster, from 0. It may differ from ``predict`` for a few rows
        at the boundary: the loss depends on all labels, and moving one row alone can raise the
        objective.
    problem_ : MultivariateMMCProblem or MultivariateCPM3CProblem
        The problem that ``result_`` solves.
    coef_ : ndarray of shape (1, n_features) or (n_clusters, n_features)
        Weights of the scores for rows as given; where ``kernel_`` is 'linear' only. One row for two
        clusters.
    intercept_ : ndarray of shape (1,) or (n_clusters,)
        Constants of the scores.

    References
    ----------
    Zhao, Kwok & Zhang, Maximum Margin Clustering with Multivariate Loss Function, ICDM 2009. More
    than two clusters, and the exact oracle without a scan of all tables, are ours.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm.problems import MultivariateMMC
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.normal(-2, 1, (50, 2)), rng.normal(2, 1, (50, 2))])
    >>> mmc = MultivariateMMC(loss="rand", random_state=0).fit(X)
    >>> sorted(np.bincount(mmc.labels_).tolist())
    [50, 50]
    """

    about = About(
        "Clusters", "clusters judged by NMI, the Rand index or F", X="a matrix",
        y="-1 where unknown", page="mmc.md",
    )  # fmt: skip

    n_clusters: int = 2
    _: KW_ONLY
    loss: TableLossName | TableLoss = "nmi"
    beta: float = 1.5

    def _problem(self) -> ClusteringProblem:
        require_integer("n_clusters", self.n_clusters, 2)
        if self.n_clusters == 2:
            return MultivariateMMCProblem(self.loss, self.beta, center=self.center)
        loss: Any = self.loss  # the problem refuses a function of (a, b, c, d)
        return MultivariateCPM3CProblem(int(self.n_clusters), loss, self.beta, center=self.center)
