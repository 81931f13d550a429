"""Base class of maximum margin clustering problems: all labels are the output of one example."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import n_examples
from structsvm.data.validation import require_flag, require_number
from structsvm.problems.margin_clustering.annotation import UNKNOWN, require_annotation
from structsvm.problems.margin_clustering.copies import distinct_rows, undivided
from structsvm.problems.margin_clustering.rows import StandardRows, rows_in_floats
from structsvm.problems.margin_clustering.sizes import ROUNDS, labels_with_floors
from structsvm.results.result import Result
from structsvm.task.task import Task

#: Power of the rows' effective dimension in C='auto'.
AUTO_POWER = 1.2
#: C='auto' is at least this number times (n_clusters - 1)^2.
AUTO_LEAST = 2.0
#: C='auto' is at most this number.
AUTO_MOST = 100.0
#: Standard deviation of the scores at the initial w.
INITIAL_SPREAD = 1e-3
#: Weight of the mean loss of the rows of unknown cluster, relative to that of the known rows.
UNKNOWN_WEIGHT = 0.2
#: If the rows with changed labels have at most this many entries, only they update the planes.
FEW = 50_000_000


class ClusteringTask(Task):
    """The task of a clustering problem: all rows form one example."""

    problem: ClusteringProblem

    def __init__(self, problem: ClusteringProblem, X: Any, Y: Any = None) -> None:
        super().__init__(problem, [rows_in_floats(x) for x in X], Y)

    def term_sizes(self, outputs: Any, places: Any) -> tuple[Vector, Vector]:
        terms = self.problem.rows_.terms
        sizes = np.tile(terms, (len(places), self.size // len(terms)))
        return sizes, self.losses(outputs)[places]

    def relabelled(
        self,
        passes: Sequence[Any],
        weights: Vector,
        previous: tuple[Any, Vector, Vector] | None = None,
    ) -> tuple[Vector, Vector]:
        """Recompute the planes of all outputs after labels change, by one matrix product.

        If few labels changed, the matrix product reads only the relabelled rows.
        """
        (x,), (y,), problem = self.X, self.Y, self.problem
        outputs = [output for (output,) in passes]
        losses = weights[:, 0] * problem.losses(y, outputs)
        if previous is not None:
            (y_old,), rows, _ = previous
            changed = np.flatnonzero(y != y_old)
            if len(changed) <= len(y) // 3 and len(changed) * x.shape[1] <= FEW:
                return rows + weights * problem.changes(x, y, y_old, outputs, changed), losses
        return weights * problem.planes(x, y, outputs), losses


class ClusteringProblem(SelfLabelledProblem):
    """The problem of clustering the rows of one matrix: X = [data], Y = None or [annotation].

    An annotation is an integer array of shape (n,) with the cluster index of each row, or -1 if its
    cluster is unknown. Labels are imputed to maximise the total score of the rows. Known rows stay
    in their cluster, and copies of a row share a cluster. Every cluster gets at least the fraction
    ``min_cluster_size`` of the rows, unless copies or known rows make this size impossible.

    If every cluster has known rows, and at least n_clusters + 2 rows are known, the slack is the
    mean loss of the known rows plus 0.2 times the mean loss of the unknown rows. In a mean over all
    rows, a few known rows would count for little. If known and unknown rows have separate weights,
    known rows determine the offsets of the scores, and ``balance`` has no effect.

    Attributes
    ----------
    row_weights_ : ndarray of shape (n,)
        Weights of the rows in Psi and in the loss, relative to 1 / n.
    copy_of_ : ndarray of shape (n,)
        Index of each row among the distinct rows, which are in the order of their first copies.
    balance_ : float
        Bound on the mean scores: ``balance``, or infinity if known and unknown rows have separate
        weights.
    """

    n_clusters: int
    balance: float
    min_cluster_size: float
    center: bool
    #: The C with the same clusters as CPM3C, divided by the C of CPM3C.
    C_factor = 1.0
    #: Whether the loss is a sum over rows, so that known rows can count for more.
    weighs_known_rows = True

    def initialize(self, X: Any, Y: Any = None) -> None:
        self.max_loss = 1.0
        if self.balance != math.inf:  # infinity is no bound
            require_number("balance", self.balance, ">= 0")
        require_number("min_cluster_size", self.min_cluster_size, ">= 0")
        if self.min_cluster_size >= 1 / self.n_clusters:
            raise ValueError(
                f"min_cluster_size must be in [0, {1 / self.n_clusters:.3g}), a fraction of the "
                f"rows for each of {self.n_clusters} clusters; got {self.min_cluster_size!r}"
            )
        if n_examples(X) != 1:
            raise ValueError(
                f"{type(self).__name__} expects X = [data], one matrix; got {n_examples(X)} inputs"
            )
        # With a bound on the sizes the imputed labels can score less than the decoded ones.
        self.restricts_labels = self.min_cluster_size > 0
        require_flag("center", self.center)
        self.rows_ = StandardRows(X[0], self.center and self.balance > 0, self.center)
        n = X[0].shape[0]
        if n < self.n_clusters:
            raise ValueError(f"n_clusters={self.n_clusters} needs as many rows; got n_samples={n}")
        self.copy_of_ = distinct_rows(X[0])[1]
        known = None if Y is None else Y[0]
        if known is not None:
            require_annotation(known, n, self.n_clusters)
        self._weigh(known, n)
        self.size_joint_feature = self.weights(np.zeros((self.n_clusters, self.rows_.size))).size
        if self.balance_ == 0 and self.rows_.n_features == 1 and self.rows_.mean_row.any():
            raise ValueError(
                "center=False needs a balance above 0 for rows with n_features=1: the score of "
                "their mean is 0 at w = 0 alone. Set balance=0.1, say, or center=True"
            )

    def _weigh(self, known: Any, n: int) -> None:
        """Set the weights of the rows, the largest loss and the bound on the mean scores."""
        self.row_weights_, self.balance_ = np.ones(n), self.balance
        if self.learns_from(known):
            unknown = known == UNKNOWN
            count = int(unknown.sum())
            self.row_weights_[~unknown] = n / (n - count)
            self.row_weights_[unknown] = UNKNOWN_WEIGHT * n / max(1, count)
            self.max_loss, self.balance_ = 1 + UNKNOWN_WEIGHT, math.inf
            self.rows_.offset = True

    def learns_from(self, known: Any) -> bool:
        """Whether enough rows are known to give known and unknown rows separate weights."""
        if known is None or not self.weighs_known_rows:
            return False
        labels = known[known != UNKNOWN]
        return len(labels) >= self.n_clusters + 2 and len(np.unique(labels)) == self.n_clusters

    def constraints(self) -> tuple[Any, Any] | None:
        mean_row = self.rows_.mean_row
        if self.balance_ == math.inf or not mean_row.any():
            return None
        differences = sparse.csr_matrix(self.score_differences())
        A = sparse.kron(differences, mean_row[None, :], format="csr")
        return A, np.full(A.shape[0], float(self.balance_))

    @abstractmethod
    def losses(self, y: Any, outputs: Sequence[Any]) -> Vector:
        """Return the losses of m outputs for the labels y, shape (m,)."""

    @abstractmethod
    def score_differences(self) -> Vector:
        """Return a matrix D (m, k); D times the k mean scores must be at most ``balance``."""

    @abstractmethod
    def planes(self, x: Any, y: Any, outputs: Sequence[Any]) -> Vector:
        """Return m rows: the joint feature of y minus the joint feature of each output."""

    @abstractmethod
    def changes(self, x: Any, y: Any, y_old: Any, outputs: Sequence[Any], changed: Any) -> Vector:
        """Return the change of each output's plane if the rows ``changed`` get new labels."""

    @abstractmethod
    def clusters_of(self, y: Any) -> Indices:
        """Return the cluster index of every row in an output y, shape (n,)."""

    @abstractmethod
    def output_of(self, clusters: Indices) -> Any:
        """Return the output that assigns the rows to ``clusters``."""

    @abstractmethod
    def weights(self, W: Vector) -> Vector:
        """Return the w that gives the same scores as weights W of shape (n_clusters, size)."""

    @abstractmethod
    def renumbered(self, result: Result, order: Indices) -> Result:
        """Return the result with its clusters in a new order."""

    def linear_function(self, w: Vector) -> tuple[Vector, Vector]:
        """Return the coefficients and offsets of :meth:`scores` for rows before scaling."""
        return self.rows_.linear_function(w.reshape(-1, self.rows_.size))

    def scores(self, x: Any, w: Vector) -> Vector:
        """Return the scores that decoding uses, shape (n, k), or (n,) for signed scores."""
        return self.rows_.scores(x, w.reshape(-1, self.rows_.size))

    def cluster_scores(self, x: Any, w: Vector) -> Vector:
        """Return the score of every row for every cluster, shape (n, k)."""
        return self.scores(x, w)

    def task(self, X: Any, Y: Any = None) -> ClusteringTask:
        return ClusteringTask(self, X, Y)

    def joint_feature_difference(self, x: Any, y: Any, y_hat: Any) -> Vector:
        return np.asarray(self.planes(x, y, [y_hat])[0])

    def loss(self, y: Any, y_hat: Any) -> float:
        return float(self.losses(y, [y_hat])[0])

    def start(self, x: Any, centres: Vector, spread: float) -> Vector:
        """Return an initial w computed from centres of the clusters.

        ``centres`` holds the weights of the clusters, shape (n_clusters, size of a row). The
        weights are scaled so that the standard deviation of the scores is ``spread``.
        """
        if not self.center and (mean := self.rows_.mean_row).any():
            centres = centres - np.outer(centres @ mean, mean) / (mean @ mean)
        w = self.weights(centres)
        deviation = float(self.scores(x, w).std())
        return w * (spread / deviation) if deviation > 0 else w

    def impute(self, x: Any, y: Any, w: Vector) -> Any:
        """Return the labels of highest total score that the annotation and the sizes allow."""
        decoded = self.clusters_of(self.decode(x, w))
        return self.output_of(self.allowed(decoded, y, lambda: self.cluster_scores(x, w)))

    def allowed(
        self,
        clusters: Indices,
        known: Any,
        scores: Callable[[], Vector],
        rounds: int = ROUNDS,
    ) -> Indices:
        """Return the clusters of highest total score that the annotation and the sizes allow.

        ``clusters`` holds each row's cluster of highest score. ``scores()`` returns the scores of
        all rows and clusters, and is called only if a cluster is too small. ``rounds`` is the
        parameter of ``sizes.labels_with_floors``.
        """
        floors = np.full(self.n_clusters, self.least_size(len(clusters)))
        free: Any = slice(None)
        copy_of = self.copy_of_
        if known is not None:
            free = np.flatnonzero(known == UNKNOWN)
            # Known rows keep their labels and count towards the size of their cluster.
            clusters = np.where(known == UNKNOWN, clusters, known)
            floors -= np.bincount(known[known != UNKNOWN], minlength=self.n_clusters)
            copy_of = np.unique(copy_of[free], return_inverse=True)[1]
        floors = floors.clip(min=0)  # negative where known rows alone exceed the least size
        if np.any(np.bincount(clusters[free], minlength=self.n_clusters) < floors):
            clusters = clusters.copy()
            clusters[free] = labels_with_floors(scores()[free], clusters[free], floors, rounds)
        if len(copy_of) and copy_of.max() + 1 < len(copy_of):
            clusters = clusters.copy()
            clusters[free] = undivided(clusters[free], copy_of, floors, lambda: scores()[free])
        return clusters

    def least_size(self, n: int) -> int:
        """Return the minimum number of rows in a cluster, which is 0 if sizes are not bounded."""
        return max(1, int(self.min_cluster_size * n)) if self.min_cluster_size > 0 else 0

    def automatic_C(self, x: Any) -> float:
        """Return the value of C='auto' for the rows and the number of clusters.

        C is d^1.2 for the effective dimension d, but at least 2 (n_clusters - 1)^2 and at most 100.
        C is multiplied by ``C_factor``, which is 2 if rows have a single score, as in MMCProblem.
        Rows that vary in many directions, and rows in many clusters, need a larger w for a given
        margin.
        """
        dimension = self.rows_.effective_dimension(x)
        C = max(dimension**AUTO_POWER, AUTO_LEAST * (self.n_clusters - 1) ** 2)
        return float(self.C_factor * min(AUTO_MOST, C))

    def initial_w(self, X: Any, rng: np.random.Generator) -> Vector:
        """Return random weights, scaled so that all rows are well within the margin."""
        return self.start(X[0], self.random_centres(rng), INITIAL_SPREAD)

    def random_centres(self, rng: np.random.Generator) -> Vector:
        """Return a random direction for each cluster, with offset 0; shape (n_clusters, size)."""
        centres = rng.standard_normal((self.n_clusters, self.rows_.size))
        centres[:, self.rows_.n_features :] = 0
        return centres
