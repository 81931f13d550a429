"""Supervised correlation clustering as a structured problem."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Vector
from structsvm.data.labels import in_order
from structsvm.problems.set_clustering.clustering_oracle import ClusteringOracle
from structsvm.problems.set_clustering.correlation_clustering.oracles import (
    GreedyOracle,
    RelaxedOracle,
)
from structsvm.problems.set_clustering.item_sets import ItemSet
from structsvm.problems.set_clustering.partitions import partitions
from structsvm.problems.set_clustering.set_problem import SetProblem
from structsvm.problems.set_clustering.similarities import PairSimilarity

Oracle: TypeAlias = Literal["greedy", "relaxed"] | ClusteringOracle


@dataclass(eq=False, repr=False)
class CorrelationClusteringProblem(SetProblem):
    r"""A similarity learned such that correlation clustering partitions sets as in the examples.

    An input is an :class:`ItemSet` of m items; the number of clusters is not given. An output is an
    array of labels >= 0 of shape (m,); or, more generally, a symmetric matrix Z of shape (m, m)
    with ones on its diagonal, whose entries in [0, 1] say to what extent two items are together.
    Labels correspond to the matrix that is 1 where two labels are equal.

    - :math:`\Psi(x, Z) = \frac1P \sum_{i<j} Z_{ij} \psi_{ij}`, P = m (m - 1) / 2 the number of
      pairs, divided by ``scale``. So :math:`\langle w, \Psi \rangle` is the sum of the similarities
      inside clusters, over P.
    - :math:`\Delta(Z, \hat Z) = \frac{100}P \sum_{i<j} |Z_{ij} - \hat Z_{ij}|`: the percentage of
      pairs on which two partitions disagree, 100 minus the Rand index in percent.
    - The separation oracle clusters by :math:`K'_{ij} = K_{ij} + 100 (1 - 2 Z_{ij})`, over P.

    Parameters
    ----------
    oracle : {'greedy', 'relaxed'} or oracle object, default='greedy'
        The separation oracle: :class:`GreedyOracle`, :class:`RelaxedOracle`, or an object with the
        same methods. Its ``quality`` becomes the problem's ``oracle_quality``.
    predictor : the same, or None, default='greedy'
        The oracle that decodes; None uses ``oracle``.
    scale : float or array of shape (n_features,), default=1.0
        Divisor of the joint feature, or of each of its coordinates. Dividing ``scale`` by s and C
        by s^2 changes no similarity.
    nonnegative : bool, default=False
        Keep w >= 0. This needs a feature that is a negative constant for all pairs: without
        negative similarities all items form one cluster.

    References
    ----------
    Finley & Joachims, Supervised Clustering with Support Vector Machines, ICML 2005. We differ in
    dividing Psi (their section 3) by P instead of m^2; the loss is their pairwise one.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems import CorrelationClusteringProblem, ItemSet
    >>> points = np.array([0.0, 0.1, 2.0, 2.1, 5.0])
    >>> distance = np.abs(points[:, None] - points)
    >>> items = ItemSet(pairs=np.dstack([np.ones((5, 5)), distance]))
    >>> svm = StructuredSVM(CorrelationClusteringProblem(), C=1000.0)
    >>> svm = svm.fit([items], [np.array([0, 0, 1, 1, 2])])
    >>> svm.predict([items])[0].tolist()
    [0, 0, 1, 1, 2]
    """

    named: ClassVar[dict[str, Any]] = {"greedy": GreedyOracle, "relaxed": RelaxedOracle}
    arguments = ("K", "starts")

    oracle: Oracle = "greedy"
    predictor: Any = "greedy"

    def initialize(self, X: Any, Y: Any) -> None:
        for i, x in enumerate(X):
            if not isinstance(x, ItemSet):
                raise ValueError(f"input {i} must be an ItemSet; got {type(x).__name__}")
        super().initialize(X, Y)
        for i, (x, y) in enumerate(zip(X, Y, strict=True)):
            require_output(x, y, i)

    def joint_feature(self, x: Any, y: Any) -> Vector:
        # Psi has the pairs i < j only, so the terms i = j, where Z is 1, are subtracted.
        return self._normalised(x, x.weighted_sum(*_factors(y)) - x.diagonal_sum())

    def joint_feature_difference(self, x: Any, y: Any, y_hat: Any) -> Vector:
        (factors, weights), (others, their_weights) = _factors(y), _factors(y_hat)
        both = sparse.hstack([factors, others], format="csr")
        # Z - Z_hat by stacked factors; both diagonals are 1, so the terms i = j cancel.
        return self._normalised(x, x.weighted_sum(both, np.append(weights, -their_weights)))

    def loss(self, y: Any, y_hat: Any) -> float:
        """The loss given at the class: half of a sum over ordered pairs, whose diagonal is 0."""
        differences = np.abs(togetherness(y) - togetherness(y_hat)).sum() / 2
        return float(100 * differences / n_pairs(len(y)))

    def outputs(self, x: Any) -> Iterable[Any]:
        return partitions(x.n_items)

    def lack_of_chance(self, x: Any, y: Any) -> Vector:
        """Psi(x, y) minus the mean of Psi(x, .) over all permutations of the labels."""
        Z = togetherness(y)
        # On average over the permutations every pair is together to this extent.
        fraction = (Z.sum() - len(Z)) / (2 * n_pairs(len(Z)))
        together = np.zeros(len(Z), dtype=np.intp)
        return self.joint_feature(x, y) - fraction * self.joint_feature(x, together)

    def _items(self, x: Any) -> ItemSet:
        return x

    def augmented(self, x: Any, y: Any, w: Vector) -> Vector | PairSimilarity:
        """P K'; the positive factor P does not change the best clustering."""
        # For Z in {0, 1} the loss is linear in Z_hat: |Z - Z_hat| = Z + (1 - 2 Z) Z_hat.
        return self._similarity(x, w) + 100 * (1 - 2 * togetherness(y))

    def searched(self, search: Any, x: Any, K: Vector, starts: Any) -> Any:
        found = super().searched(search, x, K, starts)
        return in_order(found) if found.ndim == 1 else found

    def _called(self, search: Any, x: Any, K: Vector, starts: Any) -> Any:
        return search(K, starts)

    def _require_clustering(self, found: Any, search: Any, x: Any) -> None:
        m = len(x)
        shape = getattr(found, "shape", None)
        if shape == (m,) and found.dtype.kind in "iu":
            good = found.min() >= 0
        else:
            good = shape == (m, m) and np.allclose(found, found.T)
            good = good and np.allclose(found.diagonal(), 1)
        if not good:
            raise ValueError(
                f"{search.__qualname__} must return an array of {m} integer labels >= 0, or a "
                f"symmetric matrix of shape ({m}, {m}) with ones on its diagonal; got {found!r:.60}"
            )

    def _normalised(self, x: ItemSet, ordered_sum: Vector) -> Vector:
        """The joint feature from a sum over ordered pairs of different items."""
        return ordered_sum / (2 * n_pairs(x.n_items) * self.scale)

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Two sets of five and six items, few enough for all partitions to be enumerated."""
        rng = np.random.default_rng(0)
        X = [ItemSet(rng.normal(size=(m, 3))) for m in (5, 6)]
        return X, [np.arange(len(x)) // 2 for x in X]


def n_pairs(m: int) -> float:
    """The number of unordered pairs of m items."""
    return m * (m - 1) / 2


def togetherness(y: Any) -> Vector:
    """Z of shape (m, m), 1 where two labels are equal; a matrix is returned as it is."""
    return y if y.ndim == 2 else (y[:, None] == y).astype(np.float64)


def require_output(x: ItemSet, y: Any, i: int) -> None:
    """Raise a ValueError unless y holds labels of the items, or is a matrix Z."""
    m = len(x)
    if not isinstance(y, np.ndarray):
        raise ValueError(f"output {i} must be an array of labels, or a matrix; got {y!r:.60}")
    if y.ndim == 2:
        good = y.shape == (m, m) and np.array_equal(y, y.T) and np.all(np.diagonal(y) == 1)
        if not good or y.min() < 0 or y.max() > 1:
            raise ValueError(
                f"output {i} must be labels, or a symmetric matrix of shape ({m}, {m}) of numbers "
                "from 0 to 1 with ones on its diagonal"
            )
    elif y.shape != (m,) or y.dtype.kind not in "iu" or y.min() < 0:
        raise ValueError(
            f"output {i} must be an array of {m} integer labels >= 0; got shape {y.shape} of "
            f"{y.dtype}"
        )


def _factors(y: Any) -> tuple[Any, Vector]:
    """F and weights with Z = F diag(weights) F'."""
    if y.ndim == 2:
        weights, vectors = np.linalg.eigh(y)
        return sparse.csr_matrix(vectors), weights
    clusters, m = int(y.max()) + 1, len(y)
    indicator = sparse.csr_matrix((np.ones(m), y, np.arange(m + 1)), shape=(m, clusters))
    return indicator, np.ones(clusters)
