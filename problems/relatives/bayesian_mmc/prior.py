"""The Gaussian process prior: a kernel, centred on the training rows and scaled."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from sklearn.neighbors import kneighbors_graph

from structsvm.features.kernels import Kernel
from structsvm.problem import Vector

#: Nearest neighbours of each row in the graph of the prior 'graph'.
NEIGHBORS = 5
#: Multiple of the identity added to the Laplacian, which is singular.
RIDGE = 0.01


class Prior:
    """The covariance of f: k centred on the training rows, scaled to a mean variance of 1 there.

    The centred covariance is k(x, z) - m(x) - m(z) + mean of m, with m(x) the mean of k(x, .) over
    the training rows. The values of any function drawn from it sum to 0 over the training rows, so
    that clusters are balanced, as by ``balance=0`` in the other clusterers. ``offset`` is the
    variance of a constant that is added to f.

    Parameters
    ----------
    kernel : Kernel or None
        None for the prior 'graph', which is defined for the training rows only.
    rows : array or CSR matrix of shape (n, d)
        The training rows, or the matrix of a precomputed kernel.
    offset : float
        Variance of the constant, >= 0.

    Attributes
    ----------
    K : ndarray of shape (n, n)
        The covariance of the training rows.
    """

    def __init__(self, kernel: Kernel | None, rows: Any, offset: float) -> None:
        self.kernel, self.rows, self.offset = kernel, rows, offset
        raw = graph_covariance(rows) if kernel is None else kernel.training_matrix(rows)
        self._means = raw.mean(axis=0)
        # The mean variance: that of k(x, x) - 2 m(x) + mean of m.
        self._scale = float(np.mean(raw.diagonal()) - self._means.mean())
        self.K = self._centred(raw, self._means, self._means)

    def cross(self, X: Any) -> Vector:
        """The covariance of other rows with the training rows, shape (m, n)."""
        raw = self._raw_cross(X)
        return self._centred(raw, raw.mean(axis=1), self._means)

    def between(self, X: Any, Y: Any) -> Vector:
        """The covariance between two sets of other rows; unavailable for a precomputed kernel."""
        assert self.kernel is not None
        means = (self._raw_cross(rows).mean(axis=1) for rows in (X, Y))
        return self._centred(self.kernel.matrix(X, Y), *means)

    def _centred(self, raw: Vector, means: Vector, other_means: Vector) -> Vector:
        centred = raw - means[:, None] - other_means + self._means.mean()
        return centred / self._scale + self.offset

    def variances(self, X: Any) -> Vector:
        """The variances at other rows; a precomputed kernel lacks them, and its mean is used."""
        raw = self._raw_cross(X)
        own = self._raw_variances(X)
        return (own - 2 * raw.mean(axis=1) + self._means.mean()) / self._scale + self.offset

    def _raw_variances(self, X: Any) -> Any:
        assert self.kernel is not None
        if self.kernel.is_precomputed:
            return float(np.mean(np.diagonal(self.rows)))
        return self.kernel.diagonal(X)

    def _raw_cross(self, X: Any) -> Vector:
        assert self.kernel is not None
        return X if self.kernel.is_precomputed else self.kernel.matrix(X, self.rows)


def graph_covariance(rows: Any) -> Vector:
    """(L + 0.01 I)^-1 for the normalised Laplacian L of a graph of 5 nearest neighbours."""
    n = rows.shape[0]
    nearest = kneighbors_graph(rows, min(NEIGHBORS, n - 1))
    # An edge where either row is a neighbour of the other, so that the Laplacian is symmetric.
    graph = nearest.maximum(nearest.T)
    roots = sparse.diags_array(1 / np.sqrt(np.asarray(graph.sum(axis=1)).ravel()))
    laplacian = np.eye(n) - (roots @ graph @ roots).toarray()
    factor = cho_factor(laplacian + RIDGE * np.eye(n), lower=True)
    return np.asarray(cho_solve(factor, np.eye(n)))
