"""Maximum margin clustering with a loss computed from the contingency table of two clusterings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.data.labels import first_seen
from structsvm.data.validation import require_integer
from structsvm.docstrings import documented
from structsvm.estimators.about import About
from structsvm.problems.margin_clustering.clusterer import MaximumMarginClusterer
from structsvm.problems.margin_clustering.cpm3c import NONE, CPM3CProblem
from structsvm.problems.margin_clustering.mmc import MMCProblem, flips
from structsvm.problems.margin_clustering.problem import ClusteringProblem
from structsvm.problems.multivariate.contingency import (
    ClusteringLoss,
    contingency_table,
    greedy_most_violated,
    most_violated,
    require_loss,
    table_loss,
)
from structsvm.problems.multivariate.contingency.losses import TableLossName


class TableLossProblem(ClusteringProblem):
    """A clustering problem whose loss ``table_loss_`` is a function of the contingency table."""

    weighs_known_rows = False

    delta: Any
    beta: float

    def initialize(self, X: Any, Y: Any = None) -> None:
        self.table_loss_: Any = table_loss(self.delta, self.beta)
        if isinstance(self.delta, ClusteringLoss):
            require_loss(self.delta)
        super().initialize(X, Y)
        self.max_loss = self.table_loss_.max_loss


@documented
class MultivariateMMCProblem(TableLossProblem, MMCProblem):
    """Two-cluster maximum margin clustering with a loss between clusterings of all rows.

    This problem differs from :class:`MMCProblem` in the loss Delta and in the separation oracle.
    Delta is a function of the 2 x 2 contingency table of the two clusterings y' and y. The oracle
    is exact and takes O(n log n) time.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    delta : {'nmi', 'v_measure', 'rand', 'adjusted_rand', 'f', 'error'} or ClusteringLoss, \
            default='nmi'
        The loss between y' and y. 'nmi' is 1 minus the mutual information divided by the geometric
        mean of the entropies. 'v_measure' is 1 minus the mutual information divided by the
        arithmetic mean of the entropies. 'rand', 'adjusted_rand' and 'f' are 1 minus the Rand
        index, the adjusted Rand index, and F_beta of pairs of rows. 'error' is the fraction of rows
        whose clusters in y' and y differ. For a loss without a name, pass a
        :class:`ClusteringLoss`. If both clusterings consist of a single cluster, their NMI is 1.
    beta : float, default=1.5
        Weight of the recall relative to the precision in 'f'.

    Raises
    ------
    ValueError
        If the name of the loss is unknown, or a :class:`ClusteringLoss` violates a condition of its
        class.

    References
    ----------
    Zhao, Kwok & Zhang, Maximum Margin Clustering with Multivariate Loss Function, ICDM 2009. The
    oracle of Zhao, Kwok & Zhang scans all contingency tables; the oracle of this class uses sorting
    and bisection.
    """

    def __init__(
        self, delta: TableLossName | ClusteringLoss = "nmi", beta: float = 1.5,
        balance: float = 0.0, min_cluster_size: float = 0.0, center: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(balance, min_cluster_size, center)
        self.delta, self.beta = delta, beta

    def losses(self, y: Any, outputs: Sequence[Any]) -> Vector:
        masks, positive = flips(y, outputs), (y > 0).astype(np.intp)
        # A flipped row of label + is predicted -, so it counts in c; a flipped row of label - in b.
        missed = masks @ positive
        wrong = masks.sum(axis=1) - missed
        n_positive = positive.sum()
        a, d = n_positive - missed, len(y) - n_positive - wrong
        return np.asarray(self.table_loss_(a, wrong, missed, d), dtype=np.float64)

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        positive = y > 0
        # Psi has the factor 1 / (2n), so predicting + instead of - raises the score by f_i / n.
        return positive ^ most_violated(positive, self.scores(x, w) / len(y), self.table_loss_)


@documented
class MultivariateCPM3CProblem(TableLossProblem, CPM3CProblem):
    """Multiclass maximum margin clustering with a loss between clusterings of all rows.

    This problem differs from :class:`CPM3CProblem` in the loss Delta, which is a function of the
    k x k contingency table of y' and y. The oracle is a local search, which may miss the most
    violated output: it undergenerates. With 'error' the oracle is exact, and the problem is the
    same as :class:`CPM3CProblem`.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    n_clusters : int, default=3
        Number of clusters, >= 2.
    delta : {'nmi', 'v_measure', 'rand', 'adjusted_rand', 'f', 'error'} or ClusteringLoss, \
            default='nmi'
        The loss between y' and y. 'nmi' is 1 minus the mutual information divided by the geometric
        mean of the entropies. 'v_measure' is 1 minus the mutual information divided by the
        arithmetic mean of the entropies. 'rand', 'adjusted_rand' and 'f' are 1 minus the Rand
        index, the adjusted Rand index, and F_beta of pairs of rows. 'error' is the fraction of rows
        whose clusters in y' and y differ. For a loss without a name, pass a
        :class:`ClusteringLoss`.
    beta : float, default=1.5
        Weight of the recall relative to the precision in 'f'.

    References
    ----------
    Zhao, Kwok & Zhang, Maximum Margin Clustering with Multivariate Loss Function, ICDM 2009, for
    the loss with two clusters; Zhao, Wang & Zhang, Efficient Multiclass Maximum Margin Clustering,
    ICML 2008, for the joint feature. Neither Zhao, Kwok & Zhang nor Zhao, Wang & Zhang describe the
    local search of the oracle.
    """

    oracle_quality = "undergenerating"

    def __init__(
        self, n_clusters: int = 3, delta: TableLossName | ClusteringLoss = "nmi",
        beta: float = 1.5, balance: float = 0.0, min_cluster_size: float = 0.0,
        center: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(n_clusters, balance, min_cluster_size, center)
        self.delta, self.beta = delta, beta

    def losses(self, y: Any, outputs: Sequence[Any]) -> Vector:
        y = self.clusters_of(y)
        clusters = (np.where(c == NONE, y, c) for c in outputs)
        tables = [contingency_table(y, c, self.n_clusters) for c in clusters]
        return np.array([self.table_loss_.of_table(table) for table in tables])

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        labels, scores = self.clusters_of(y), self.scores(x, w) / len(y)
        order = first_seen(labels, self.n_clusters)  # so that the numbering does not matter
        own = np.argsort(order)[labels]
        predicted = order[greedy_most_violated(own, scores[:, order], self.table_loss_)]
        return np.where(predicted == labels, NONE, predicted).astype(self._dtype)


@documented
@dataclass(eq=False, repr=False)
class MultivariateMMC(MaximumMarginClusterer):
    """Maximum margin clustering with margin rescaling by a loss between clusterings.

    Every other clustering must score lower than the learned clustering, by a margin that grows with
    the loss between the two clusterings. The loss is any ClusteringLoss, or 1 minus a measure, such
    as the normalised mutual information, the Rand index or F. For two clusters the separation
    oracle is exact. For more than two clusters the oracle is a local search, and
    ``result_.guarantee`` states which bounds are still valid.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters, at least 2 and at most the number of rows.
    loss : {'nmi', 'v_measure', 'rand', 'adjusted_rand', 'f', 'error'} or ClusteringLoss, \
            default='nmi'
        The loss between two clusterings. Most names stand for 1 minus the measure of that name in
        scikit-learn. 'nmi' uses the geometric mean of the entropies. 'f' is 1 minus F_beta of pairs
        of rows. 'error' is the fraction of rows whose clusters differ; for two clusters, 'error' is
        the loss of :class:`MMC`. For a loss without a name, pass an instance of a subclass of
        :class:`ClusteringLoss`. See :class:`MultivariateMMCProblem`.
    beta : float, default=1.5
        Weight of the recall relative to the precision in 'f'.
    C : 'auto' or float, default='auto'
        Weight of the slack in the objective (see :mod:`structsvm.objective`). Rows are centred and
        scaled to a mean squared norm of 1, so C does not depend on units or on n. 'auto' chooses C
        by the same rule as :class:`MMC` for two clusters, or as :class:`CPM3C` for more than two.
    balance : float, optional
        Bound on the mean scores, as in :class:`MMC` and :class:`CPM3C`.
    min_cluster_size : float, optional
        Minimum fraction of the rows in each cluster, below 1 / n_clusters. The default is 0.05 for
        two clusters, 0.5 / n_clusters for more than two, and 0 if k-means provides the clusters
        (see ``kernel``).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Cluster index of each row, starting at 0. ``predict`` may put a few rows near the boundary
        into other clusters, because the loss depends on all labels, and moving a single row can
        raise the objective.
    problem_ : MultivariateMMCProblem or MultivariateCPM3CProblem
        The problem that ``result_`` solves.
    coef_ : ndarray of shape (1, n_features) or (n_clusters, n_features)
        Weights by which scores are computed from rows of X, with a single vector for two clusters;
        available only if ``kernel_`` is 'linear'.
    intercept_ : ndarray of shape (1,) or (n_clusters,)
        Constants of the scores.

    References
    ----------
    Zhao, Kwok & Zhang, Maximum Margin Clustering with Multivariate Loss Function, ICDM 2009. Zhao,
    Kwok & Zhang treat two clusters, with an oracle that scans all contingency tables.

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
    loss: TableLossName | ClusteringLoss = "nmi"
    beta: float = 1.5

    def _problem(self) -> ClusteringProblem:
        require_integer("n_clusters", self.n_clusters, 2)
        if self.n_clusters == 2:
            return MultivariateMMCProblem(self.loss, self.beta, center=self.center)
        k = int(self.n_clusters)
        return MultivariateCPM3CProblem(k, self.loss, self.beta, center=self.center)
