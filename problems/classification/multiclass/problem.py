"""Multiclass classification as a structured problem: an output is one of k classes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.data.blocks import Stored
from structsvm.data.containers import dense, n_examples
from structsvm.data.matrices import checked_numbers, require_matrix
from structsvm.networks import TensorInference
from structsvm.problems.by_task import SoftByTask
from structsvm.problems.classification.labels import Coded, Labels
from structsvm.problems.classification.multiclass.task import MulticlassTask
from structsvm.problems.classification.rows import as_row


class Multiclass(SoftByTask):
    """Multiclass classification with a cost matrix as loss.

    Psi(x, y) has x in the block of class y, and 0 in the other blocks. The vector w is the (k, d)
    matrix of class weights, flattened row by row: ``w.reshape(k, d)``. All oracles are exact, and
    need only one matrix product for all rows. X is an array or a scipy.sparse CSR matrix of shape
    (n, d). With a float32 X the products are in float32, and the certificate is exact up to
    rounding errors of float32. Labels may be of any sortable kind. A label that was not passed to
    ``initialize`` raises a ValueError.

    Parameters
    ----------
    cost : array-like of shape (k, k), optional
        ``cost[i, j]`` is the loss of predicting the j-th class for the i-th class, in sorted order
        of the labels. Costs are >= 0, with a zero diagonal. Default: 0/1 loss.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The labels, sorted.
    max_loss : float
        The largest entry of the cost matrix.

    References
    ----------
    Crammer & Singer, On the Algorithmic Implementation of Multiclass Kernel-based Vector Machines,
    JMLR 2001, for the 0/1 loss.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems import Multiclass
    >>> X, y = np.array([[2.0, 0.0], [0.0, 2.0]]), ["left", "right"]
    >>> svm = StructuredSVM(Multiclass(cost=[[0, 5], [1, 0]]), C=10.0).fit(X, y)
    >>> print(svm.predict(X))
    ['left' 'right']
    """

    parallelism = "threads"

    def __init__(self, cost: Any = None) -> None:
        self.cost = cost

    def initialize(self, X: Any, Y: Any) -> None:
        labels, numbers = [], 0
        for rows, codes in X.files if isinstance(X, Stored) else [(X, Y)]:
            require_matrix(rows)
            labels.append(codes)
            numbers += rows.size
        self.labels_ = Labels(labels[0] if len(labels) == 1 else np.concatenate(labels))
        self.classes_, k = self.labels_.names, len(self.labels_.names)
        self.n_features_ = rows.shape[1]
        self.size_joint_feature = k * self.n_features_
        self.cost_ = self.cost_matrix(self.classes_)
        self.max_loss = float(self.cost_.max())
        self.work = k * numbers / n_examples(X)

    def task(self, X: Any, Y: Any = None) -> MulticlassTask:
        return MulticlassTask(self, X, Y)

    def one(self, x: Any) -> Any:
        return as_row(x)

    def labelled(self, Y: Any) -> Coded:
        """Return the labels together with their codes, for the task."""
        return Coded(self.labels_.codes(Y), self.classes_)

    def class_weights(self, w: Vector) -> Vector:
        """Return the weights of every class.

        Parameters
        ----------
        w : ndarray of shape (size_joint_feature,)
            The weights of all features, or of some features.

        Returns
        -------
        ndarray of shape (k, d)
            A row for each class, in the order of ``classes_``.
        """
        return w.reshape(len(self.classes_), -1)

    # ------------------------------------------------------------------ one example

    def joint_feature(self, x: Any, y: Any) -> Any:
        if sparse.issparse(x):
            return self.in_blocks(as_row(x), self.labels_.codes([y]))
        psi = np.zeros((len(self.classes_), self.n_features_))
        psi[self.labels_.codes([y])[0]] = dense(as_row(x)).ravel()
        return self.of_classes(psi)

    def loss(self, y: Any, y_hat: Any) -> float:
        true, predicted = self.labels_.codes([y, y_hat])
        return float(self.cost_[true, predicted])

    def slack_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        return self.task_of_one(x, y).search_rescaled(w)[0]

    def outputs(self, x: Any) -> Iterable[Any]:
        return np.asarray(self.classes_)

    def tensor_inference(self) -> TensorInference:
        """Return the inference over tensors, for layers of networks.

        Returns
        -------
        TensorInference
        """
        from structsvm.problems.classification.multiclass.tensors import ClassTensors

        return ClassTensors(self)

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Return thirty points in the plane, of three classes."""
        rng = np.random.default_rng(0)
        y = np.arange(30) % 3
        return rng.normal(size=(30, 2)) + 2 * np.eye(3)[y, :2], np.array(["a", "b", "c"])[y]

    # ------------------------------------------------------------------ for the task

    def cost_matrix(self, classes: NDArray[Any]) -> Vector:
        """Return the cost matrix of these classes, shape (k, k), from the parameter ``cost``."""
        return checked_cost(self.cost, len(classes))

    def of_classes(self, sums: Vector) -> Vector:
        """Return a sum of joint features, from the sums of the rows of each class, shape (k, d)."""
        return sums.ravel()

    def block_variances(self, p: Vector) -> Vector:
        """Return the variances of the indicators of the classes, which have the probabilities p."""
        return p * (1 - p)

    def in_blocks(self, X: Any, codes: Indices) -> Any:
        """Return the joint features of sparse rows, with each row in the block of its class."""
        n, d = X.shape
        columns = X.indices + np.repeat(codes * d, np.diff(X.indptr))
        return sparse.csr_matrix((X.data, columns, X.indptr), (n, len(self.classes_) * d))


def checked_cost(cost: Any, k: int) -> Vector:
    if cost is None:
        return 1.0 - np.eye(k)
    matrix = checked_numbers("cost", cost)
    if matrix.shape != (k, k):
        raise ValueError(f"cost must be of shape ({k}, {k}), one row per class; got {matrix.shape}")
    wrong = ~np.isfinite(matrix) | (matrix < 0) | (np.eye(k, dtype=bool) & (matrix != 0))
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        raise ValueError(
            f"cost must be finite, >= 0, and 0 on the diagonal; cost[{i}, {j}] is {matrix[i, j]:g}"
        )
    if not matrix.any():
        raise ValueError("cost must be > 0 for some mistake; all its entries are 0")
    return matrix
