"""Maximum margin clustering into k clusters as a structured problem."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.data.validation import require_integer
from structsvm.planes.plane import Source, SupportPlane
from structsvm.problems.margin_clustering.clustering_problem import ClusteringProblem
from structsvm.problems.margin_clustering.cpm3c.task import CPM3CTask
from structsvm.results.result import Result

#: The oracle's entry for a row without a violated margin.
NONE = -1


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

    max_loss: float | None = 1.0

    def __init__(
        self,
        n_clusters: int = 2,
        balance: float = 0.0,
        min_cluster_size: float = 0.0,
        center: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.balance = balance
        self.min_cluster_size = min_cluster_size
        self.center = center

    def initialize(self, X: Any, Y: Any = None) -> None:
        require_integer("n_clusters", self.n_clusters, 2)
        super().initialize(X, Y)
        self.size_joint_feature = self.n_clusters * self.rows_.size
        # Signed, because NONE is -1.
        self._dtype = np.min_scalar_type(-self.n_clusters)

    def score_differences(self) -> Vector:
        p, q = _pairs(self.n_clusters).T
        signs = np.eye(self.n_clusters)[p] - np.eye(self.n_clusters)[q]
        return np.vstack([signs, -signs])

    def linear_function(self, w: Vector) -> tuple[Vector, Vector]:
        """Coefficients (k, d) and offsets (k,) of the scores, for rows as the user gave them."""
        return self.rows_.linear_function(w.reshape(self.n_clusters, -1))

    def scores(self, x: Any, w: Vector) -> Vector:
        """The score of every row for every cluster, shape (n, k)."""
        return self.rows_.scores(x, w.reshape(self.n_clusters, -1))

    # ------------------------------------------------------------------ the contract

    def task(self, X: Any, Y: Any = None) -> CPM3CTask:
        return CPM3CTask(self, X, Y)

    def joint_feature(self, x: Any, y: Any) -> Vector:
        n = len(y)
        votes = self._votes(1, np.zeros(n, dtype=np.intp), y, np.arange(n), self.row_weights_, n)
        return self.rows_.weighted_sums(x, votes).ravel() / n

    def loss(self, y: Any, y_hat: Any) -> float:
        return float(self.losses_of_moves(y, [y_hat])[0])

    def losses_of_moves(self, y: Any, chosen: Sequence[Any]) -> Vector:
        """The losses of m outputs against the labels y, shape (m,)."""
        return np.array([self.row_weights_ @ _moved(y, c) / len(y) for c in chosen])

    def decode(self, x: Any, w: Vector) -> Any:
        return self.scores(x, w).argmax(axis=1).astype(self._dtype)

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        scores, rows = self.scores(x, w), np.arange(len(y))
        own = scores[rows, y]
        # The best cluster other than y's own: Theorem 3's runner-up where y is the winner.
        scores[rows, y] = -np.inf
        rival = scores.argmax(axis=1)
        return np.where(own - scores[rows, rival] < 1, rival, NONE).astype(self._dtype)

    def joint_feature_difference(self, x: Any, y: Any, y_hat: Any) -> Vector:
        return self.planes(x, y, [y_hat])[0]

    def outputs(self, x: Any) -> Iterable[Any]:
        every = product(range(self.n_clusters), repeat=x.shape[0])
        return (np.array(y, dtype=self._dtype) for y in every)

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Six rows in the plane, few enough for all labellings to be enumerated."""
        return [np.random.default_rng(0).normal(size=(6, 2))], None

    def cluster_scores(self, x: Any, w: Vector) -> Vector:
        return self.scores(x, w)

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

    # ------------------------------------------------------------------ inside

    def planes(self, x: Any, y: Any, chosen: Sequence[Any]) -> Vector:
        """Joint-feature differences of y to each of m outputs, shape (m, size_joint_feature)."""
        moved = [np.flatnonzero(_moved(y, c)) for c in chosen]
        plane = np.repeat(np.arange(len(chosen)), [len(rows) for rows in moved])
        rows = np.concatenate(moved)
        away = np.concatenate([c[r] for c, r in zip(chosen, moved, strict=True)])
        return self._differences(x, len(chosen), plane, rows, y[rows], away)

    def steps(self, x: Any, y: Any, y_old: Any, chosen: Sequence[Any], changed: Any) -> Vector:
        """The change of the planes of :meth:`planes` when some rows change their labels."""
        # A row with c != NONE contributes e_y - e_c, also where c = y: only e_y changes.
        plane, at = np.nonzero(np.stack([c[changed] for c in chosen]) != NONE)
        rows = changed[at]
        return self._differences(x, len(chosen), plane, rows, y[rows], y_old[rows])

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
