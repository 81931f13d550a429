"""Supervised k-means as a structured problem."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.problems.set_clustering.item_sets.item_set import ItemSet
from structsvm.problems.set_clustering.partitions import partitions
from structsvm.problems.set_clustering.set_problem import ClusteringOracle, SetProblem
from structsvm.problems.set_clustering.supervised_kmeans.loss import clustering_matrix, trace_loss
from structsvm.problems.set_clustering.supervised_kmeans.oracles.clusterer import ClustererOracle
from structsvm.problems.set_clustering.supervised_kmeans.oracles.iterative import IterativeOracle
from structsvm.problems.set_clustering.supervised_kmeans.oracles.spectral import (
    DiscreteOracle,
    SpectralOracle,
)

Oracle: TypeAlias = Literal["iterative", "spectral", "discrete"] | ClusteringOracle


@dataclass(eq=False, repr=False)
class SupervisedKMeansProblem(SetProblem):
    r"""The problem of learning a similarity by which k-means reproduces the example partitions.

    An input is a pair (:class:`ItemSet`, k), where k is the number of clusters, which may differ
    between inputs. An output is an array of labels 0..k-1 of shape (m,) that uses all k labels or,
    more generally, a matrix Y of shape (m, k) with orthonormal columns. Labels stand for the matrix
    Y whose entry for item i and cluster c is :math:`|c|^{-1/2}` if i is in c, and 0 if not.

    - :math:`\Psi(x, Y) = \sum_{ij} (Y Y^T)_{ij} \psi_{ij}` over all ordered pairs, i = j included,
      divided by ``scale``. The score :math:`\langle w, \Psi \rangle` equals :math:`tr(Y^T K Y)`,
      the objective of kernel k-means for the similarity :math:`K_{ij} = \langle w, \psi_{ij}
      \rangle`.
    - The loss is :math:`\Delta(Y, \hat Y) = 100 (1 - \|Y^T \hat Y\|_F^2 / k)`.
    - The separation oracle clusters by the similarity :math:`K' = K - \frac{100}{k} Y Y^T`, since
      :math:`\Delta + \langle w, \Psi(x, \hat Y) \rangle = 100 + tr(\hat Y^T K' \hat Y)`.

    Parameters
    ----------
    oracle : {'iterative', 'spectral', 'discrete'} or oracle object, default='iterative'
        The separation oracle: :class:`IterativeOracle`, :class:`SpectralOracle`,
        :class:`DiscreteOracle`, or an object with the same methods. The ``quality`` of the oracle
        becomes the problem's ``oracle_quality``.
    predictor : the same, or a scikit-learn clusterer, default=None
        The oracle that predicts. With None, the separation oracle predicts. If the separation
        oracle is overgenerating, as 'spectral' is, None means 'discrete'. With 'spectral',
        predictions are matrices. A clusterer must have ``affinity`` or ``metric`` set to
        'precomputed'.
    scale : float or array of shape (n_features,), default=1.0
        Divisor of the joint feature, or of each of its coordinates. The similarity stays the same
        if ``scale`` is divided by s and C by s^2.
    nonnegative : bool, default=False
        Keep w >= 0. With weights >= 0, the similarity matrix is positive semi-definite if every
        feature of pairs is a kernel. Pair features that :class:`ItemSet` computes as products of
        item features are kernels (Finley & Joachims, section 3.1).

    Notes
    -----
    The search for the most violated clustering is specific to the loss of this class. A subclass
    with a different loss must override ``separation_oracle`` and the ``refine`` of its ``task``.

    References
    ----------
    Finley & Joachims, Supervised k-Means Clustering: equations 13 to 18. This class defines Psi by
    equation 13 of Finley & Joachims. Equation 15 of Finley & Joachims leaves out the terms i = j,
    and counts every pair of different items once instead of twice.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems import ItemSet, SupervisedKMeansProblem
    >>> noisy = np.array([[1.0, 5.0], [1.1, -5.0], [-1.0, 5.0], [-1.1, -5.0]])
    >>> X, Y = [(ItemSet(noisy), 2)], [np.array([0, 0, 1, 1])]
    >>> svm = StructuredSVM(SupervisedKMeansProblem(), C=10.0).fit(X, Y)
    >>> svm.predict(X)[0].tolist()  # by the first feature
    [0, 0, 1, 1]
    """

    named: ClassVar[dict[str, Any]] = {
        "iterative": IterativeOracle,
        "spectral": SpectralOracle,
        "discrete": DiscreteOracle,
    }
    other_predictors = ", or a clusterer of scikit-learn"

    oracle: Oracle = "iterative"

    def initialize(self, X: Any, Y: Any) -> None:
        for i, x in enumerate(X):
            require_input(x, i)
        super().initialize(X, Y)
        if all(k == len(items) for items, k in X):
            raise ValueError(
                "every set has as many clusters as items, so there is no other partition to learn "
                "from; expected fewer clusters in some set"
            )

    def joint_feature(self, x: Any, y: Any) -> Vector:
        return np.asarray(x[0].weighted_sum(clustering_matrix(y)) / self.scale)

    def joint_feature_difference(self, x: Any, y: Any, y_hat: Any) -> Vector:
        matrices = clustering_matrix(y), clustering_matrix(y_hat)
        signs = np.repeat([1.0, -1.0], [matrix.shape[1] for matrix in matrices])
        return np.asarray(x[0].weighted_sum(np.hstack(matrices), signs) / self.scale)

    def loss(self, y: Any, y_hat: Any) -> float:
        return trace_loss(y, y_hat)

    def outputs(self, x: Any) -> Iterable[Any]:
        return partitions(x[0].n_items, x[1])

    def lack_of_chance(self, x: Any, y: Any) -> Vector:
        """Return Psi(x, y) minus its mean over all permutations of the labels.

        For a clustering matrix Y of shape (m, k), the mean of Y Y' over all permutations of the
        labels is k / m on the diagonal and (m - k) / (m (m - 1)) elsewhere.
        """
        Y = clustering_matrix(y)
        m, k = Y.shape
        elsewhere = (m - k) / (m * (m - 1))
        # Subtract the mean of Y Y': ``elsewhere`` from all entries, the rest of k/m from the
        # diagonal.
        factors, weights = np.hstack([Y, np.ones((m, 1))]), np.append(np.ones(k), -elsewhere)
        difference = x[0].weighted_sum(factors, weights)
        return np.asarray((difference - (k / m - elsewhere) * x[0].diagonal_sum()) / self.scale)

    def augmented(self, x: Any, y: Any, w: Vector) -> Vector:
        items, k = x
        Y = clustering_matrix(y)
        similarity = items.similarity(w / self.scale)
        return np.asarray(similarity - (100 / k) * (Y @ Y.T))

    def _require_clustering(self, y: Any, x: Any, whose: str) -> None:
        m, k = len(x[0]), x[1]
        good = isinstance(y, np.ndarray)
        if good and y.shape == (m,):
            # Check the range first: bincount of a huge label would fill the memory.
            good = y.dtype.kind in "iu" and y.min() >= 0 and y.max() == k - 1
            good = good and bool(np.bincount(y.astype(np.intp)).all())
        elif good:
            good = y.shape == (m, k) and np.allclose(y.T @ y, np.eye(k), atol=1e-6)
        if not good:
            raise ValueError(
                f"{whose} an array of {m} integer labels 0 to {k - 1}, each of which occurs, or a "
                f"matrix of shape ({m}, {k}) with orthonormal columns; got {y!r:.60}"
            )

    def _predictor(self) -> Any:
        if self.predictor is None and self.oracle_quality == "overgenerating":
            return DiscreteOracle()
        return super()._predictor()

    def resolved(self, name: str) -> Any:
        given = getattr(self, name)
        if name == "predictor" and hasattr(given, "fit_predict") and not isinstance(given, type):
            return ClustererOracle(given)
        return super().resolved(name)

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Return a set of six and a set of seven items: all partitions can be enumerated."""
        rng = np.random.default_rng(0)
        X = [(ItemSet(rng.normal(size=(m, 3))), k) for m, k in ((6, 2), (7, 3))]
        return X, [np.arange(x.n_items) % k for x, k in X]


def require_input(x: Any, i: int) -> None:
    """Raise a ValueError unless x is an item set with a number of clusters that is possible."""
    if not (isinstance(x, tuple) and len(x) == 2 and isinstance(x[0], ItemSet)):
        raise ValueError(f"input {i} must be a pair (ItemSet, number of clusters); got {x!r:.60}")
    items, k = x
    if not isinstance(k, (int, np.integer)) or isinstance(k, bool) or not 2 <= k <= len(items):
        raise ValueError(
            f"the number of clusters of set {i} must be an integer from 2 to its {len(items)} "
            f"items; got {k!r}"
        )
