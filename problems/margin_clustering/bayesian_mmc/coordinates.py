"""The features of rows in the prior, by a diffusion map and a kernel, and of a Universum."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.features import DiffusionMap, KernelMap
from structsvm.features.kernels import Kernel, median_distance
from structsvm.problems.margin_clustering.bayesian_mmc.prior import Prior
from structsvm.problems.margin_clustering.bayesian_mmc.universum import from_marginals, near_mean
from structsvm.problems.margin_clustering.copies import distinct_rows

#: The default length scale, relative to the median distance: of two clusters, and of more.
WIDTHS = (0.5, 1.0)
#: Eigenfunctions of the prior, of two clusters, and of more: at least two for each cluster.
RANKS = (50, 25)
#: Eigenvectors of the graph of near neighbours, at least.
EIGENVECTORS = 20


class Settings(NamedTuple):
    """The parameters of :class:`structsvm.problems.BayesianMMC`, checked."""

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
    """The features of the prior, and the eigenvectors of a graph of near neighbours.

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
    features : ndarray of shape (n + m, r)
        Of the data rows, then of m Universum rows.
    walk : ndarray of shape (n, e)
        The coordinates of the rows after four steps of a random walk among near neighbours.
    eigenvectors : ndarray of shape (n, e)
        The same without the lengths.
    length_scale : float or None

    Raises
    ------
    ValueError
        There are fewer different rows than clusters.
    """

    def __init__(self, settings: Settings, X: Any, rng: np.random.Generator) -> None:
        self.settings, self.n = settings, X.shape[0]
        self._map = self._fitted_map(X)
        rows = self._mapped(X)
        self.length_scale = self._chosen_length_scale(rows)
        k = settings.n_clusters
        rank = max(RANKS[k > 2], 2 * k)
        self.prior = Prior(self._kernel(), rows, settings.offset, rank)
        self.features = self.prior.features
        universum = self._universum_rows(X, rng)
        if universum is not None:
            self.features = np.vstack([self.features, self.prior.of(self._mapped(universum))])

    def of(self, X: Any) -> Vector:
        """The features of other rows."""
        if self._named("graph"):
            raise ValueError(
                "kernel='graph' is defined for the training rows only, whose results are "
                "probabilities_ and labels_. Choose kernel='diffusion' to predict other rows"
            )
        return self.prior.of(self._mapped(X))

    def _named(self, *names: str) -> bool:
        return isinstance(self.settings.kernel, str) and self.settings.kernel in names

    def _fitted_map(self, X: Any) -> DiffusionMap:
        """The random walk among the rows that differ; copies of a row count once."""
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

    def _chosen_length_scale(self, rows: Any) -> float | None:
        if not self._named("rbf", "diffusion"):
            return None
        given = self.settings.length_scale
        if given is not None:
            return given
        return WIDTHS[self.settings.n_clusters > 2] * median_distance(rows)

    def _kernel(self) -> Kernel | None:
        if self._named("graph"):
            return None
        if self.length_scale is None:
            return Kernel(self.settings.kernel)
        # exp(-d^2 / (2 length_scale^2)).
        return Kernel("rbf", 0.5 / self.length_scale**2)

    def _universum_rows(self, X: Any, rng: np.random.Generator) -> Any:
        universum = self.settings.universum
        if isinstance(universum, str):
            return (near_mean if universum == "mean" else from_marginals)(X, rng)
        return universum
