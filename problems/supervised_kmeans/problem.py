"""Supervised k-means as a structured problem."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from structsvm.problem import OracleQuality, Problem, Vector
from structsvm.problems._partitions import partitions
from structsvm.problems.item_sets import ItemSet, require_same_features
from structsvm.problems.supervised_kmeans.loss import clustering_matrix, trace_loss, width
from structsvm.problems.supervised_kmeans.oracles import resolve_oracle
from structsvm.solvers.arguments import require_positive


class SupervisedKMeansProblem(Problem):
    r"""A similarity by which k-means clusters sets of items as in the examples.

    An input is a pair (:class:`ItemSet`, k), k the number of clusters, which may differ from one
    input to the next. An output is an array of labels 0..k-1 of shape (m,), each of which occurs;
    or, more generally, a matrix Y of shape (m, k) with orthonormal columns. Labels stand for the
    matrix that has :math:`|c|^{-1/2}` in the column of cluster c at its items.

    - :math:`\Psi(x, Y) = \sum_{ij} (Y Y^T)_{ij} \psi_{ij}` over all ordered pairs, i = j included,
      divided by ``scale``. So :math:`\langle w, \Psi \rangle = tr(Y^T K Y)`, the objective of
      kernel k-means for the similarity :math:`K_{ij} = \langle w, \psi_{ij} \rangle`.
    - :math:`\Delta(Y, \hat Y) = 100 (1 - \|Y^T \hat Y\|_F^2 / k)`.
    - :math:`\Delta + \langle w, \Psi(x, \hat Y) \rangle = 100 + tr(\hat Y^T K' \hat Y)` with
      :math:`K' = K - \frac{100}{k} Y Y^T`: the separation oracle clusters by K'.

    Parameters
    ----------
    oracle : {'iterative', 'spectral', 'discrete'} or oracle object, default='iterative'
        Finds the most violated clustering: :class:`IterativeOracle`, :class:`SpectralOracle`,
        :class:`DiscreteOracle`, or an object with the same methods. Its quality is that of the
        problem.
    predictor : the same, or a scikit-learn clusterer, default=None
        What decodes; None stands for ``oracle``. A clusterer must have ``affinity`` or ``metric``
        set to 'precomputed'.
    scale : float, default=1.0
        What the joint feature is divided by. Dividing it by s and C by s^2 changes no similarity.
    nonnegative : bool, default=False
        Keep w >= 0. Then K is positive semi-definite if all features are kernels, as products of
        node features are (section 3.1 of the paper).

    References
    ----------
    Finley & Joachims, Supervised k-Means Clustering: equations 13 to 18. Equation 15 there sums
    over j < i, and is not equal to 13 as stated: 13 is twice 15 and the terms i = j. We use 13.

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

    max_loss = 100.0

    def __init__(
        self,
        oracle: Any = "iterative",
        predictor: Any = None,
        scale: float = 1.0,
        nonnegative: bool = False,
    ) -> None:
        self.oracle = oracle
        self.predictor = predictor
        self.scale = scale
        self.nonnegative = nonnegative

    @property
    def oracle_quality(self) -> OracleQuality:  # type: ignore[override]
        return resolve_oracle("oracle", self.oracle).quality

    def initialize(self, X: Any, Y: Any) -> None:
        resolve_oracle("oracle", self.oracle)
        if self.predictor is not None:
            resolve_oracle("predictor", self.predictor)
        require_positive("scale", self.scale)
        for i, x in enumerate(X):
            require_input(x, i)
        require_same_features([x[0] for x in X])
        for i, (x, y) in enumerate(zip(X, Y, strict=True)):
            require_output(x, y, i)
        if all(k == len(items) for items, k in X):
            raise ValueError(
                "every set has as many clusters as items; there is no other partition to learn from"
            )
        self.size_joint_feature = X[0][0].n_features

    def joint_feature(self, x: Any, y: Any) -> Vector:
        return x[0].weighted_sum(clustering_matrix(y)) / self.scale

    def joint_feature_difference(self, x: Any, y: Any, y_hat: Any) -> Vector:
        matrices = clustering_matrix(y), clustering_matrix(y_hat)
        signs = np.repeat([1.0, -1.0], [matrix.shape[1] for matrix in matrices])
        return x[0].weighted_sum(np.hstack(matrices), signs) / self.scale

    def loss(self, y: Any, y_hat: Any) -> float:
        return trace_loss(y, y_hat)

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        starts = (y,) if y.ndim == 1 else ()
        oracle = resolve_oracle("oracle", self.oracle)
        return clustering(oracle, "cluster", self._augmented(x, y, w), x[1], starts)

    def refine(self, x: Any, y: Any, w: Vector, y_hat: Any) -> Any:
        oracle = resolve_oracle("oracle", self.oracle)
        if not hasattr(oracle, "refine"):
            return y_hat
        return clustering(oracle, "refine", self._augmented(x, y, w), x[1], (y_hat,))

    def decode(self, x: Any, w: Vector) -> Any:
        predictor = self.oracle if self.predictor is None else self.predictor
        predictor = resolve_oracle("predictor", predictor)
        return clustering(predictor, "cluster", x[0].similarity(w / self.scale), x[1], ())

    def lower_bounds(self) -> Vector | None:
        return np.zeros(self.size_joint_feature) if self.nonnegative else None

    def outputs(self, x: Any) -> Iterable[Any]:
        return partitions(x[0].n_items, x[1])

    def lack_of_chance(self, x: Any, y: Any) -> Vector:
        """Psi(x, y) less the mean of Psi(x, .) over all permutations of the labels.

        On that mean Y Y' has k/m on its diagonal and (m - k) / (m (m - 1)) elsewhere.
        """
        Y = clustering_matrix(y)
        m, k = Y.shape
        elsewhere = (m - k) / (m * (m - 1))
        factors, weights = np.column_stack([Y, np.ones(m)]), np.append(np.ones(k), -elsewhere)
        difference = x[0].weighted_sum(factors, weights)
        return (difference - (k / m - elsewhere) * x[0].diagonal_sum()) / self.scale

    def _augmented(self, x: Any, y: Any, w: Vector) -> Vector:
        """K', the similarity with the loss in it."""
        Y = clustering_matrix(y)
        augmented = x[0].similarity(w / self.scale)
        augmented -= (100 / x[1]) * (Y @ Y.T)
        return augmented

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Two sets of six and seven items, few enough for all partitions to be enumerated."""
        rng = np.random.default_rng(0)
        X = [(ItemSet(rng.normal(size=(m, 3))), k) for m, k in ((6, 2), (7, 3))]
        return X, [np.arange(x.n_items) % k for x, k in X]


def clustering(oracle: Any, method: str, K: Vector, k: int, starts: Any) -> Any:
    """What an oracle returns, or a ValueError that names it where that is no clustering."""
    found, m = getattr(oracle, method)(K, k, starts), len(K)
    shape = getattr(found, "shape", None)
    if shape == (m,) and found.dtype.kind in "iu":
        sizes = np.bincount(found, minlength=k) if found.min() >= 0 else np.zeros(1)
        good = len(sizes) == k and bool(sizes.all())
    else:
        good = shape == (m, k) and np.allclose(found.T @ found, np.eye(k), atol=1e-6)
    if not good:
        raise ValueError(
            f"{type(oracle).__name__}.{method} must return an array of {m} integer labels 0 to "
            f"{k - 1}, each of which occurs, or a matrix of shape ({m}, {k}) with orthonormal "
            f"columns; got {found!r:.60}"
        )
    return found


def require_input(x: Any, i: int) -> None:
    """Raise a ValueError unless x is an item set and a number of clusters that it can have."""
    if not (isinstance(x, tuple) and len(x) == 2 and isinstance(x[0], ItemSet)):
        raise ValueError(
            f"input {i} must be a pair (ItemSet, number of clusters); got {type(x).__name__}"
        )
    items, k = x
    if not isinstance(k, (int, np.integer)) or isinstance(k, bool) or not 2 <= k <= len(items):
        raise ValueError(
            f"the number of clusters of set {i} must be an integer from 2 to its {len(items)} "
            f"items; got {k!r}"
        )


def require_output(x: Any, y: Any, i: int) -> None:
    """Raise a ValueError unless y is a clustering of the items into all of the clusters."""
    (items, k), y = x, np.asarray(y)
    if y.ndim == 2:
        _require_matrix(y, (len(items), k), i)
        return
    if y.shape != (len(items),) or y.dtype.kind not in "iu":
        raise ValueError(
            f"output {i} must be an array of {len(items)} integer labels, or a matrix; got shape "
            f"{y.shape} of {y.dtype}"
        )
    if y.min() < 0 or y.max() >= k:
        raise ValueError(
            f"the labels of output {i} must be 0 to {k - 1}; they range from {y.min()} to {y.max()}"
        )
    empty = np.flatnonzero(np.bincount(y, minlength=k) == 0)
    if len(empty):
        raise ValueError(
            f"cluster {empty[0]} of output {i} is empty: {k} clusters are wanted, and only "
            f"{width(y) - len(empty)} labels occur"
        )


def _require_matrix(Y: Vector, shape: tuple[int, int], i: int) -> None:
    if Y.shape != shape:
        raise ValueError(f"output {i} must be a matrix of shape {shape}; got {Y.shape}")
    empty = np.flatnonzero(~Y.any(axis=0))
    if len(empty):
        raise ValueError(f"cluster {empty[0]} of output {i} is empty: its column is zero")
    if not np.allclose(Y.T @ Y, np.eye(shape[1]), atol=1e-6):
        raise ValueError(f"the columns of output {i} must be orthonormal")
