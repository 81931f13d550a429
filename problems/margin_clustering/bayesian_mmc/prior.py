"""The Gaussian process prior: the leading eigenfunctions of a kernel that is centred and scaled."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve, eigh
from sklearn.neighbors import kneighbors_graph

from structsvm.data.arrays import Vector
from structsvm.features.kernels import Kernel
from structsvm.problems.margin_clustering.copies import distinct_rows

#: Nearest neighbours of each row in the graph of the prior 'graph'.
NEIGHBORS = 5
#: Multiple of the identity added to the Laplacian, which is singular.
RIDGE = 0.01


class Prior:
    """Functions f = phi w with independent standard normal weights w.

    The phi are the leading eigenfunctions of the kernel on the training rows, times the roots of
    their eigenvalues, so that phi phi' approximates the covariance. The kernel is centred:
    k(x, z) - m(x) - m(z) + mean of m, with m(x) the mean of k(x, .) over the training rows. The
    values of any f then sum to 0 over the training rows, so that clusters are balanced, as by
    ``balance=0`` in the other clusterers. f has a mean variance of 1 on the training rows, and
    ``offset`` adds a constant to it.

    Parameters
    ----------
    kernel : Kernel or None
        None for the prior 'graph', which is defined for the training rows only.
    rows : array or CSR matrix of shape (n, d)
        The training rows, or the matrix of a precomputed kernel.
    offset : float
        Variance of the constant, >= 0.
    rank : int
        Number of eigenfunctions, at most.

    Attributes
    ----------
    features : ndarray of shape (n, r)
        The phi of the training rows.
    """

    def __init__(self, kernel: Kernel | None, rows: Any, offset: float, rank: int) -> None:
        self.kernel, self.rows, self.offset = kernel, rows, offset
        raw = graph_covariance(rows) if kernel is None else kernel.training_matrix(rows)
        n = len(raw)
        self._means = raw.mean(axis=0)
        values, vectors = eigh(self._centred(raw), subset_by_index=[max(n - rank, 0), n - 1])
        kept = values > n * np.finfo(np.float64).eps * values[-1]
        values, vectors = values[kept][::-1], vectors[:, kept][:, ::-1]
        # phi is the covariance with the training rows times these.
        self._loadings = vectors * np.sqrt(n / (values * values.sum()))
        self.features = self._with_constant(vectors * np.sqrt(values * n / values.sum()))

    def of(self, rows: Any) -> Vector:
        """The phi of other rows, shape (m, r)."""
        assert self.kernel is not None
        raw = rows if self.kernel.is_precomputed else self.kernel.matrix(rows, self.rows)
        return self._with_constant(self._centred(raw) @ self._loadings)

    def _centred(self, raw: Vector) -> Vector:
        return raw - raw.mean(axis=1, keepdims=True) - self._means + self._means.mean()

    def _with_constant(self, phi: Vector) -> Vector:
        if not self.offset:
            return phi
        return np.hstack([phi, np.full((len(phi), 1), np.sqrt(self.offset))])


def graph_covariance(rows: Any) -> Vector:
    """(L + 0.01 I)^-1 for the normalised Laplacian L of a graph of 5 nearest neighbours.

    Copies of a row count once there, and have the same f.
    """
    first, copy_of = distinct_rows(rows)
    n = len(first)
    nearest = kneighbors_graph(rows[first], min(NEIGHBORS, n - 1))
    # An edge where either row is a neighbour of the other, so that the Laplacian is symmetric.
    graph = nearest.maximum(nearest.T)
    roots = sparse.diags_array(1 / np.sqrt(np.asarray(graph.sum(axis=1)).ravel()))
    laplacian = np.eye(n) - (roots @ graph @ roots).toarray()
    factor = cho_factor(laplacian + RIDGE * np.eye(n), lower=True)
    return np.asarray(cho_solve(factor, np.eye(n)))[np.ix_(copy_of, copy_of)]
