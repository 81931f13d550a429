"""Maximum margin clustering with a loss of the contingency table as structured problems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.data.labels import first_seen
from structsvm.docstrings import documented
from structsvm.problems.margin_clustering.cpm3c import CPM3CProblem
from structsvm.problems.margin_clustering.cpm3c.problem import NONE
from structsvm.problems.margin_clustering.mmc import MMCProblem
from structsvm.problems.multivariate.contingency import (
    ClusteringLoss,
    contingency_table,
    greedy_most_violated,
    most_violated,
    require_loss,
    table_loss,
)
from structsvm.problems.multivariate.contingency.loss_kinds import TableLoss
from structsvm.problems.multivariate.contingency.losses import ErrorLoss, TableLossName


@documented
class MultivariateMMCProblem(MMCProblem):
    """Two-cluster maximum margin clustering with a loss of whole clusterings.

    Like :class:`MMCProblem`, with another Delta and its separation oracle. Delta is a function of
    the contingency table

    ========  =======  =======
    .         y = +1   y = -1
    ========  =======  =======
    y' = +1   a        b
    y' = -1   c        d
    ========  =======  =======

    The oracle is exact: for the named losses and a :class:`ClusteringLoss` in O(n log n), for any
    other function of the table by a scan of all O(n^2) tables.

    Shared parameters and attributes are added at import: see ``help``.

    Parameters
    ----------
    delta : {'nmi', 'v_measure', 'rand', 'adjusted_rand', 'f', 'error'}, ClusteringLoss or \
            callable, default='nmi'
        1 less the normalised mutual information (with the geometric or the arithmetic mean of the
        entropies), the Rand index, the adjusted Rand index or F_beta of pairs of rows, all between
        y' and y; the fraction of rows that differ; or a function of (a, b, c, d), integer arrays of
        one shape, that returns the losses, >= 0, and 0 where b = c = 0. Two clusterings with the
        same single cluster have an NMI of 1.
    beta : float, default=1.5
        Weight of the recall relative to the precision in 'f'.

    Raises
    ------
    ValueError
        The loss is unknown, or a callable returns invalid losses: negative, not finite, not 0 at
        y' = y, or not one number for each table.

    References
    ----------
    Zhao, Kwok & Zhang, Maximum Margin Clustering with Multivariate Loss Function, ICDM 2009. Their
    oracle scans all tables; the oracle by a sort and a bisection is ours.
    """

    weighs_known_rows = False

    def __init__(
        self,
        delta: TableLossName | TableLoss = "nmi",
        beta: float = 1.5,
        balance: float = 0.0,
        min_cluster_size: float = 0.0,
        center: bool = True,
    ) -> None:
        super().__init__(balance, min_cluster_size, center)
        self.delta = delta
        self.beta = beta

    def initialize(self, X: Any, Y: Any = None) -> None:
        self._of_table = table_loss(self.delta, self.beta)
        # A function of (a, b, c, d) has no known bound.
        self.max_loss = getattr(self._of_table, "max_loss", None)
        self.tells_clusters_apart = not isinstance(self._of_table, (ClusteringLoss, ErrorLoss))
        if callable(self.delta):
            require_loss(self.delta)
        super().initialize(X, Y)

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        positive = y > 0
        # Psi has the factor 1 / (2n), so predicting + instead of - raises the score by f_i / n.
        return positive ^ most_violated(positive, self.scores(x, w) / len(y), self._of_table)

    def losses_of_flips(self, y: Any, masks: Any) -> Vector:
        positive = (y > 0).astype(np.intp)
        # A flipped row of label + is predicted -, so it counts in c; a flipped row of label - in b.
        missed = masks @ positive
        wrong = masks.sum(axis=1) - missed
        n_positive = positive.sum()
        a, d = n_positive - missed, len(y) - n_positive - wrong
        return np.asarray(self._of_table(a, wrong, missed, d), dtype=np.float64)


@documented
class MultivariateCPM3CProblem(CPM3CProblem):
    """Multiclass maximum margin clustering with a loss of whole clusterings.

    Like :class:`CPM3CProblem`, with a Delta of the k x k contingency table of y' and y. The oracle
    is a local search, which may miss the most violated output: it undergenerates. For 'error' it is
    exact, and the problem is the same as :class:`CPM3CProblem`.

    Shared parameters and attributes are added at import: see ``help``.

    Parameters
    ----------
    n_clusters : int, default=3
        Number of clusters, >= 2.
    delta : {'nmi', 'v_measure', 'rand', 'adjusted_rand', 'f', 'error'} or ClusteringLoss, \
            default='nmi'
        1 less the normalised mutual information (with the geometric or the arithmetic mean of the
        entropies), the Rand index, the adjusted Rand index or F_beta of pairs of rows, all between
        y' and y; the fraction of rows that differ; or a loss of your own.
    beta : float, default=1.5
        Weight of the recall relative to the precision in 'f'.

    References
    ----------
    Zhao, Kwok & Zhang, Maximum Margin Clustering with Multivariate Loss Function, ICDM 2009, for
    the loss with two clusters; Zhao, Wang & Zhang, Efficient Multiclass Maximum Margin Clustering,
    ICML 2008, for the joint feature. Their combination, and the oracle, are ours.
    """

    oracle_quality = "undergenerating"
    weighs_known_rows = False

    def __init__(
        self,
        n_clusters: int = 3,
        delta: TableLossName | ClusteringLoss = "nmi",
        beta: float = 1.5,
        balance: float = 0.0,
        min_cluster_size: float = 0.0,
        center: bool = True,
    ) -> None:
        super().__init__(n_clusters, balance, min_cluster_size, center)
        self.delta = delta
        self.beta = beta

    def initialize(self, X: Any, Y: Any = None) -> None:
        self._of_table: Any = table_loss(self.delta, self.beta)
        if not isinstance(self._of_table, (ClusteringLoss, ErrorLoss)):
            raise ValueError(
                "a loss that is a function of (a, b, c, d) is defined for two clusters only; for "
                f"n_clusters={self.n_clusters} choose one by name, such as 'nmi', or write a "
                "subclass of ClusteringLoss"
            )
        if callable(self.delta):
            require_loss(self._of_table)
        self.max_loss = self._of_table.max_loss
        super().initialize(X, Y)

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        y = y.astype(np.intp)
        order = first_seen(y, self.n_clusters)  # what it finds must not depend on the numbers
        scores = self.scores(x, w)[:, order] / len(y)
        predicted = order[greedy_most_violated(np.argsort(order)[y], scores, self._of_table)]
        return np.where(predicted == y, NONE, predicted).astype(self._dtype)

    def losses_of_moves(self, y: Any, chosen: Sequence[Any]) -> Vector:
        outputs = [np.where(c == NONE, y, c).astype(np.intp) for c in chosen]
        tables = [contingency_table(y.astype(np.intp), c, self.n_clusters) for c in outputs]
        return np.array([self._of_table.of_table(table) for table in tables])
