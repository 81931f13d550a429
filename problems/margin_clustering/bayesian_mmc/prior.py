"""The prior: features of data rows and Universum rows, from a diffusion map and a kernel."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve, eigh
from sklearn.neighbors import kneighbors_graph
from sklearn.utils.sparsefuncs import mean_variance_axis

from structsvm.data.arrays import Vector
from structsvm.features import DiffusionMap, KernelMap
from structsvm.features.kernels import Kernel, median_distance
from structsvm.problems.margin_clustering.bayesian_mmc.parameters import is_kernel
from structsvm.problems.margin_clustering.copies import distinct_rows

#: Default length scale relative to the median distance, for two clusters and for more.
WIDTHS = (0.5, 1.0)
#: Number of eigenfunctions of the prior, for two clusters and for more; at least two per cluster.
RANKS = (50, 25)
#: Least number of eigenvectors of the graph of near neighbours.
EIGENVECTORS = 20
#: Number of nearest neighbours of each row in the graph of the prior 'graph'.
NEIGHBORS = 5
#: Multiple of the identity that is added to the Laplacian, which is singular.
RIDGE = 0.01
#: Number of rows in a generated Universum.
UNIVERSUM_ROWS = 20
#: Standard deviation of generated rows near the mean, relative to that of the data.
SPREAD = 0.1


class Settings(NamedTuple):
    """The checked parameters of :class:`structsvm.problems.BayesianMMC`."""

    kernel: Any
    length_scale: float | None
    C: float
    gamma: float
    offset: float
    universum: Any
    n_clusters: int
    n_init: int
    tol: float
    max_iter: int
    verbose: bool


class SpectralCoordinates:
    """Coordinates of rows: features of the prior, and eigenvectors of a graph of near neighbours.

    Parameters
    ----------
    settings : Settings
    X : array or CSR matrix of shape (n, d)
        The rows, or a precomputed kernel matrix.
    rng : numpy.random.Generator
        Generates the Universum.

    Attributes
    ----------
    n : int
        Number of data rows.
    features : ndarray of shape (n + m, r)
        The features of the data rows, followed by the features of m Universum rows.
    walk : ndarray of shape (n, e)
        The coordinates of the rows after four steps of a random walk among near neighbours.
    eigenvectors : ndarray of shape (n, e)
        The eigenvectors of the random walk among near neighbours. The columns of ``walk`` are
        multiples of the eigenvectors.
    length_scale : float or None
        The standard deviation of a Gaussian kernel, or None for kernels that are not Gaussian.

    Raises
    ------
    ValueError
        If there are fewer different rows than clusters.
    """

    def __init__(self, settings: Settings, X: Any, rng: np.random.Generator) -> None:
        self.settings, self.n = settings, X.shape[0]
        self._map = self._fitted_map(X)
        rows, k = self._mapped(X), settings.n_clusters
        self.length_scale, kernel = settings.length_scale, None
        if self._named("rbf", "diffusion"):
            if self.length_scale is None:
                self.length_scale = WIDTHS[k > 2] * median_distance(rows)
            # exp(-d^2 / (2 length_scale^2)).
            kernel = Kernel("rbf", 0.5 / self.length_scale**2)
        elif not self._named("graph"):
            kernel = Kernel(settings.kernel)
        self.prior = Prior(kernel, rows, settings.offset, max(RANKS[k > 2], 2 * k))
        self.features = self.prior.features
        if settings.universum is not None:
            nowhere = self._mapped(universum_rows(settings.universum, X, rng))
            self.features = np.vstack([self.features, self.prior.of(nowhere)])

    def of(self, X: Any) -> Vector:
        """Return the features of new rows."""
        if self._named("graph"):
            raise ValueError(
                "kernel='graph' is defined for the training rows only, whose results are "
                "probabilities_ and labels_. Choose kernel='diffusion' to predict other rows"
            )
        return self.prior.of(self._mapped(X))

    def _named(self, *names: str) -> bool:
        return is_kernel(self.settings.kernel, *names)

    def _fitted_map(self, X: Any) -> DiffusionMap:
        """Fit a diffusion map to the distinct rows, so that copies of a row count once."""
        first, copy_of = distinct_rows(X)
        k = self.settings.n_clusters
        if len(first) < k:
            raise ValueError(
                f"n_clusters={k} needs as many different rows; X has {len(first)}: lower it"
            )
        rows = X[first]
        if self._named("precomputed"):
            # The graph uses the distances of the kernel.
            given = KernelMap("precomputed").set_output(transform="default")
            rows = given.fit_transform(rows[:, first])
        made = DiffusionMap(n_components=max(EIGENVECTORS, k)).set_output(transform="default")
        with warnings.catch_warnings():
            if not self._named("diffusion"):  # then the map serves for the starts only
                warnings.simplefilter("ignore", UserWarning)
            made.fit(rows)
        self.eigenvectors = made.eigenvectors_[copy_of]
        self.walk = self.eigenvectors * np.maximum(made.eigenvalues_, 0) ** 4
        return made

    def _mapped(self, X: Any) -> Any:
        return self._map.transform(X) if self._named("diffusion") else X


class Prior:
    """Functions f = phi w with independent standard normal weights w.

    The features phi are the leading eigenfunctions of the kernel on the training rows, each
    multiplied by the square root of its eigenvalue. The inner product of the features of two rows
    approximates the prior covariance of f at the rows. The kernel k is centred: k(x, z) - m(x) -
    m(z) + mean of m, where m(x) is the mean of k(x, .) over the training rows. Centring makes the
    values of every function f sum to 0 over the training rows, which balances the clusters, like
    ``balance=0`` in MMC. The prior variance of a function's value, averaged over the training rows,
    is 1. If ``offset`` > 0, a random constant is added to every function of the prior.

    Parameters
    ----------
    kernel : Kernel or None
        With None, the prior is 'graph', which is defined only for the training rows.
    rows : array or CSR matrix of shape (n, d)
        The training rows, or the matrix of a precomputed kernel.
    offset : float
        Variance of the constant, >= 0.
    rank : int
        Largest number of eigenfunctions.

    Attributes
    ----------
    features : ndarray of shape (n, r)
        The features phi of the training rows.
    """

    def __init__(self, kernel: Kernel | None, rows: Any, offset: float, rank: int) -> None:
        self.kernel, self.rows, self.offset = kernel, rows, offset
        raw = graph_covariance(rows) if kernel is None else kernel.training_matrix(rows)
        n = len(raw)
        self._means = raw.mean(axis=0)
        values, vectors = eigh(self._centred(raw), subset_by_index=[max(n - rank, 0), n - 1])
        kept = values > n * np.finfo(np.float64).eps * values[-1]
        values, vectors = values[kept][::-1], vectors[:, kept][:, ::-1]
        # phi is the covariance with the training rows times these loadings.
        self._loadings = vectors * np.sqrt(n / (values * values.sum()))
        self.features = self._with_constant(vectors * np.sqrt(values * n / values.sum()))

    def of(self, rows: Any) -> Vector:
        """Return the features phi of new rows, shape (m, r)."""
        assert self.kernel is not None
        raw = rows if self.kernel.is_precomputed else self.kernel.matrix(rows, self.rows)
        return self._with_constant(self._centred(raw) @ self._loadings)

    def _centred(self, raw: Vector) -> Vector:
        return np.asarray(raw - raw.mean(axis=1, keepdims=True) - self._means + self._means.mean())

    def _with_constant(self, phi: Vector) -> Vector:
        if not self.offset:
            return phi
        return np.hstack([phi, np.full((len(phi), 1), np.sqrt(self.offset))])


def graph_covariance(rows: Any) -> Vector:
    """Return (L + 0.01 I)^-1 for the normalised Laplacian L of a graph of 5 nearest neighbours.

    All copies of a row form one node of the graph.
    """
    first, copy_of = distinct_rows(rows)
    n = len(first)
    nearest = kneighbors_graph(rows[first], min(NEIGHBORS, n - 1))
    # Two rows share an edge if either is a neighbour of the other: the Laplacian is symmetric.
    graph = nearest.maximum(nearest.T)
    roots = sparse.diags_array(1 / np.sqrt(np.asarray(graph.sum(axis=1)).ravel()))
    laplacian = np.eye(n) - (roots @ graph @ roots).toarray()
    factor = cho_factor(laplacian + RIDGE * np.eye(n), lower=True)
    return np.asarray(cho_solve(factor, np.eye(n)))[np.ix_(copy_of, copy_of)]


def universum_rows(universum: Any, X: Any, rng: np.random.Generator) -> Any:
    """Return the given or generated rows of the Universum, which are sparse if X is sparse.

    'mean' draws Gaussian rows around the mean of X with a tenth of the standard deviations of X.
    'marginal' draws each feature independently from its values in X (Dai, Hu & Niu, section IV.B).
    """
    if not isinstance(universum, str):
        return universum
    n, shape = X.shape[0], (UNIVERSUM_ROWS, X.shape[1])
    if universum == "mean":
        of_sparse = sparse.issparse(X)
        mean, variance = mean_variance_axis(X, 0) if of_sparse else (X.mean(axis=0), X.var(axis=0))
        made = mean + SPREAD * np.sqrt(variance) * rng.standard_normal(shape)
    else:
        made = X[rng.integers(n, size=shape), np.broadcast_to(np.arange(shape[1]), shape)]
    return sparse.csr_matrix(made) if sparse.issparse(X) else made
