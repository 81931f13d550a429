"""Find the best mode of the posterior by majorisation, and a Gaussian at the mode."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from tqdm.auto import tqdm

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.margin_clustering.bayesian_mmc.likelihood import (
    Model,
    Quadratic,
    cluster_probabilities,
    data_term,
    label_model,
    label_values,
    prior_model,
    universum_term,
)
from structsvm.problems.margin_clustering.bayesian_mmc.prior import Settings
from structsvm.problems.margin_clustering.ranking import ranked
from structsvm.results.status import Guarantee, Outcome, Status

logger = logging.getLogger(__name__)

LOCAL = Guarantee(False, False, "a mode of the posterior, which has many; no bound is known")
#: Decreasing levels of smoothing of the absolute value.
EPSILONS = (0.1, 0.03, 0.01)
#: Largest absolute f of a Universum row after the first step; the margin is at 1.
INSIDE = 0.99
#: Largest number of halvings of a step.
HALVINGS = 40
#: Size below which a cluster counts as collapsed, relative to an equal share of the rows.
SMALLEST = 0.1
#: The first run of each start stops at a step that changes f by at most this.
COARSE = 0.1
#: Number of starts that continue to the tolerance.
FINALISTS = 2


class Posterior(NamedTuple):
    """A mode of the posterior, and a Gaussian at the mode for the weights of each latent function.

    Attributes
    ----------
    f : ndarray of shape (m, q)
        The mode f at the data rows, followed by f at the Universum rows.
    w : ndarray of shape (r, q)
        The weights of the mode: f = mean + phi w.
    mean : float
        The prior mean of every latent function.
    factors : list of q ndarray of shape (r, r)
        The lower Cholesky factors of the precision matrices of the weights.
    log_posterior : float
        The log posterior at the mode, without constants.
    history : tuple of float
        Nondecreasing values of the log posterior, one after each step.
    converged : bool
        Whether the last step changed every value of the latent functions by at most the tolerance.
    """

    f: Vector
    w: Vector
    mean: float
    factors: list[Vector]
    log_posterior: float
    history: tuple[float, ...]
    converged: bool

    def moments(self, features: Vector) -> tuple[Vector, Vector]:
        """Return the posterior means and variances of the latent functions at ``features``."""
        halves = [solve_triangular(factor, features.T, lower=True) for factor in self.factors]
        variances = [np.square(half).sum(axis=0) for half in halves]
        return self.mean + features @ self.w, np.column_stack(variances)


def posterior_mode(
    features: Vector, model: Model, f0: Vector, tol: float, max_iter: int,
    epsilons: tuple[float, ...] = EPSILONS,
) -> Posterior:  # fmt: skip
    """Maximise the log posterior, starting at f0.

    Each step maximises a quadratic approximation of the log posterior. Without a Universum, the
    quadratic approximation of the log posterior is a lower bound: see :func:`data_term`. Without a
    Universum, steps need no line search, because a step cannot decrease the log posterior. With a
    Universum, steps are halved until the log posterior does not decrease. When the steps become
    small, the search continues with the next, smaller value of ``epsilons``. Less smoothing
    increases the log posterior.

    Parameters
    ----------
    features : ndarray of shape (m, r)
        The features phi of the n data rows, followed by the features of the Universum rows.
    model : Model
        The model of the n data rows.
    f0 : ndarray of shape (n, q)
        Initial values of the latent functions at the data rows.
    tol : float
        For each of ``epsilons``, the search ends when a step changes every value of the latent
        functions by at most ``tol``.
    max_iter : int
        Largest number of steps for each of ``epsilons``.
    epsilons : tuple of float
        Decreasing levels of smoothing of the absolute values in the hinges.
    """
    search = _ModeAscent(features, model, f0)
    for epsilon in epsilons:
        converged = search.run(epsilon, tol, max_iter)
    return search.posterior(converged)


class _ModeAscent:
    def __init__(self, features: Vector, model: Model, f0: Vector) -> None:
        self.features, self.model, self.n = features, model, len(f0)
        self.f = np.vstack([f0, np.zeros((len(features) - self.n, f0.shape[1]))])
        self.w: Vector | None = None  # unknown for f0, which need not be a function of the prior
        self.history: list[float] = []

    def run(self, epsilon: float, tol: float, max_iter: int) -> bool:
        """Step until the latent functions change by at most ``tol``; return whether they do."""
        self.epsilon = epsilon
        self.term = self._term(self.f)
        # The value that steps must not fall below depends on epsilon, as the likelihood does.
        if self.w is not None:
            self.value = self._value(self.w, self.term)
        for _ in range(max_iter):
            before = self.f
            self._step()
            if np.abs(self.f - before).max() <= tol:
                return True
        return False

    def _step(self) -> None:
        w = self._maximiser()
        if self.w is None:
            # The log posterior of f0 is unknown: accept the step, shortened until the Universum
            # rows are between the margins, as the mean is.
            w *= self._largest_length(w)
            f = self._values(w)
            self._accept(w, f, self._term(f))
            return
        length = 1.0
        for _ in range(HALVINGS):
            w_new = self.w + length * (w - self.w)
            f_new = self._values(w_new)
            if np.all(np.abs(f_new[self.n :]) < 1):
                term = self._term(f_new)
                if self._value(w_new, term) >= self.value:
                    self._accept(w_new, f_new, term)
                    return
            length /= 2

    def _largest_length(self, w: Vector) -> float:
        """Return the largest step length <= 1 that keeps the Universum between the margins."""
        moves = (self.features[self.n :] @ w).ravel()
        moves = moves[moves != 0]
        room = INSIDE - np.sign(moves) * self.model.mean
        return float(np.min(room / np.abs(moves), initial=1.0))

    def _values(self, w: Vector) -> Vector:
        return self.model.mean + self.features @ w

    def _accept(self, w: Vector, f: Vector, term: Quadratic) -> None:
        self.w, self.f, self.term = w, f, term
        self.value = self._value(w, term)
        self.history.append(self.value)

    def _maximiser(self) -> Vector:
        """Return the weights w that maximise the quadratic approximation of the log posterior."""
        slopes = self.features.T @ (self.term.b - self.term.W * self.model.mean)
        pairs = zip(self._factors(), slopes.T, strict=True)
        return np.column_stack(
            [cho_solve((factor, True), slope, check_finite=False) for factor, slope in pairs]
        )

    def _factors(self) -> list[Vector]:
        """Return the lower Cholesky factors of the precision matrices of the weights."""
        factors = []
        for weights in self.term.W.T:
            precision = self.features.T @ (self.features * weights[:, None])
            precision.flat[:: len(precision) + 1] += 1
            factors.append(cho_factor(precision, lower=True, check_finite=False)[0])
        return factors

    def _term(self, f: Vector) -> Quadratic:
        rows = data_term(self.model, f[: self.n], self.epsilon)
        if self.n == len(f):
            return rows
        null = universum_term(self.model.C, f[self.n :])
        W, b = np.vstack([rows.W, null.W]), np.vstack([rows.b, null.b])
        return Quadratic(rows.value + null.value, W, b)

    def _value(self, w: Vector, term: Quadratic) -> float:
        return term.value - 0.5 * float(np.square(w).sum())

    def posterior(self, converged: bool) -> Posterior:
        assert self.w is not None
        # cho_factor leaves arbitrary numbers in the upper triangle.
        factors = [np.tril(factor) for factor in self._factors()]
        return Posterior(
            self.f, self.w, self.model.mean, factors, self.value, tuple(self.history), converged
        )


# ---------------------------------------------------------------------- the best of several starts


@dataclass
class ModeSearch:
    """A search for the mode of highest log posterior among modes without a collapsed cluster.

    Attributes
    ----------
    model : Model
        The model of rows of unknown cluster.
    posterior : Posterior
        The best mode.
    collapsed : bool
        Whether every start ended with a cluster that has too few rows. If ``collapsed`` is True,
        ``posterior`` is computed as if the initial labels of the first start were known.
    steps : int
        Total number of steps over all starts.
    """

    model: Model
    posterior: Any
    collapsed: bool = False
    steps: int = 0

    def clusters(self, features: Vector) -> tuple[Indices, Vector]:
        """Return each row's most probable cluster, and the probabilities of all clusters."""
        found = cluster_probabilities(self.model, *self.posterior.moments(features))
        return found.argmax(axis=1), found


def best_mode(
    settings: Settings, features: Vector, starts: list[Indices], time_limit: float | None
) -> tuple[ModeSearch, Status]:
    """Search from each initial partition; return the search with the best mode, and its status.

    ``features`` holds the features of the data rows, followed by the features of the Universum
    rows. After Ctrl-C or at the time limit, the best mode so far is returned.
    """
    began, status = time.monotonic(), Status.CONVERGED
    k, n = settings.n_clusters, len(starts[0])
    found = ModeSearch(prior_model(settings.C, settings.gamma, k), None)

    def mode(model: Model, f0: Vector, tol: float, *epsilons: Any) -> Posterior:
        reached = posterior_mode(features, model, f0, tol, settings.max_iter, *epsilons)
        found.steps += len(reached.history)
        logger.debug("log posterior %.6g in %d steps", reached.log_posterior, len(reached.history))
        return reached

    def best_first(modes: list[Posterior]) -> list[Posterior]:
        kept = [one for one in modes if not _is_collapsed(one.f[:n], k)]
        return ranked(kept, lambda one: -one.log_posterior)

    first = starts[0]
    if settings.gamma != 0.5:  # then exchanging the two clusters changes the posterior
        starts = [labels for y in starts for labels in (y, 1 - y)]
    coarse: list[Posterior] = []
    finals: list[Posterior] = []
    try:
        for y in tqdm(starts, desc="BayesianMMC", unit="start", disable=not settings.verbose):
            coarse.append(mode(found.model, label_values(y, k), COARSE, EPSILONS[:1]))
            if time_limit is not None and time.monotonic() - began >= time_limit:
                status = Status.TIME_LIMIT
                break
        for one in best_first(coarse)[:FINALISTS]:
            finals.append(mode(found.model, one.f[:n], settings.tol))
    except KeyboardInterrupt:
        if not coarse:
            raise
        status = Status.INTERRUPTED
    best = best_first(finals or coarse)
    found.collapsed = not best
    if found.collapsed:
        known = label_model(settings.C, first, k)
        best = [mode(known, label_values(first, k), settings.tol)]
    found.posterior = best[0]
    if status is Status.CONVERGED and not best[0].converged:
        status = Status.MAX_ITER
    return found, status


@dataclass(frozen=True, repr=False)
class ModeResult(Outcome):
    """The result of :class:`structsvm.problems.BayesianMMC`: a mode of the posterior.

    With 'bisecting', the numbers in the result are sums over all divisions. The primal is minus the
    log posterior. The gap is infinite, because no dual value is computed.
    """

    @property
    def message(self) -> str:
        if self.status is Status.MAX_ITER:
            return "f still changes by more than tol after max_iter steps; raise max_iter or tol"
        return super().message


def mode_result(
    searches: list[ModeSearch], statuses: list[Status], tol: float, seconds: float
) -> ModeResult:
    """Return one result for several searches, with the most severe of their statuses."""
    log_posterior = float(sum(search.posterior.log_posterior for search in searches))
    steps, order = sum(search.steps for search in searches), [*Status]
    return ModeResult(
        primal=-log_posterior, dual=-np.inf, gap=np.inf, tolerance=tol,
        status=max(statuses, key=order.index), guarantee=LOCAL, iterations=steps,
        oracle_calls=steps, seconds={"total": seconds}, history=(),
    )  # fmt: skip


def _is_collapsed(f: Vector, k: int) -> bool:
    labels = f.argmax(axis=1) if k > 2 else (f[:, 0] > 0).astype(np.intp)
    return bool(np.bincount(labels, minlength=k).min() < SMALLEST * len(f) / k)
