"""Maximum margin clustering into two clusters as a structured problem: labels are signs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.margin_clustering.clustering_problem import ClusteringProblem
from structsvm.problems.margin_clustering.mmc.task import MMCTask
from structsvm.results.result import Result


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

    max_loss: float | None = 1.0
    n_clusters = 2
    C_factor = 2.0

    def __init__(
        self, balance: float = 0.0, min_cluster_size: float = 0.0, center: bool = True
    ) -> None:
        self.balance = balance
        self.min_cluster_size = min_cluster_size
        self.center = center

    def initialize(self, X: Any, Y: Any = None) -> None:
        super().initialize(X, Y)
        self.size_joint_feature = self.rows_.size

    def score_differences(self) -> Vector:
        return np.array([[1.0], [-1.0]])

    def linear_function(self, w: Vector) -> tuple[Vector, Vector]:
        """Coefficients (1, d) and offset (1,) of the scores, for rows as the user gave them."""
        return self.rows_.linear_function(w[None, :])

    def scores(self, x: Any, w: Vector) -> Vector:
        """The score f_i of every row, shape (n,)."""
        return self.rows_.scores(x, w[None, :])[:, 0]

    # ------------------------------------------------------------------ the contract

    def task(self, X: Any, Y: Any = None) -> MMCTask:
        return MMCTask(self, X, Y)

    def joint_feature(self, x: Any, y: Any) -> Vector:
        return self.weighted_sum(x, np.asarray(y, dtype=np.float64)[None, :] / 2)[0]

    def loss(self, y: Any, y_hat: Any) -> float:
        return float(self.losses_of_flips(y, _flips(y, y_hat)[None, :])[0])

    def losses_of_flips(self, y: Any, masks: Any) -> Vector:
        """The loss of every set of flips, (m, n) booleans, against the labels y; shape (m,)."""
        return np.asarray(masks @ self.row_weights_ / masks.shape[1])

    def decode(self, x: Any, w: Vector) -> Any:
        return np.where(self.scores(x, w) >= 0, 1, -1).astype(np.int8)

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        return y * self.scores(x, w) < 1

    def joint_feature_difference(self, x: Any, y: Any, y_hat: Any) -> Vector:
        # A flip changes the sign of y_i x_i / (2n), so the difference is y_i x_i / n.
        return self.weighted_sum(x, (_flips(y, y_hat) * y)[None, :])[0]

    def outputs(self, x: Any) -> Iterable[Any]:
        return (np.array(y, dtype=np.int8) for y in product((-1, 1), repeat=x.shape[0]))

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Eight rows in the plane, few enough for all labellings to be enumerated."""
        return [np.random.default_rng(0).normal(size=(8, 2))], None

    def cluster_scores(self, x: Any, w: Vector) -> Vector:
        f = self.scores(x, w)
        # Halves, so that the two scores differ by f.
        return np.column_stack([-f, f]) / 2

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

    def weighted_sum(self, x: Any, signs: Vector, rows: Any = slice(None)) -> Vector:
        """1/n sum_i v_i signs[j, i] x_i over some centred and scaled rows i; shape (m, size)."""
        chosen = x if isinstance(rows, slice) else x[rows]
        return self.rows_.weighted_sums(chosen, signs * self.row_weights_[rows]) / x.shape[0]


def _flips(y: Any, y_hat: Any) -> Any:
    """The mask of the rows on which y_hat differs from y; y_hat holds labels or is a mask."""
    return y_hat if y_hat.dtype == bool else y != y_hat
