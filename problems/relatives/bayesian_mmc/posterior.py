"""The mode of the posterior by majorisation, and the Gaussian approximation about it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, solve_triangular

from structsvm.problem import Vector
from structsvm.problems.relatives.bayesian_mmc.likelihood import (
    Model,
    Quadratic,
    data_term,
    universum_term,
)

#: Smoothing of the absolute value, used one after the other.
EPSILONS = (0.1, 0.03, 0.01)
#: Largest absolute f of a Universum row after the first step; the margin is at 1.
INSIDE = 0.99
#: Halvings of a step, at most, before it is given up.
HALVINGS = 40


class Posterior(NamedTuple):
    """A mode and the Gaussian N(f, (K^-1 + W)^-1) about it.

    Attributes
    ----------
    f : ndarray of shape (m,)
        The mode at the data rows, then at the Universum rows.
    a : ndarray of shape (m,)
        K^-1 f; the posterior mean at other rows is their kernel with these rows times a.
    roots : ndarray of shape (m,)
        The square roots of W.
    factor : ndarray of shape (m, m)
        The lower Cholesky factor of B = I + W^1/2 K W^1/2.
    log_posterior : float
        The log posterior at the mode, without constants.
    history : tuple of float
        The log posterior after every step; it never decreases.
    converged : bool
        Whether the last step changed f by no more than the tolerance.
    """

    f: Vector
    a: Vector
    roots: Vector
    factor: Vector
    log_posterior: float
    history: tuple[float, ...]
    converged: bool

    @property
    def log_evidence(self) -> float:
        """Laplace's approximation of the log marginal likelihood."""
        return self.log_posterior - float(np.log(self.factor.diagonal()).sum())

    def variance(self, cross: Vector, diagonal: Vector) -> Vector:
        """Posterior variances of other rows.

        ``cross`` is their kernel with the rows of the posterior, ``diagonal`` their prior
        variances.
        """
        # Rasmussen & Williams, algorithm 3.2. Rounding could make the difference negative.
        V = solve_triangular(self.factor, self.roots[:, None] * cross.T, lower=True)
        return np.maximum(diagonal - np.square(V).sum(axis=0), 0.0)


def posterior_mode(
    K: Vector, model: Model, f0: Vector, tol: float, max_iter: int,
    epsilons: tuple[float, ...] = EPSILONS,
) -> Posterior:  # fmt: skip
    """Maximise the log posterior from f0.

    Each step maximises a quadratic that touches the log posterior. For data rows it is a lower
    bound (the responsibilities of the labels, then :math:`|u| <= (u^2 / |v| + |v|) / 2`), so that
    steps need no line search without a Universum. With one, steps are halved until the log
    posterior does not decrease. Epsilon is reduced when the steps become small, which also
    increases the log posterior.

    This replaces the Newton steps of Algorithm 1 of Dai, Hu & Niu, whose W is negative for data
    rows.

    Parameters
    ----------
    K : ndarray of shape (m, m)
        Prior covariance of the n data rows, then of the Universum rows.
    model : Model
        The model of the n data rows.
    f0 : ndarray of shape (n,)
        Initial f of the data rows.
    tol : float
        Largest change of f in a step at which to go on to the next epsilon, and to stop.
    max_iter : int
        Steps, at most, for each epsilon.
    epsilons : tuple of float
        Decreasing levels of smoothing.
    """
    search = _Search(K, model, f0)
    for epsilon in epsilons:
        converged = search.run(epsilon, tol, max_iter)
    return search.posterior(converged)


class _Search:
    def __init__(self, K: Vector, model: Model, f0: Vector) -> None:
        self.K, self.model, self.n = K, model, len(f0)
        self.f = np.concatenate([f0, np.zeros(len(K) - self.n)])
        self.a: Vector | None = None  # K^-1 f; unknown for f0, as K may be singular
        self.history: list[float] = []

    def run(self, epsilon: float, tol: float, max_iter: int) -> bool:
        """Make steps until f changes by no more than tol; returns whether it did."""
        self.epsilon = epsilon
        self.term = self._term(self.f)
        # The likelihood depends on epsilon, so the value that steps must not fall below does, too.
        if self.a is not None:
            self.value = self._value(self.f, self.a, self.term)
        for _ in range(max_iter):
            before = self.f
            self._step()
            if np.abs(self.f - before).max() <= tol:
                return True
        return False

    def _step(self) -> None:
        a = self._maximiser()
        f = self.K @ a
        if self.a is None:
            # The log posterior of f0 is unknown: accept the step, shrunk until the Universum rows
            # are between the margins.
            farthest = np.abs(f[self.n :]).max(initial=0.0)
            shrink = min(1.0, INSIDE / farthest) if farthest > 0 else 1.0
            self._accept(shrink * f, shrink * a)
            return
        length = 1.0
        for _ in range(HALVINGS):
            f_new, a_new = self.f + length * (f - self.f), self.a + length * (a - self.a)
            if np.all(np.abs(f_new[self.n :]) < 1):
                term = self._term(f_new)
                if self._value(f_new, a_new, term) >= self.value:
                    self._accept(f_new, a_new)
                    return
            length /= 2

    def _accept(self, f: Vector, a: Vector) -> None:
        self.f, self.a, self.term = f, a, self._term(f)
        self.value = self._value(f, a, self.term)
        self.history.append(self.value)

    def _maximiser(self) -> Vector:
        """K^-1 f for the f that maximises the quadratic (Rasmussen & Williams, algorithm 3.1)."""
        roots, factor = self._factorised()
        b = self.term.b
        return b - roots * cho_solve((factor, True), roots * (self.K @ b))

    def _factorised(self) -> tuple[Vector, Vector]:
        roots = np.sqrt(self.term.W)
        B = self.K * np.outer(roots, roots)
        # The eigenvalues of B are at least 1, so that Cholesky's method works for a singular K.
        B.flat[:: len(B) + 1] += 1
        try:
            return roots, cho_factor(B, lower=True, overwrite_a=True, check_finite=False)[0]
        except LinAlgError:
            raise ValueError(
                "the covariance of the rows is not positive semidefinite, to rounding: some row is "
                "very far from the others, or C or offset very large. Drop outliers, or lower them"
            ) from None

    def _term(self, f: Vector) -> Quadratic:
        rows = data_term(self.model, f[: self.n], self.epsilon)
        if self.n == len(f):
            return rows
        null = universum_term(self.model.C, f[self.n :])
        return Quadratic(
            rows.value + null.value,
            np.concatenate([rows.W, null.W]),
            np.concatenate([rows.b, null.b]),
        )

    def _value(self, f: Vector, a: Vector, term: Quadratic) -> float:
        # f' K^-1 f as f'a, because K may be singular.
        return term.value - 0.5 * float(f @ a)

    def posterior(self, converged: bool) -> Posterior:
        assert self.a is not None
        roots, factor = self._factorised()
        # tril, because cho_factor leaves arbitrary numbers in the other triangle.
        return Posterior(
            self.f, self.a, roots, np.tril(factor), self.value, tuple(self.history), converged
        )
