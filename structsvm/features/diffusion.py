"""Diffusion coordinates, from a random walk among nearest neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.extmath import row_norms
from sklearn.utils.sparsefuncs import mean_variance_axis
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from structsvm.data.arrays import Indices, Self, Vector
from structsvm.data.validation import require_integer
from structsvm.exceptions import warn_user
from structsvm.features.row_map import RowMap

#: Default number of nearest neighbours; each training row counts as its own neighbour.
NEIGHBORS = 11
#: Steps of the random walk.
STEPS = 2
#: Norm of the diffusion coordinates, relative to the norm of the rows.
WALK_WEIGHT = 2.2
#: Distance, as a fraction of the mean, below which two rows count as copies.
COPIES_RTOL = 1e-6
#: Rows up to which all eigenvectors are computed: ARPACK needs more rows than it finds vectors.
DENSE_ROWS = 200
#: Eigenvectors that ARPACK looks for, at least.
ARPACK_LEAST = 20


class CopiesError(ValueError):
    """Every row is the same as its nearest neighbours, so the graph has no scale."""


class DiffusionMap(RowMap):
    """Diffusion coordinates of a random walk among nearest neighbours, next to the rows themselves.

    Rows that many short steps connect get close coordinates, so curved or stretched clusters become
    round. The rows themselves, with less weight, keep the position of clusters that few steps
    connect.

    A row i steps to one of its nearest training rows j (itself included, if it is one of them),
    with a probability P_ij proportional to exp(-d_ij^2 / (s_i s_j)); s_i is the distance from i to
    the last of them. The mean of these weights and their transpose defines a graph on the training
    rows. Its random walk has eigenvalues lambda and eigenvectors psi, the constant one left out.
    The diffusion coordinates of a row, from training or new, are lambda P psi: the Nystroem
    extension of lambda^2 psi, the coordinates after two steps.

    The result is x next to 2.2 lambda P psi, after each of the two is divided by the root mean
    squared norm of its centred training rows. Sparse rows give sparse coordinates.

    Parameters
    ----------
    n_components : int, default=20
        Number of eigenvectors, at most n - 1, and so of coordinates besides the rows themselves.
    n_neighbors : int, default=11
        Number of nearest neighbours, at least 2; every training row counts as its own neighbour.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
    eigenvectors_ : ndarray of shape (n, n_components)
        The psi, of mean square 1 under the stationary distribution.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        The columns of X, where it is a DataFrame.

    Notes
    -----
    Distances are Euclidean; for rows of unit norm, such as texts, they rank rows as cosines do.
    The search for neighbours is exact, in time n^2 n_features with more than some 15 features, and
    ``transform`` needs the training rows again, so they are kept.

    With fewer rows than ``n_neighbors`` each is a neighbour of all. Where a row and all its
    neighbours are copies, s_i is the mean distance to neighbours instead of 0. If the graph has
    several components, each but one adds an eigenvalue of 1, whose eigenvectors separate the
    components. ``fit`` warns of more components than eigenvectors.

    References
    ----------
    Zelnik-Manor & Perona, Self-Tuning Spectral Clustering, NIPS 2004; Coifman & Lafon, Diffusion
    Maps, Applied and Computational Harmonic Analysis 21, 2006; Williams & Seeger, Using the
    Nystroem Method to Speed Up Kernel Machines, NIPS 2000.
    """

    def __init__(self, n_components: int = 20, n_neighbors: int = NEIGHBORS) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the neighbours and the eigenvectors; see :meth:`fit_transform`."""
        self._fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Coordinates of the training rows, shape (n, n_features + n_components).

        Raises
        ------
        ValueError
            All rows are the same, or each is the same as its ``n_neighbors - 1`` nearest.
        """
        return self._joined(*self._fit(X))

    def transform(self, X: Any) -> Any:
        """Coordinates of shape (n, n_features + n_components), sparse if X is."""
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        to_dense = sparse.issparse(X) and not sparse.issparse(self._rows)
        neighbors = self._neighbors(
            X.toarray() if to_dense else X
        )  # an index may refuse sparse rows
        return self._joined(X, self._walk(self._weights(*neighbors)))

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Names of the coordinates: the columns of X, then diffusionmap0 and so on.

        Parameters
        ----------
        input_features : array-like of str of shape (n_features,), optional
            The columns of X; default: ``feature_names_in_``, or x0, x1 and so on.

        Returns
        -------
        ndarray of str, dtype object
        """
        check_is_fitted(self)
        columns = _check_feature_names_in(self, input_features)
        walks = [f"diffusionmap{i}" for i in range(len(self.eigenvalues_))]
        return np.concatenate([columns, np.array(walks, dtype=object)])

    def _fit(self, X: Any) -> tuple[Any, Vector]:
        """The training rows, checked, and their diffusion coordinates."""
        require_integer("n_components", self.n_components, 1)
        require_integer("n_neighbors", self.n_neighbors, 2)
        X = self._validated(X, reset=True)
        steps = self._walk(self._fit_graph(X))
        self._row_scale, self._walk_scale = _spread(X), _spread(steps) / WALK_WEIGHT
        return X, steps

    def _fit_graph(self, X: Any) -> sparse.csr_matrix:
        """The weights of the training rows among themselves."""
        self._rows = X
        distances, neighbors = self._neighbors(X)
        self._typical = float(distances.mean())
        # Distances may come from squared norms: between copies they are then rounding, not 0.
        if self._typical <= np.sqrt(np.finfo(np.float64).eps) * row_norms(X).max():
            raise CopiesError(
                "'diffusion' needs neighbours that differ, but every row is the same as its "
                f"{distances.shape[1] - 1} nearest. Remove copies of rows"
            )
        self._scales = self._scale(distances)
        weights = self._weights(distances, neighbors)
        found = _eigenvectors((weights + weights.T) / 2, self.n_components)
        self.eigenvalues_, self.eigenvectors_ = found
        return weights

    def _neighbors(self, queries: Any) -> tuple[Vector, Indices]:
        """Distances and places of the nearest training rows; no model holds the index."""
        number = min(self.n_neighbors, self._rows.shape[0])
        found = NearestNeighbors(n_neighbors=number).fit(self._rows).kneighbors(queries)
        return found[0], found[1]

    def _walk(self, weights: sparse.csr_matrix) -> Vector:
        """Return the diffusion coordinates, lambda P psi, from the weights of the steps."""
        steps = weights @ self.eigenvectors_ / np.asarray(weights.sum(axis=1)).reshape(-1, 1)
        # P makes one of the steps. Negative eigenvalues, which alternate, are left out.
        return np.asarray(steps * np.maximum(self.eigenvalues_, 0) ** (STEPS - 1))

    def _joined(self, X: Any, steps: Vector) -> Any:
        """Return rows and diffusion coordinates, both scaled, side by side."""
        rows = X * X.dtype.type(1 / self._row_scale)
        walks = (steps / self._walk_scale).astype(X.dtype)
        if sparse.issparse(X):
            return sparse.hstack([rows, walks], "csr")
        return np.hstack([rows, walks])

    def _scale(self, distances: Vector) -> Vector:
        """Return s, the distance of each row to its last neighbour, or the mean among copies."""
        last = distances[:, -1]
        return np.where(last > COPIES_RTOL * self._typical, last, self._typical)

    def _weights(self, distances: Vector, neighbors: Indices) -> sparse.csr_matrix:
        """Return the weights of steps to the neighbours, one row for each row of distances."""
        n, k = distances.shape
        scales = self._scale(distances)[:, None] * self._scales[neighbors]
        exponents = np.square(distances) / scales
        # Weights are relative: otherwise the weights of a row far from all others would underflow.
        # A training row is its own neighbour, so its least exponent is 0 already.
        exponents -= exponents.min(axis=1, keepdims=True)
        weights = np.exp(-exponents)
        starts = np.arange(0, n * k + 1, k)
        shape = (n, len(self._scales))
        return sparse.csr_matrix((weights.ravel(), neighbors.ravel(), starts), shape)


def _spread(X: Any) -> float:
    """Return the root mean squared distance of the rows to their mean."""
    variances = mean_variance_axis(X, axis=0)[1] if sparse.issparse(X) else X.var(axis=0)
    return float(np.sqrt(variances.sum(dtype=np.float64)))


def _eigenvectors(graph: sparse.csr_matrix, m: int) -> tuple[Vector, Vector]:
    """The m largest eigenvalues of the random walk on a graph, and their eigenvectors.

    The constant eigenvector is left out. The walk D^-1 W has the eigenvalues of the symmetric
    S = D^-1/2 W D^-1/2, whose eigenvector sqrt(d) corresponds to the constant eigenvector. If the
    graph has several components, the vector that is sqrt(d) on one component and 0 elsewhere has
    the eigenvalue 1 too. These eigenvectors are known, and an iterative method may miss some of
    equal eigenvalues, so their eigenvalues are moved from 1 to -1 before the others are computed.
    """
    roots = np.sqrt(np.asarray(graph.sum(axis=1), dtype=np.float64).ravel())
    components = _components(graph, roots)
    if (count := components.shape[1]) > m + 1:
        warn_user(
            f"the graph of nearest neighbours falls into {count} components, more than "
            f"n_components={m} eigenvectors can separate; raise n_components, or remove copies of "
            "rows"
        )
    m = min(m, len(roots) - 1)
    # At most m orthonormal vectors, orthogonal to sqrt(d), that separate the largest components.
    others = np.column_stack([components.T @ roots, np.eye(count, min(count - 1, m))])
    vectors = components @ np.linalg.qr(others)[0][:, 1:]
    values = np.ones(vectors.shape[1])
    if len(values) < m:
        S = sparse.diags_array(1 / roots) @ graph @ sparse.diags_array(1 / roots)
        further, others = _leading(S, components, m - len(values))
        values, vectors = np.append(values, further), np.hstack([vectors, others])
    largest = np.abs(vectors).argmax(axis=0)  # made positive: the signs are arbitrary
    vectors = vectors * np.sign(vectors[largest, np.arange(m)])
    # From S to the walk: psi = D^-1/2 v, scaled to mean square 1 under the distribution d / sum(d).
    return values, vectors * (np.linalg.norm(roots) / roots)[:, None]


def _components(graph: sparse.csr_matrix, roots: Vector) -> sparse.csr_array:
    """Unit vectors of shape (n, components), each sqrt(d) on its component, the largest first."""
    labels = connected_components(graph, directed=False)[1]
    ranks = np.argsort(np.argsort(-np.bincount(labels), kind="stable"))
    masses = np.bincount(labels, weights=np.square(roots))
    places = np.arange(len(roots)), ranks[labels]
    return sparse.csr_array((roots / np.sqrt(masses[labels]), places))


def _leading(S: Any, components: sparse.csr_array, m: int) -> tuple[Vector, Vector]:
    """The m largest eigenvalues of S without those of the components, in decreasing order."""
    n = S.shape[0]
    if n <= DENSE_ROWS or m >= n // 2:
        dense = S.toarray() - 2 * (components @ components.T).toarray()
        values, vectors = eigh(dense)  # of a subset of equal eigenvalues LAPACK may find none
    else:
        deflated = LinearOperator(
            (n, n), matvec=lambda v: S @ v - 2 * (components @ (components.T @ v)), dtype=np.float64
        )
        start = np.random.default_rng(0).uniform(-1, 1, n)  # fixed, for equal results every time
        # With few wanted of many eigenvalues near 1, ARPACK converges slowly.
        more = max(m, ARPACK_LEAST)
        values, vectors = eigsh(deflated, more, which="LA", v0=start, ncv=min(n, 4 * more))
    return values[::-1][:m], vectors[:, ::-1][:, :m]
