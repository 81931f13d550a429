"""Supervised correlation clustering as a structured problem."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from structsvm.contract.constraints import WeightConstraints
from structsvm.data.arrays import Vector
from structsvm.problems.set_clustering.correlation_clustering.oracles.greedy import GreedyOracle
from structsvm.problems.set_clustering.correlation_clustering.oracles.relaxed import RelaxedOracle
from structsvm.problems.set_clustering.item_sets.item_set import ItemSet
from structsvm.problems.set_clustering.partitions import BlockPartition, partitions
from structsvm.problems.set_clustering.set_problem import ClusteringOracle, SetProblem

#: Amount by which an entry of Z may exceed 1.
ROUNDING = 1e-8

Oracle: TypeAlias = Literal["greedy", "relaxed"] | ClusteringOracle


@dataclass(eq=False, repr=False)
class CorrelationClusteringProblem(SetProblem):
    r"""The problem of learning a similarity that reproduces example partitions.

    An input is an :class:`ItemSet` of m items, which may form any number of clusters. An output is
    an array of labels >= 0 of shape (m,) or, more generally, a symmetric matrix Z of shape (m, m)
    with ones on its diagonal. The entries of Z, from 0 to 1, are the extents to which two items are
    in one cluster. For labels, Z is 1 where two labels are equal and 0 elsewhere.

    - The joint feature is :math:`\Psi(x, Z) = \frac1P \sum_{i<j} Z_{ij} \psi_{ij}`, divided by
      ``scale``. The vector :math:`\psi_{ij}` holds the features of items i and j, and :math:`P = m
      (m - 1) / 2` is the number of pairs of items. The score :math:`\langle w, \Psi \rangle` is the
      sum of the similarities of all pairs inside clusters, divided by the number of pairs.
    - The loss is :math:`\Delta(Z, \hat Z) = \frac{100}P \sum_{i<j} |Z_{ij} - \hat Z_{ij}|`: the
      percentage of the P pairs on which two partitions disagree, which is 100 minus the Rand index
      in percent.
    - The separation oracle clusters the items by the loss-augmented similarity :math:`K_{ij} + 100
      (1 - 2 Z_{ij})`, where :math:`K_{ij}` is the similarity of items i and j, and Z the true
      output.

    An input may also be a block of a :class:`PairTable`, with a ``BlockPartition`` as output. For a
    block of a table, Psi and the loss are sums over the P pairs that the table lists. Time and
    memory depend on the number of listed pairs. If the table has ``unlisted='learned'``, the last
    entry of Psi is minus the number of unlisted pairs inside clusters, divided by the number of
    listed pairs. If the table has ``unlisted='learned'``, the last entry of w is kept >= 0.

    Parameters
    ----------
    oracle : {'greedy', 'relaxed'} or oracle object, default='greedy'
        The separation oracle: :class:`GreedyOracle`, :class:`RelaxedOracle`, or an object with the
        same methods. The ``quality`` of the oracle becomes the problem's ``oracle_quality``.
    predictor : the same, or None, default='greedy'
        The oracle that predicts. With None, ``oracle`` is used.
    scale : float or array of shape (n_features,), default=1.0
        Divisor of the joint feature, or of each of its coordinates. The similarity stays the same
        if ``scale`` is divided by s and C by s^2.
    nonnegative : bool, default=False
        Keep w >= 0. With nonnegative weights, include a feature that is a negative constant for all
        pairs: without negative similarities all items form one cluster.

    References
    ----------
    Finley & Joachims, Supervised Clustering with Support Vector Machines, ICML 2005. In section 3,
    Finley & Joachims divide Psi by m^2; this class divides Psi by the number of pairs. The loss is
    the pairwise loss of Finley & Joachims.

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

    oracle: Oracle = "greedy"
    predictor: Any = "greedy"

    def initialize(self, X: Any, Y: Any) -> None:
        for i, x in enumerate(X):
            if not isinstance(x, ItemSet):
                raise ValueError(f"input {i} must be an ItemSet; got {type(x).__name__}")
        super().initialize(X, Y)
        if not self.unlisted:
            return
        self.constant = X[0].constant
        for name, oracle in (("oracle", self.resolved("oracle")), ("predictor", self._predictor())):
            if isinstance(oracle, RelaxedOracle):
                raise ValueError(
                    f"the {name} needs the similarities of all pairs, and a PairTable has those of "
                    "listed pairs; use 'greedy'"
                )

    def joint_feature(self, x: Any, y: Any) -> Vector:
        return np.asarray(x.sum_inside(y) / (x.n_pairs * self.scale))

    def joint_feature_difference(self, x: Any, y: Any, y_hat: Any) -> Vector:
        return np.asarray(x.difference_inside(y, y_hat) / (x.n_pairs * self.scale))

    def loss(self, y: Any, y_hat: Any) -> float:
        """Return the percentage of pairs that are in one cluster in only one of y and y_hat."""
        differences = np.abs(togetherness(y) - togetherness(y_hat))
        if isinstance(y, BlockPartition):
            return float(100 * differences.mean())
        return float(100 * (differences.sum() / 2) / n_pairs(len(y)))

    def outputs(self, x: Any) -> Iterable[Any]:
        yield from x.possible(partitions(x.n_items))

    def constraints(self) -> WeightConstraints | None:
        if not self.unlisted:
            return super().constraints()
        if self.unlisted == "impossible" and not self.nonnegative:
            return None
        bounds = np.full(self.size_joint_feature, 0.0 if self.nonnegative else -np.inf)
        bounds[self.constant] = -np.inf  # the threshold may have either sign
        if self.unlisted == "learned":
            bounds[-1] = 0.0
        return WeightConstraints(lower=bounds)

    def lack_of_chance(self, x: Any, y: Any) -> Vector:
        """Return Psi(x, y) minus its mean over all permutations of the labels."""
        # Mean extent, over the permutations, to which each pair is together.
        fraction = n_together(y) / n_pairs(x.n_items)
        return self.joint_feature(x, y) - fraction * self.joint_feature(x, self.one_cluster(x))

    def augmented(self, x: Any, y: Any, w: Vector) -> Any:
        # For Z in {0, 1} the loss is linear in Z_hat: |Z - Z_hat| = Z + (1 - 2 Z) Z_hat.
        return x.changed_similarity(w / self.scale, 100 * (1 - 2 * togetherness(y)))

    def _require_clustering(self, y: Any, x: Any, whose: str) -> None:
        m = len(x)
        good = isinstance(y, np.ndarray)
        if good and y.shape == (m,):
            good = y.dtype.kind in "iu" and y.min() >= 0
        elif good:
            symmetric = y.shape == (m, m) and not x.unlisted and np.allclose(y, y.T)
            good = symmetric and y.min() >= 0 and y.max() <= 1 + ROUNDING
            good = good and np.allclose(y.diagonal(), 1)
        if not good:
            raise ValueError(
                f"{whose} an array of {m} integer labels >= 0, or a symmetric matrix of shape "
                f"({m}, {m}) of numbers from 0 to 1 with ones on its diagonal; got {y!r:.60}"
            )

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Return a set of five and a set of six items: all partitions can be enumerated."""
        rng = np.random.default_rng(0)
        X = [ItemSet(rng.normal(size=(m, 3))) for m in (5, 6)]
        return X, [np.arange(len(x)) // 2 for x in X]


def n_pairs(m: int) -> float:
    """Return the number of unordered pairs of m items."""
    return m * (m - 1) / 2


def togetherness(y: Any) -> Vector:
    """Return, for each pair of items, the extent from 0 to 1 to which the pair shares a cluster.

    The array has shape (m, m), or an entry for each listed pair if y is a ``BlockPartition``. For
    labels, entries are 1 where two labels are equal, and 0 elsewhere. A matrix is returned
    unchanged.
    """
    if isinstance(y, BlockPartition):
        return y.together
    return np.asarray(y if y.ndim == 2 else y[:, None] == y, dtype=np.float64)


def n_together(y: Any) -> float:
    """Return the number of pairs of items that share a cluster."""
    if isinstance(y, BlockPartition):
        return y.n_together
    return float(togetherness(y).sum() - len(y)) / 2
