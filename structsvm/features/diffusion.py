"""Diffusion coordinates from a random walk among nearest neighbours."""

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
from structsvm.data.containers import dense
from structsvm.data.matrices import side_by_side
from structsvm.data.validation import require_integer
from structsvm.exceptions import warn_user
from structsvm.features.row_map import RowMap

#: Default number of nearest neighbours. Each training row counts as a neighbour of itself.
NEIGHBORS = 11
#: Number of steps of the random walk.
STEPS = 2
#: Norm of the diffusion coordinates, relative to the norm of the rows.
WALK_WEIGHT = 2.2
#: Two rows count as copies if their distance is below this fraction of the mean distance.
COPIES_RTOL = 1e-6
#: Largest number of rows for which all eigenvectors are computed. ARPACK needs more rows than it
#: finds vectors.
DENSE_ROWS = 200
#: Smallest number of eigenvectors that ARPACK looks for.
ARPACK_LEAST = 20


class CopiesError(ValueError):
    """The exception for training data where every row equals all its nearest neighbours.

    No scale exists if every row equals all its nearest neighbours.
    """


class DiffusionMap(RowMap):
    """The original columns, and diffusion coordinates of a random walk among nearest neighbours.

    Rows that are connected by chains of short steps get similar coordinates. Curved or stretched
    clusters become round in diffusion coordinates. The original columns are kept, with a smaller
    weight than the diffusion coordinates. The original columns preserve the relative positions of
    clusters that are almost unconnected.

    From row i, the walk steps to a random row j among the training rows nearest to i. If row i is a
    training row, the walk may stay at row i. A step from row i to row j at the distance d has the
    weight exp(-d^2 / (s_i s_j)), where s_i is the distance from row i to the farthest of its
    nearest training rows. The probability of a step is proportional to its weight. In a graph of
    the training rows, the edge between rows i and j has the mean of two weights: the weight of the
    step from i to j, and the weight of the step from j to i. The random walk on the graph has
    eigenvalues and eigenvectors. Each eigenvector of the random walk, except the constant one,
    gives every row a diffusion coordinate. To compute the diffusion coordinate of a row, the
    eigenvector's entries for the row's neighbours are averaged, weighted by the probabilities of
    the steps, and multiplied by the eigenvalue. The Nystroem method extends the eigenvectors,
    multiplied by their squared eigenvalues, to new rows.

    The result has the original columns first, and then the diffusion coordinates. The original
    columns are scaled to a root mean squared distance of 1 between the training rows and their
    mean. The diffusion coordinates are scaled to a root mean squared distance of 2.2 between the
    training rows and their mean. Sparse rows give sparse coordinates.

    Parameters
    ----------
    n_components : int, default=20
        Number of eigenvectors, which are additional coordinates; at most n - 1.
    n_neighbors : int, default=11
        Number of nearest neighbours, >= 2. Every training row counts as a neighbour of itself.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        The eigenvalues of the random walk.
    eigenvectors_ : ndarray of shape (n, n_components)
        The eigenvectors of the random walk, with mean square 1 under the stationary distribution.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        The names of the columns of X, if X is a DataFrame.

    Notes
    -----
    Distances are Euclidean. For rows of unit norm, such as texts, Euclidean distances rank rows as
    cosines do. The search for neighbours is exact. With more than about 15 features, the time to
    find the nearest neighbours is proportional to n^2 n_features. The training rows are stored,
    because ``transform`` needs them.

    With at most ``n_neighbors`` rows, every row is a neighbour of all rows. If a row equals all its
    neighbours, the distance 0 to its farthest neighbour is replaced by the mean distance between
    neighbours. If the graph has several components, each component after the first adds an
    eigenvalue of 1. The eigenvectors with the eigenvalue 1 separate the components of the graph.
    ``fit`` warns if there are more components than eigenvectors.

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
        """Find the neighbours and the eigenvectors, as :meth:`fit_transform` does."""
        self._fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Return coordinates of the training rows, shape (n, n_features + n_components).

        Raises
        ------
        ValueError
            If all rows are equal, or if each row equals its ``n_neighbors - 1`` nearest rows.
        """
        return self._joined(*self._fit(X))

    def transform(self, X: Any) -> Any:
        """Return coordinates of shape (n, n_features + n_components).

        The coordinates are sparse if X is sparse.
        """
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        # Some indexes refuse sparse rows.
        neighbors = self._neighbors(X if sparse.issparse(self._rows) else dense(X))
        return self._joined(X, self._walk(self._weights(*neighbors)))

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the coordinates: the columns of X, and then diffusionmap0 and so on.

        Parameters
        ----------
        input_features : array-like of str of shape (n_features,), optional
            The columns of X. Default: ``feature_names_in_``, or x0, x1, ...

        Returns
        -------
        ndarray of str, dtype object
        """
        check_is_fitted(self)
        columns = _check_feature_names_in(self, input_features)
        walks = [f"diffusionmap{i}" for i in range(len(self.eigenvalues_))]
        return np.concatenate([columns, np.array(walks, dtype=object)])

    def _fit(self, X: Any) -> tuple[Any, Vector]:
        """Return the checked training rows and their diffusion coordinates."""
        require_integer("n_components", self.n_components, 1)
        require_integer("n_neighbors", self.n_neighbors, 2)
        X = self._validated(X, reset=True)
        steps = self._walk(self._fit_graph(X))
        self._row_scale, self._walk_scale = _spread(X), _spread(steps) / WALK_WEIGHT
        return X, steps

    def _fit_graph(self, X: Any) -> sparse.csr_matrix:
        """Fit the graph, and return the weights of the steps between training rows."""
        self._rows = X
        distances, neighbors = self._neighbors(X)
        self._typical = float(distances.mean())
        # Distances may be computed from squared norms, and are then not exactly 0 between copies.
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
        """Return distances and indices of the nearest training rows.

        No search index is stored.
        """
        number = min(self.n_neighbors, self._rows.shape[0])
        found = NearestNeighbors(n_neighbors=number).fit(self._rows).kneighbors(queries)
        return found[0], found[1]

    def _walk(self, weights: sparse.csr_matrix) -> Vector:
        """Return the diffusion coordinates of rows, given the weights of steps to training rows."""
        steps = weights @ self.eigenvectors_ / np.asarray(weights.sum(axis=1)).reshape(-1, 1)
        # P makes one of the steps. Negative eigenvalues, whose powers alternate, are left out.
        return np.asarray(steps * np.maximum(self.eigenvalues_, 0) ** (STEPS - 1))

    def _joined(self, X: Any, steps: Vector) -> Any:
        """Return scaled rows and scaled diffusion coordinates, side by side."""
        rows = X * X.dtype.type(1 / self._row_scale)
        return side_by_side([rows, (steps / self._walk_scale).astype(X.dtype)])

    def _scale(self, distances: Vector) -> Vector:
        """Return the distance of each row from its farthest neighbour.

        If all neighbours of a row equal the row, return the mean distance instead of 0.
        """
        last = distances[:, -1]
        return np.where(last > COPIES_RTOL * self._typical, last, self._typical)

    def _weights(self, distances: Vector, neighbors: Indices) -> sparse.csr_matrix:
        """Return the weights of the steps to neighbours, with one matrix row per row of X."""
        n, k = distances.shape
        scales = self._scale(distances)[:, None] * self._scales[neighbors]
        exponents = np.square(distances) / scales
        # Only relative weights matter, and the weights of a row far from all others would
        # underflow. A training row is a neighbour of itself, so its least exponent is already 0.
        exponents -= exponents.min(axis=1, keepdims=True)
        weights = np.exp(-exponents)
        starts = np.arange(0, n * k + 1, k)
        shape = (n, len(self._scales))
        return sparse.csr_matrix((weights.ravel(), neighbors.ravel(), starts), shape)


def _spread(X: Any) -> float:
    """Return the root mean squared distance of the rows from their mean."""
    variances = mean_variance_axis(X, axis=0)[1] if sparse.issparse(X) else X.var(axis=0)
    return float(np.sqrt(variances.sum(dtype=np.float64)))


def _eigenvectors(graph: sparse.csr_matrix, m: int) -> tuple[Vector, Vector]:
    """Return the m largest eigenvalues of the random walk on a graph, with their eigenvectors.

    The constant eigenvector is not returned. Let W be the matrix of the graph's weights, d the row
    sums of W, and D the diagonal matrix of d. The walk D^-1 W has the same eigenvalues as the
    symmetric matrix S = D^-1/2 W D^-1/2. Each component of the graph has an eigenvector with the
    eigenvalue 1, which is nonzero only on the component. The eigenvectors with the eigenvalue 1 are
    computed directly, because an iterative method may miss some of several equal eigenvalues.
    Before eigenvectors with eigenvalues below 1 are computed, all eigenvalues of 1 in S are changed
    to -1.
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
    # At most m orthonormal vectors that are orthogonal to sqrt(d) and separate the largest
    # components.
    others = np.column_stack([components.T @ roots, np.eye(count, min(count - 1, m))])
    vectors = components @ np.linalg.qr(others)[0][:, 1:]
    values = np.ones(vectors.shape[1])
    if len(values) < m:
        S = sparse.diags_array(1 / roots) @ graph @ sparse.diags_array(1 / roots)
        further, others = _leading(S, components, m - len(values))
        values, vectors = np.append(values, further), np.hstack([vectors, others])
    largest = np.abs(vectors).argmax(axis=0)  # signs are arbitrary: make these entries positive
    vectors = vectors * np.sign(vectors[largest, np.arange(m)])
    # From S to the walk: psi = D^-1/2 v, scaled to mean square 1 under the distribution d / sum(d).
    return values, vectors * (np.linalg.norm(roots) / roots)[:, None]


def _components(graph: sparse.csr_matrix, roots: Vector) -> sparse.csr_array:
    """Return a unit eigenvector for each component of the graph, largest components first."""
    labels = connected_components(graph, directed=False)[1]
    ranks = np.argsort(np.argsort(-np.bincount(labels), kind="stable"))
    masses = np.bincount(labels, weights=np.square(roots))
    places = np.arange(len(roots)), ranks[labels]
    return sparse.csr_array((roots / np.sqrt(masses[labels]), places))


def _leading(S: Any, components: sparse.csr_array, m: int) -> tuple[Vector, Vector]:
    """Return the m largest eigenpairs of a matrix S, except the eigenvectors in ``components``."""
    n = S.shape[0]
    if n <= DENSE_ROWS or m >= n // 2:
        dense = S.toarray() - 2 * (components @ components.T).toarray()
        values, vectors = eigh(dense)  # all: LAPACK may miss a subset of equal eigenvalues
    else:
        deflated = LinearOperator(
            (n, n), matvec=lambda v: S @ v - 2 * (components @ (components.T @ v)), dtype=np.float64
        )
        start = np.random.default_rng(0).uniform(-1, 1, n)  # fixed, for reproducible results
        # ARPACK converges slowly if it computes only a few of many eigenvalues near 1.
        more = max(m, ARPACK_LEAST)
        values, vectors = eigsh(deflated, more, which="LA", v0=start, ncv=min(n, 4 * more))
    return values[::-1][:m], vectors[:, ::-1][:, :m]
