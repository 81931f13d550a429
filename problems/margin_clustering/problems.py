"""Maximum margin clustering into two clusters or k, with the error or a loss of the table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.data.labels import first_seen
from structsvm.data.validation import require_integer
from structsvm.docstrings import documented
from structsvm.planes.plane import Source, SupportPlane
from structsvm.problems.margin_clustering.problem import ClusteringProblem, Delta
from structsvm.problems.multivariate.contingency import (
    ClusteringLoss,
    contingency_table,
    greedy_most_violated,
    most_violated,
    require_loss,
    table_loss,
)
from structsvm.problems.multivariate.contingency.losses import TableLossName
from structsvm.results.result import Result

#: Planes that are computed in one product, each with a float for every row.
BLOCK = 16
#: The oracle's entry for a row without a violated margin.
NONE = -1


class Flips(Delta):
    """The fraction of the rows that differ; outputs are masks of the rows to flip."""

    def most_violated(self, y: Any, scores: Vector) -> Any:
        return y * scores < 1

    def values(self, y: Any, outputs: Sequence[Any], weights: Vector) -> Vector:
        return np.asarray(flips(y, outputs) @ weights / len(y))


@dataclass(eq=False, repr=False)
class MMCProblem(ClusteringProblem):
    r"""Two-cluster maximum margin clustering as a self-labelled problem of one example.

    The one input x is the whole data matrix, an output y one sign per row. Rows are centred and
    divided by the root of their mean squared norm, both implicitly, so that sparse data stay sparse
    and C has the same meaning for all data; with float32 data the products are in float32, and the
    certificate holds to their rounding. With f_i the score of row i:

    - Psi(x, y) = 1/(2n) sum_i y_i x_i, and decoding is y_i = sgn(f_i) with sgn(0) = +1;
    - Delta is the fraction of rows that differ, so that the slack is the mean hinge loss
      1/n sum_i max(0, 1 - \|f_i\|) (Theorem 2 of Zhao, Kwok & Zhang, with their factor 2 in Psi);
    - the oracle returns the *set of rows to flip*, exactly those with y_i f_i < 1, as a boolean
      mask. Represented by its flips, a plane remains valid when labels change.

    The class balance -balance <= mean_i f_i <= balance is a bound on the offset where the rows are
    centred; with ``balance=0`` there is no offset.

    Where y has known rows of both clusters, and two more, 1/n is replaced by a weight of each row:
    1 over their number for known rows, and 0.2 over theirs for the others. Then the offset is free.

    Parameters
    ----------
    balance : float, default=0.0
        Bound of the absolute mean score, l / n in the papers; infinity for none.
    min_cluster_size : float, default=0.0
        Smallest fraction of the rows in a cluster, in [0, 0.5); it restricts imputed labels.
    center : bool, default=True
        Whether rows are centred. With False they are only scaled, and have no offset, as in the
        paper; the class balance bounds the score of their mean.

    References
    ----------
    Zhao, Kwok & Zhang, Maximum Margin Clustering with Multivariate Loss Function, ICDM 2009,
    section II.
    """

    n_clusters = 2
    C_factor = 2.0

    balance: float = 0.0
    min_cluster_size: float = 0.0
    center: bool = True

    def _delta(self) -> Delta:
        return Flips()

    def score_differences(self) -> Vector:
        return np.array([[1.0], [-1.0]])

    def scores(self, x: Any, w: Vector) -> Vector:
        """The score f_i of every row, shape (n,)."""
        return super().scores(x, w)[:, 0]

    def cluster_scores(self, x: Any, w: Vector) -> Vector:
        f = self.scores(x, w)
        # Halves, so that the two scores differ by f.
        return np.column_stack([-f, f]) / 2

    def joint_feature(self, x: Any, y: Any) -> Vector:
        return self._weighted_sum(x, np.asarray(y, dtype=np.float64)[None, :] / 2)[0]

    def decode(self, x: Any, w: Vector) -> Any:
        return np.where(self.scores(x, w) >= 0, 1, -1).astype(np.int8)

    def outputs(self, x: Any) -> Iterable[Any]:
        return (np.array(y, dtype=np.int8) for y in product((-1, 1), repeat=x.shape[0]))

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Eight rows in the plane, few enough for all labellings to be enumerated."""
        return [np.random.default_rng(0).normal(size=(8, 2))], None

    def clusters_of(self, y: Any) -> Indices:
        return (y > 0).astype(np.intp)

    def output_of(self, clusters: Indices) -> Any:
        return (2 * clusters - 1).astype(np.int8)

    def weights(self, W: Vector) -> Vector:
        return np.asarray(W[1] - W[0])

    def renumbered(self, result: Result, order: Indices) -> Result:
        if order[0] == 0:
            return result
        # Flips are the same for either numbering.
        labels = [-y for y in result.labels]
        return replace(result, w=-result.w, labels=labels, multipliers=result.multipliers[::-1])

    def planes(self, x: Any, y: Any, outputs: Sequence[Any]) -> Vector:
        # A flip changes the sign of y_i x_i / (2n), so the difference is y_i x_i / n.
        blocks = [outputs[start : start + BLOCK] for start in range(0, len(outputs), BLOCK)]
        return np.concatenate([self._weighted_sum(x, flips(y, some) * y) for some in blocks])

    def changes(self, x: Any, y: Any, y_old: Any, outputs: Sequence[Any], changed: Any) -> Vector:
        # For a fixed set of flips a plane is linear in y: changed rows add their change.
        steps = flips(y, outputs)[:, changed] * (y[changed] - y_old[changed])
        return self._weighted_sum(x, steps, changed)

    def _weighted_sum(self, x: Any, signs: Vector, rows: Any = slice(None)) -> Vector:
        """1/n sum_i v_i signs[j, i] x_i over some centred and scaled rows i; shape (m, size)."""
        chosen = x if isinstance(rows, slice) else x[rows]
        return self.rows_.weighted_sums(chosen, signs * self.row_weights_[rows]) / x.shape[0]


def flips(y: Any, outputs: Sequence[Any]) -> Any:
    """Masks of the rows on which outputs differ from y, shape (m, n); masks stay as they are."""
    return np.stack([output if output.dtype == bool else y != output for output in outputs])


class Moves(Delta):
    """The fraction of the rows that differ; outputs are the clusters to which rows move."""

    def most_violated(self, y: Any, scores: Vector) -> Any:
        rows = np.arange(len(y))
        own = scores[rows, y]
        # The best cluster other than y's own: Theorem 3's runner-up where y is the winner.
        scores[rows, y] = -np.inf
        rival = scores.argmax(axis=1)
        return np.where(own - scores[rows, rival] < 1, rival, NONE).astype(y.dtype)

    def values(self, y: Any, outputs: Sequence[Any], weights: Vector) -> Vector:
        return np.array([weights @ _moved(y, output) / len(y) for output in outputs])


@dataclass(eq=False, repr=False)
class CPM3CProblem(ClusteringProblem):
    r"""Maximum margin clustering into k clusters as a self-labelled problem of one example.

    The one input x is the whole data matrix, an output y the number of a cluster, from 0, for every
    row. Rows are centred and divided by the root of their mean squared norm, both implicitly, so
    that sparse data stay sparse and C has the same meaning for all data; with float32 data the
    products are in float32, and the certificate holds to their rounding. w is the (k, d) matrix of
    the clusters' weights, row by row. With f_ip the score of row i for cluster p:

    - Psi(x, y) = 1/n sum_i e_{y_i} (x) x_i, and decoding chooses the cluster of highest score;
    - Delta is the fraction of rows that differ, so that the slack is the mean multiclass hinge loss
      1/n sum_i max(0, 1 - f_{i,y_i} + max_{r != y_i} f_ir);
    - the oracle follows Theorem 3 of Zhao, Wang & Zhang, for any labels: it returns the
      runner-up of every row whose margin between its own cluster and the runner-up is below 1, and
      -1 ("none") for the other rows.

    The class balance -balance <= mean_i (f_ip - f_iq) <= balance for all pairs of clusters is a
    bound on the differences of the offsets where the rows are centred; with ``balance=0`` there
    are no offsets. It does not prevent empty clusters; ``min_cluster_size`` does.

    Where y has known rows of every cluster, and two more, 1/n is replaced by a weight of each row,
    v_i: 1 over their number for known rows, and 0.2 over theirs for the others. Then the offsets
    are free.

    For two clusters the objective at (C, w) is half the objective of :class:`MMCProblem` at
    (2 C, w_1 - w_0).

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters, >= 2.
    balance : float, default=0.0
        Bound of the mean difference of two clusters' scores, l / n in the paper; infinity for none.
    min_cluster_size : float, default=0.0
        Smallest fraction of the rows in a cluster, in [0, 1 / n_clusters); it restricts imputed
        labels.
    center : bool, default=True
        Whether rows are centred. With False they are only scaled, and have no offset, as in the
        paper; the class balance bounds the scores of their mean.

    References
    ----------
    Zhao, Wang & Zhang, Efficient Multiclass Maximum Margin Clustering, ICML 2008. Their beta is
    1 / C. We differ in scaling, by default in centring, and in the bound on the sizes of clusters.
    """

    n_clusters: int = 2
    balance: float = 0.0
    min_cluster_size: float = 0.0
    center: bool = True

    def initialize(self, X: Any, Y: Any = None) -> None:
        require_integer("n_clusters", self.n_clusters, 2)
        # Signed, because NONE is -1.
        self._dtype = np.min_scalar_type(-self.n_clusters)
        super().initialize(X, Y)

    def _delta(self) -> Delta:
        return Moves()

    def score_differences(self) -> Vector:
        p, q = _pairs(self.n_clusters).T
        signs = np.eye(self.n_clusters)[p] - np.eye(self.n_clusters)[q]
        return np.vstack([signs, -signs])

    def joint_feature(self, x: Any, y: Any) -> Vector:
        n = len(y)
        votes = self._votes(1, np.zeros(n, dtype=np.intp), y, np.arange(n), self.row_weights_, n)
        return self.rows_.weighted_sums(x, votes).ravel() / n

    def decode(self, x: Any, w: Vector) -> Any:
        return self.scores(x, w).argmax(axis=1).astype(self._dtype)

    def outputs(self, x: Any) -> Iterable[Any]:
        every = product(range(self.n_clusters), repeat=x.shape[0])
        return (np.array(y, dtype=self._dtype) for y in every)

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Six rows in the plane, few enough for all labellings to be enumerated."""
        return [np.random.default_rng(0).normal(size=(6, 2))], None

    def clusters_of(self, y: Any) -> Indices:
        return y.astype(np.intp)

    def output_of(self, clusters: Indices) -> Any:
        return clusters.astype(self._dtype)

    def weights(self, W: Vector) -> Vector:
        # What all weights have in common changes no decision and only adds to ||w||.
        return np.asarray(W - W.mean(axis=0)).ravel()

    def renumbered(self, result: Result, order: Indices) -> Result:
        number = np.argsort(order)

        def again(y: Any) -> Any:
            return np.where(y == NONE, NONE, number[y]).astype(self._dtype)

        def moved(plane: SupportPlane) -> SupportPlane:
            assert isinstance(plane.source, Source)
            outputs = [again(chosen) for chosen in plane.source.outputs]
            return plane._replace(source=plane.source._replace(outputs=outputs))

        return replace(
            result,
            w=result.w.reshape(self.n_clusters, -1)[order].ravel(),
            labels=[again(y) for y in result.labels],
            support=tuple(map(moved, result.support or ())),
            multipliers=self._multipliers(result.multipliers, order),
        )

    def _multipliers(self, multipliers: Vector, order: Indices) -> Vector:
        """The dual variables of :meth:`constraints` for the clusters in another order."""
        if not len(multipliers):
            return multipliers
        p, q = _pairs(self.n_clusters).T
        of_pairs = np.zeros((self.n_clusters, self.n_clusters))
        of_pairs[p, q], of_pairs[q, p] = multipliers.reshape(2, -1)
        return np.append(of_pairs[order[p], order[q]], of_pairs[order[q], order[p]])

    def planes(self, x: Any, y: Any, outputs: Sequence[Any]) -> Vector:
        moved = [np.flatnonzero(_moved(y, c)) for c in outputs]
        plane = np.repeat(np.arange(len(outputs)), [len(rows) for rows in moved])
        rows = np.concatenate(moved)
        away = np.concatenate([c[r] for c, r in zip(outputs, moved, strict=True)])
        return self._differences(x, len(outputs), plane, rows, y[rows], away)

    def changes(self, x: Any, y: Any, y_old: Any, outputs: Sequence[Any], changed: Any) -> Vector:
        # A row with c != NONE contributes e_y - e_c, also where c = y: only e_y changes.
        plane, at = np.nonzero(np.stack([c[changed] for c in outputs]) != NONE)
        rows = changed[at]
        return self._differences(x, len(outputs), plane, rows, y[rows], y_old[rows])

    def _differences(self, x: Any, m: int, plane: Any, rows: Any, plus: Any, minus: Any) -> Vector:
        """1/n sum of v_row (e_plus - e_minus) (x) x_row over the entries of each of m planes."""
        n, weights = x.shape[0], self.row_weights_[rows]
        votes = self._votes(
            m, np.tile(plane, 2), np.concatenate([plus, minus]), np.tile(rows, 2),
            np.concatenate([weights, -weights]), n,
        )  # fmt: skip
        return self.rows_.weighted_sums(x, votes).reshape(m, -1) / n

    def _votes(self, m: int, plane: Any, cluster: Any, rows: Any, values: Any, n: int) -> Any:
        """A sparse (m k, n) matrix with the weight of each row in each cluster of each plane."""
        index = plane * self.n_clusters + cluster
        return sparse.csr_matrix((values, (index, rows)), shape=(m * self.n_clusters, n))


def _moved(y: Any, y_hat: Any) -> Any:
    """The mask of the rows that y_hat moves to another cluster than y; NONE leaves a row."""
    return (y_hat != NONE) & (y_hat != y)


def _pairs(k: int) -> Indices:
    """Pairs of clusters, shape (m, 2)."""
    return np.array(list(combinations(range(k), 2)))


class TableFlips(Delta):
    """A loss of the contingency table of two clusters; outputs are masks of the rows to flip.

    Parameters
    ----------
    delta, beta
        As in :class:`MultivariateMMCProblem`.
    """

    def __init__(self, delta: Any, beta: float) -> None:
        self.loss: Any = table_loss(delta, beta)
        if isinstance(delta, ClusteringLoss):
            require_loss(delta)
        self.max_loss = self.loss.max_loss

    def most_violated(self, y: Any, scores: Vector) -> Any:
        positive = y > 0
        # Psi has the factor 1 / (2n), so predicting + instead of - raises the score by f_i / n.
        return positive ^ most_violated(positive, scores / len(y), self.loss)

    def values(self, y: Any, outputs: Sequence[Any], weights: Vector) -> Vector:
        masks, positive = flips(y, outputs), (y > 0).astype(np.intp)
        # A flipped row of label + is predicted -, so it counts in c; a flipped row of label - in b.
        missed = masks @ positive
        wrong = masks.sum(axis=1) - missed
        n_positive = positive.sum()
        a, d = n_positive - missed, len(y) - n_positive - wrong
        return np.asarray(self.loss(a, wrong, missed, d), dtype=np.float64)


class TableMoves(TableFlips):
    """The same for k clusters; outputs are the clusters to which rows move."""

    def __init__(self, delta: Any, beta: float, n_clusters: int) -> None:
        super().__init__(delta, beta)
        self.n_clusters = n_clusters

    def most_violated(self, y: Any, scores: Vector) -> Any:
        labels = y.astype(np.intp)
        order = first_seen(labels, self.n_clusters)  # what it finds must not depend on the numbers
        scores = scores[:, order] / len(y)
        predicted = order[greedy_most_violated(np.argsort(order)[labels], scores, self.loss)]
        return np.where(predicted == labels, NONE, predicted).astype(y.dtype)

    def values(self, y: Any, outputs: Sequence[Any], weights: Vector) -> Vector:
        y = y.astype(np.intp)
        clusters = (np.where(c == NONE, y, c) for c in outputs)
        tables = [contingency_table(y, c, self.n_clusters) for c in clusters]
        return np.array([self.loss.of_table(table) for table in tables])


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

    The oracle is exact and takes O(n log n).

    Shared parameters and attributes are added at import: see ``help``.

    Parameters
    ----------
    delta : {'nmi', 'v_measure', 'rand', 'adjusted_rand', 'f', 'error'} or ClusteringLoss, \
            default='nmi'
        1 less the normalised mutual information (with the geometric or the arithmetic mean of the
        entropies), the Rand index, the adjusted Rand index or F_beta of pairs of rows, all between
        y' and y; the fraction of rows that differ; or a loss of your own. Two clusterings with the
        same single cluster have an NMI of 1.
    beta : float, default=1.5
        Weight of the recall relative to the precision in 'f'.

    Raises
    ------
    ValueError
        The loss is unknown, or one of your own is not as :class:`ClusteringLoss` says.

    References
    ----------
    Zhao, Kwok & Zhang, Maximum Margin Clustering with Multivariate Loss Function, ICDM 2009. Their
    oracle scans all tables; the oracle by a sort and a bisection is ours.
    """

    weighs_known_rows = False

    def __init__(
        self, delta: TableLossName | ClusteringLoss = "nmi", beta: float = 1.5,
        balance: float = 0.0, min_cluster_size: float = 0.0, center: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(balance, min_cluster_size, center)
        self.delta, self.beta = delta, beta

    def _delta(self) -> Delta:
        return TableFlips(self.delta, self.beta)


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
        self, n_clusters: int = 3, delta: TableLossName | ClusteringLoss = "nmi",
        beta: float = 1.5, balance: float = 0.0, min_cluster_size: float = 0.0,
        center: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(n_clusters, balance, min_cluster_size, center)
        self.delta, self.beta = delta, beta

    def _delta(self) -> Delta:
        return TableMoves(self.delta, self.beta, self.n_clusters)
