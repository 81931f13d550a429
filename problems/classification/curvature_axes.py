"""Principal axes for the weights of features, computed from second moments of the features."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, sparse

from structsvm.contract.soft_oracle import Axes
from structsvm.data.arrays import Vector
from structsvm.data.matrices import product_dtype

#: Largest number of axes with separate curvatures.
RANK = 32
#: A matrix counts as sparse if less than this fraction of its entries is stored.
SPARSE = 0.2
#: Smaller moments, relative to the largest, may be rounding errors.
SMALLEST = 1e-5


def feature_axes(X: Any, k: int) -> FeatureAxes | None:
    """Return the principal axes of the columns of X, or None if X is sparse."""
    if not sparse.issparse(X):
        return FeatureAxes(X, k)
    return FeatureAxes(X.toarray(), k) if X.nnz > SPARSE * X.shape[0] * X.shape[1] else None


class FeatureAxes(Axes):
    """The principal axes of d features, for the weights of k labels.

    If the score of a label y is <w_y, x>, the Hessian of the soft slacks has one d x d block for
    each pair of labels. A block holds second moments of the features, weighted by the probabilities
    of the labels. This class approximates the Hessian: it neglects the blocks off the diagonal, and
    uses the principal axes of X for every block. At most 32 axes of a label have a curvature of
    their own; all other directions share one curvature.

    Attributes
    ----------
    k : int
        Number of labels.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Some rows.
    k : int
        Number of labels. A vector holds a flattened (k, d) matrix of weights.
    """

    def __init__(self, X: Any, k: int) -> None:
        X = np.asarray(X, dtype=product_dtype(X))
        axes = _principal_axes(X[::2])
        # Moments come from other rows: the rows that chose the axes have larger moments along them.
        others = X[1::2] if len(X) > 1 else X
        moments: Vector = np.sum(np.square(others @ axes), axis=0, dtype=np.float64)
        total = float(np.sum(np.square(others), dtype=np.float64))
        rest = max(total - moments.sum(), 0.0) / max(1, X.shape[1] - len(moments))
        self._axes, self.k = axes.astype(np.float64), k
        self._fractions = np.append(moments, rest) / (total or 1.0)

    def along(self, curvature: Vector) -> Vector:
        of_labels = curvature.reshape(self.k, -1).sum(axis=1)
        return np.outer(of_labels, self._fractions).ravel()

    def times(self, factors: Any, w: Any) -> Any:
        W, s = w.reshape(*w.shape[:-1], self.k, -1), factors.reshape(self.k, -1)
        rest = s[:, -1:]
        # In double precision: in single precision, large columns would spoil the other columns.
        stretched = (W @ self._axes * (s[:, :-1] - rest)) @ self._axes.T + rest * W
        return stretched.reshape(w.shape).astype(w.dtype, copy=False)


class AxesBefore(Axes):
    """Principal axes for the weights of features; every other weight has an axis of its own.

    Parameters
    ----------
    features : FeatureAxes
        The principal axes of the weights of features.
    first : int
        Number of weights of features.
    """

    def __init__(self, features: FeatureAxes, first: int) -> None:
        self._features, self._first = features, first

    def along(self, curvature: Vector) -> Vector:
        labels, others = np.split(curvature, [self._first])
        return np.append(self._features.along(labels), others)

    def times(self, factors: Any, w: Any) -> Any:
        labels, others = w[..., : self._first], w[..., self._first :]
        m = len(factors) - others.shape[-1]
        stretched = self._features.times(factors[:m], labels)
        return np.concatenate([stretched, factors[m:] * others], axis=-1)


def _principal_axes(X: Any) -> Any:
    """Return the leading eigenvectors of X' X, as columns."""
    n, d = X.shape
    products = X.T @ X if d <= n else X @ X.T
    most = len(products)
    moments, vectors = linalg.eigh(products, subset_by_index=(max(most - RANK, 0), most - 1))
    moments, vectors = moments[::-1], vectors[:, ::-1]
    if d <= n:
        return vectors
    some = moments > SMALLEST * moments[0]
    return X.T @ (vectors[:, some] / np.sqrt(moments[some]))
