"""One division of rows into two clusters: features, prior, Universum, starts and mode."""

from __future__ import annotations

import logging
import math
import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.exceptions import ConvergenceWarning
from tqdm.auto import tqdm

from structsvm.features import DiffusionMap, KernelMap
from structsvm.features.kernels import Kernel, median_distance
from structsvm.problem import Vector
from structsvm.problems.margin_clustering.ranking import ranked
from structsvm.problems.relatives.bayesian_mmc.likelihood import (
    Model,
    label_model,
    prior_model,
    probability_of_plus,
)
from structsvm.problems.relatives.bayesian_mmc.posterior import EPSILONS, Posterior, posterior_mode
from structsvm.problems.relatives.bayesian_mmc.prior import Prior
from structsvm.problems.relatives.bayesian_mmc.starts import starts
from structsvm.problems.relatives.bayesian_mmc.universum import from_marginals, near_mean

logger = logging.getLogger(__name__)

#: The default length scale, relative to the median distance.
WIDTH = 0.5
#: The range in which the evidence chooses the length scale, relative to the median distance.
WIDTHS = (0.1, 3.0)
#: Accuracy of the logarithm of the length scale that the evidence chooses.
WIDTH_TOLERANCE = 0.05
#: Distance of that logarithm from an end of the range below which there is no maximum inside.
EDGE = 0.1
#: Fraction of the rows below which a cluster counts as collapsed.
SMALLEST = 0.05
#: Largest change of f in a step at which the first run of each start stops.
COARSE = 0.1
#: Starts that are then continued to the tolerance.
FINALISTS = 2


class Settings(NamedTuple):
    """The parameters of :class:`structsvm.problems.BayesianMMC` that a division needs."""

    kernel: Any
    length_scale: Any
    C: float
    gamma: float
    offset: float
    universum: Any
    n_init: int
    tol: float
    max_iter: int
    verbose: bool


class Division:
    """A division of rows into two clusters.

    Parameters
    ----------
    settings : Settings
    X : array or CSR matrix of shape (n, d)
        The rows, or a precomputed kernel matrix.
    rng : numpy.random.Generator
        Generates the Universum.

    Attributes
    ----------
    posterior : Posterior
    labels : ndarray of bool of shape (n,)
        Whether a row is in the second cluster, f > 0.
    length_scale : float or None
    collapsed : bool
        Whether every start ended with a cluster of too few rows; the labels are then those of the
        first start.
    interrupted : bool
        Whether Ctrl-C ended the starts early; the posterior is then the best so far.
    steps : int
        The number of steps of all starts.
    """

    def __init__(self, settings: Settings, X: Any, rng: np.random.Generator) -> None:
        self.settings, self.n = settings, X.shape[0]
        self._map = DiffusionMap().fit(X) if self._named("diffusion") else None
        rows = self._mapped(X)
        universum = self._universum_rows(X, rng)
        divisions = starts(self._graph_rows(X), settings.n_init)
        self.length_scale = self._chosen_length_scale(rows, universum, divisions[0])
        self._set_prior(rows, universum)
        self.steps = 0
        self.interrupted = False
        best = self._best(divisions)
        self.collapsed = best is None
        self.posterior = self._of_labels(divisions[0]) if best is None else best
        self.labels = (divisions[0] if best is None else self.posterior.f[: self.n]) > 0

    def probabilities(self, X: Any) -> Vector:
        """The probability of the second cluster for other rows, shape (m,)."""
        if self._named("graph"):
            raise ValueError(
                "kernel='graph' is defined for the training rows only, whose results are "
                "probabilities_ and labels_. Choose kernel='diffusion' to predict other rows"
            )
        rows = self._mapped(X)
        cross = self._cross(rows)
        return self._probabilities(cross, self.prior.variances(rows))

    def training_probabilities(self) -> Vector:
        """The probability of the second cluster for the training rows, shape (n,)."""
        K = self.K[: self.n]
        return self._probabilities(K, K[:, : self.n].diagonal())

    def _probabilities(self, cross: Vector, diagonal: Vector) -> Vector:
        variance = self.posterior.variance(cross, diagonal)
        model = prior_model(self.settings.C, self.settings.gamma, 1)
        return probability_of_plus(model, cross @ self.posterior.a, variance)

    # ------------------------------------------------------------------ the prior

    def _named(self, name: str) -> bool:
        return isinstance(self.settings.kernel, str) and self.settings.kernel == name

    def _mapped(self, X: Any) -> Any:
        return X if self._map is None else self._map.transform(X)

    def _graph_rows(self, X: Any) -> Any:
        """Rows for the graph of the starts; their distances are those of a precomputed kernel."""
        return KernelMap("precomputed").fit_transform(X) if self._named("precomputed") else X

    def _universum_rows(self, X: Any, rng: np.random.Generator) -> Any:
        universum = self.settings.universum
        if universum is None:
            return None
        if isinstance(universum, str):
            universum = (near_mean if universum == "mean" else from_marginals)(X, rng)
        return self._mapped(universum)

    def _kernel(self, length_scale: float | None) -> Kernel | None:
        if self._named("graph"):
            return None
        if length_scale is None:
            return Kernel(self.settings.kernel)
        # exp(-d^2 / (2 length_scale^2)).
        return Kernel("rbf", 0.5 / length_scale**2)

    def _chosen_length_scale(self, rows: Any, universum: Any, y: Vector) -> float | None:
        given = self.settings.length_scale
        if not (self._named("rbf") or self._named("diffusion")):
            return None
        if isinstance(given, str):
            return self._by_evidence(rows, universum, y, median_distance(rows))
        return WIDTH * median_distance(rows) if given is None else float(given)

    def _by_evidence(self, rows: Any, universum: Any, y: Vector, median: float) -> float:
        """The length scale of largest evidence, by type-II maximum likelihood."""

        def loss(log_width: float) -> float:
            self.length_scale = math.exp(log_width)
            self._set_prior(rows, universum)
            return -self._mode(y, EPSILONS).log_evidence

        low, high = (math.log(width * median) for width in WIDTHS)
        # ``_mode`` counts its steps here; those of the choice of a length scale are not reported.
        self.steps = 0
        found = minimize_scalar(
            loss, bounds=(low, high), method="bounded", options={"xatol": WIDTH_TOLERANCE}
        )
        if min(found.x - low, high - found.x) < EDGE:
            warnings.warn(
                f"the evidence has no maximum between {WIDTHS[0]} and {WIDTHS[1]} times the median "
                f"distance of two rows: length_scale={math.exp(found.x):.3g} is at the edge of "
                "that range. Pass a number, or None for half the median",
                ConvergenceWarning,
                stacklevel=6,
            )
        return math.exp(found.x)

    def _set_prior(self, rows: Any, universum: Any) -> None:
        """The prior, and the covariance of data and Universum rows together."""
        self.prior = Prior(self._kernel(self.length_scale), rows, self.settings.offset)
        self._universum, self.K = universum, self.prior.K
        if universum is not None:
            cross = self.prior.cross(universum)
            self.K = np.block(
                [[self.K, cross.T], [cross, self.prior.between(universum, universum)]]
            )

    def _cross(self, rows: Any) -> Vector:
        """The covariance of other rows with data and Universum rows."""
        cross = self.prior.cross(rows)
        if self._universum is None:
            return cross
        return np.hstack([cross, self.prior.between(rows, self._universum)])

    # ------------------------------------------------------------------ the mode

    def _best(self, divisions: list[Vector]) -> Posterior | None:
        """The mode of highest log posterior without a collapsed cluster; None if there is none."""
        if self.settings.gamma != 0.5:  # then y and -y have different posteriors
            divisions = [sign * y for y in divisions for sign in (1.0, -1.0)]
        coarse: list[Posterior] = []
        finals: list[Posterior] = []
        try:
            for y in tqdm(
                divisions, desc="BayesianMMC", unit="start", disable=not self.settings.verbose
            ):
                coarse.append(self._mode(y, EPSILONS[:1], COARSE))
            coarse = [found for found in coarse if not self._is_collapsed(found)]
            for found in ranked(coarse, _loss)[:FINALISTS]:
                finals.append(self._mode(found.f[: self.n], EPSILONS))
        except KeyboardInterrupt:
            if not coarse:
                raise
            self.interrupted = True
        found = [found for found in finals or coarse if not self._is_collapsed(found)]
        return next(iter(ranked(found, _loss)), None)

    def _mode(self, f0: Vector, epsilons: tuple[float, ...], tol: float | None = None) -> Posterior:
        model = prior_model(self.settings.C, self.settings.gamma, self.n)
        return self._followed(model, f0, epsilons, self.settings.tol if tol is None else tol)

    def _of_labels(self, y: Vector) -> Posterior:
        """The posterior of f given the labels y."""
        model = label_model(self.settings.C, y)
        return self._followed(model, y, EPSILONS, self.settings.tol)

    def _followed(
        self, model: Model, f0: Vector, epsilons: tuple[float, ...], tol: float
    ) -> Posterior:
        found = posterior_mode(self.K, model, f0, tol, self.settings.max_iter, epsilons)
        self.steps += len(found.history)
        logger.debug("log posterior %.6g after %d steps", found.log_posterior, len(found.history))
        return found

    def _is_collapsed(self, found: Posterior) -> bool:
        fraction = float(np.mean(found.f[: self.n] > 0))
        return min(fraction, 1 - fraction) < SMALLEST


def _loss(found: Posterior) -> float:
    return -found.log_posterior
