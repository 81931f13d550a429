r"""Burer and Monteiro's method for the relaxation: an augmented Lagrangian in a factor of low rank.

With V normalised rows of a free matrix, the Lagrangian of

.. math::

    \min_{V, W} |W|^2 + 2 C \sum_i (1 - \langle W^\top \phi_i, v_i \rangle)_+ \quad\text{subject
    to}\quad |N^\top V|^2 \le l^2, \quad \text{inequalities of pairs of } V V^\top

with its penalties is smooth, and minimised by L-BFGS in V and W together. Its multipliers are then
those of a bound for all Z, once V is optimal for them; :meth:`AugmentedLagrangian.dual_point` makes
it so.

References
----------
Burer & Monteiro, A Nonlinear Programming Algorithm for Solving Semidefinite Programs via Low-Rank
Factorization, Mathematical Programming 95, 2003; Nocedal & Wright, Numerical Optimization, 2006,
chapter 17.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

from structsvm.data.arrays import Vector
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.certificate import (
    LowRankPoint,
    penalised,
    scaled,
)
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.cuts import NO_CUTS, Cuts, Pairs
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.program import LowRankProgram

#: Columns of V. Ranks of 3 to 5 suffice without inequalities of pairs; with them more are needed.
RANK = 24
#: Penalty of a margin, for rows of norm 1, of the squared balance, times n^2, and of a pair. With a
#: larger one of the balance its multiplier, and so the bound, fluctuates where f is far below n.
MARGIN, BALANCE, PAIR = 1.0, 0.02, 0.3
#: Increase of the first after every minimisation, and in all.
GROWTH, MOST_GROWTH = 1.2, 8.0
#: Increase of the others where the violation is above this and did not fall to this fraction.
STEEPER, VIOLATED, DECREASE = 2.0, 0.005, 0.5
#: Expected square of a row's direction, by which the curvature of W is scaled.
DIRECTION = 0.3
#: Steps that L-BFGS remembers.
MEMORY = 8
#: Smallest multiplier of the diagonal, relative to the largest.
LEAST_DELTA = 1e-6

#: A value and its gradient.
Objective = Callable[[Vector], tuple[float, Vector]]


class AugmentedLagrangian:
    """The iterates, which :meth:`advance` improves.

    Parameters
    ----------
    program : LowRankProgram
    rng : Generator
        Draws the first V.

    Attributes
    ----------
    V : ndarray of shape (n_nodes, r)
        Rows of norm 1.
    W : ndarray of shape (p, r)
        The weights that score the features.
    pairs : Pairs
        The working set of inequalities.
    """

    def __init__(self, program: LowRankProgram, rng: np.random.Generator) -> None:
        self.program = program
        rank = min(RANK, program.n_nodes)
        self.V = _normalised(rng.standard_normal((program.n_nodes, rank)))[0]
        self.W = np.zeros((program.features.shape[1], rank))
        self.lam, self.beta = np.zeros(program.n), 0.0
        self.pairs, self.t = Pairs(NO_CUTS, program.n_nodes), np.zeros(0)
        self.growth, self.sigma, self.imbalance = 1.0, BALANCE / program.n**2, np.inf
        self.tau, self.violation = PAIR, np.inf

    def add(self, cuts: Cuts) -> None:
        """Add inequalities to the working set, and drop those without a multiplier."""
        kept = np.flatnonzero(self.t > 0)
        joined = self.pairs.cuts.take(kept).joined(cuts)
        # The ones that are kept come first.
        self.t = np.append(self.t[kept], np.zeros(len(joined.bounds) - len(kept)))
        self.pairs = Pairs(joined, self.program.n_nodes)
        self.violation = np.inf

    def advance(self, iterations: int) -> None:
        """Minimise the Lagrangian in about so many iterations, then update the multipliers."""
        scale = 1 / np.sqrt(1 + DIRECTION * MARGIN * self.growth * self.program.spread)[:, None]
        size = self.V.size

        def lagrangian(x: Vector) -> tuple[float, Vector]:
            V, norms = _normalised(x[:size].reshape(self.V.shape))
            W = x[size:].reshape(self.W.shape) * scale
            value, by_V, by_W = self._lagrangian(V, W)
            return value, np.append(_tangent(by_V, V, norms).ravel(), (by_W * scale).ravel())

        start = np.append(self.V.ravel(), (self.W / scale).ravel())
        x = _minimised(lagrangian, start, iterations)
        self.V = _normalised(x[:size].reshape(self.V.shape))[0]
        self.W = x[size:].reshape(self.W.shape) * scale
        self.lam, self.beta, self.t = self._multipliers()
        self.growth = min(self.growth * GROWTH, MOST_GROWTH)
        imbalance = self.program.imbalance(self.V)
        if imbalance > max(VIOLATED, DECREASE * self.imbalance):
            self.sigma *= STEEPER
        self.imbalance = imbalance
        violation = float(np.max(self.pairs.excess(self.V), initial=0.0))
        if violation > max(VIOLATED, DECREASE * self.violation):
            self.tau *= STEEPER
        self.violation = violation

    @property
    def scores(self) -> Vector:
        """The score of every row along its vector; shape (n,)."""
        program = self.program
        return np.einsum("ij,ij->i", program.features @ self.W, program.of_rows(self.V))

    @property
    def shortfall(self) -> float:
        """The value by the multipliers of what V violates; f(M) may be so much too small."""
        balance = self.beta * max(0.0, self._imbalance(self.V)[1])
        pairs = self.t @ np.maximum(self.pairs.excess(self.V), 0)
        return (balance + float(pairs)) / self.program.unit

    def _rho(self) -> Vector:
        """The penalty of each row's margin."""
        return MARGIN * self.growth / self.program.squares

    def _imbalance(self, V: Vector) -> tuple[Vector, float]:
        """The sum of the rows' vectors, and the excess of its square over the limit's."""
        total = self.program.sizes @ V
        return total, float(total @ total) - self.program.limit**2

    def _multipliers(self) -> tuple[Vector, float, Vector]:
        """The next multipliers of the margins, of the balance and of the pairs."""
        lam, _ = self.program.multipliers(1 - self.scores, self.lam, self._rho())
        beta = max(0.0, self.beta + self.sigma * self._imbalance(self.V)[1])
        return lam, beta, np.maximum(0, self.t + self.tau * self.pairs.excess(self.V))

    def _lagrangian(self, V: Vector, W: Vector) -> tuple[float, Vector, Vector]:
        """The Lagrangian with its penalties, and its gradients in V and in W."""
        program = self.program
        rows, scores = program.of_rows(V), program.features @ W
        slack = 1 - np.einsum("ij,ij->i", scores, rows)
        lam, value = program.multipliers(slack, self.lam, self._rho())
        total, excess = self._imbalance(V)
        beta = max(0.0, self.beta + self.sigma * excess)
        value += float(np.sum(W * W)) + beta * excess - (beta - self.beta) ** 2 / (2 * self.sigma)
        by_V = program.of_nodes(-2 * lam[:, None] * scores)
        by_V = by_V + np.outer(2 * beta * program.sizes, total)
        by_W = 2 * W - 2 * (program.features.T @ (lam[:, None] * rows))
        if len(self.t):
            excess_of_pairs = self.pairs.excess(V)
            t = np.maximum(0, self.t + self.tau * excess_of_pairs)
            value += float(t @ excess_of_pairs - np.sum((t - self.t) ** 2) / (2 * self.tau))
            by_V = by_V - self.pairs.matrix(t) @ V
        return value, by_V, by_W

    # ------------------------------------------------------------------ the solution

    def dual_point(self, iterations: int) -> tuple[LowRankPoint, float]:
        """Dual variables and their bound.

        With the multipliers fixed, V is optimised in at most this number of iterations of L-BFGS.
        It solves the relaxation of a maximum cut, and the norms of the rows of S V are the
        multipliers of the unit diagonal.
        """
        program = self.program
        point = LowRankPoint(self.lam, self.pairs.cuts, self.t, self.beta, np.ones(program.n_nodes))
        product, diagonal = penalised(program, point)

        def negative(x: Vector) -> tuple[float, Vector]:
            V, norms = _normalised(x.reshape(self.V.shape))
            G = product(V) - diagonal[:, None] * V
            return -float(np.sum(G * V)), _tangent(-2 * G, V, norms).ravel()

        x = _minimised(negative, self.V.ravel(), iterations)
        V, _ = _normalised(x.reshape(self.V.shape))
        delta = np.linalg.norm(product(V) - diagonal[:, None] * V, axis=1)
        largest = float(delta.max()) or 1.0
        delta = np.maximum(delta, LEAST_DELTA * largest)
        return scaled(program, point._replace(delta=delta))


def _normalised(Y: Vector) -> tuple[Vector, Vector]:
    """The rows scaled to norm 1, and their norms as a column."""
    norms = np.sqrt(np.einsum("ij,ij->i", Y, Y))[:, None]
    return Y / norms, norms


def _tangent(gradient: Vector, V: Vector, norms: Vector) -> Vector:
    """The gradient in the free matrix whose rows of these norms give V."""
    along = np.einsum("ij,ij->i", gradient, V)[:, None]
    return np.asarray((gradient - along * V) / norms)


def _minimised(function: Objective, start: Vector, iterations: int) -> Vector:
    options = {"maxiter": iterations, "ftol": 1e-11, "gtol": 1e-9, "maxcor": MEMORY}
    return np.asarray(minimize(function, start, jac=True, method="L-BFGS-B", options=options).x)
