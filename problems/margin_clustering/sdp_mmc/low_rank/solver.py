r"""Burer and Monteiro's method for the relaxation: an augmented Lagrangian in a factor of low rank.

The method optimises the rows of the matrix V without constraints, and scales the rows to norm 1.
The method solves the problem

.. math::

    \min_{V, W} |W|^2 + 2 C \sum_i (1 - \langle W^\top \phi_i, v_i \rangle)_+ \quad\text{subject
    to}\quad |N^\top V|^2 \le l^2, \quad \text{inequalities of pairs of } V V^\top

Penalties make the Lagrangian of the problem smooth. L-BFGS minimises the Lagrangian over the label
vectors V and the weights W together. If V is optimal for fixed multipliers, the multipliers prove a
lower bound on the objective for all feasible matrices Z = V V'.
:meth:`AugmentedLagrangian.dual_point` optimises V for fixed multipliers.

References
----------
Burer & Monteiro, A Nonlinear Programming Algorithm for Solving Semidefinite Programs via Low-Rank
Factorization, Mathematical Programming 95, 2003; Nocedal & Wright, Numerical Optimization, 2006,
chapter 17.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from structsvm.data.arrays import Indices, Vector
from structsvm.docstrings import documented
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.certificate import (
    CONFIRMED,
    LowRankPoint,
    allows,
    bound,
    penalised,
    scaled,
)
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.cuts import (
    NO_CUTS,
    Cuts,
    Pairs,
    violated,
)
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.program import LowRankProgram
from structsvm.problems.margin_clustering.sdp_mmc.run import ProgramResult, Run, guarantee
from structsvm.results.status import Iteration, Status
from structsvm.results.verification import Verification
from structsvm.solvers.shared.loop import Limits, Pass

#: Number of columns of V. Without inequalities of pairs 3 to 5 suffice; with them more are needed.
RANK = 24
#: Penalties of a margin, for rows of norm 1; of the squared balance, times n^2; and of a pair. With
#: a larger penalty of the balance its multiplier, and so the bound, fluctuates if f is far below n.
MARGIN, BALANCE, PAIR = 1.0, 0.02, 0.3
#: Factor of the margins' penalty after every minimisation, and largest product of these factors.
GROWTH, MOST_GROWTH = 1.2, 8.0
#: Factor of the other penalties, if a violation is above the second number and did not fall to the
#: third as a fraction of the previous one.
STEEPER, VIOLATED, DECREASE = 2.0, 0.005, 0.5
#: Expected square of a row's direction, by which the curvature of W is scaled.
DIRECTION = 0.3
#: Number of steps that L-BFGS remembers.
MEMORY = 8
#: Least multiplier of the diagonal, relative to the largest.
LEAST_DELTA = 1e-6
#: Number of passes without inequalities of pairs, and of passes that add some.
FIRST, ADDING = 2, 6
#: Number of iterations of a pass while inequalities are added, and afterwards.
ITERATIONS, FINAL_ITERATIONS = 40, 100
#: Number of iterations of a certificate, which optimises V for the multipliers.
POLISHING = 200
#: Largest number of inequalities of pairs added in a pass, per node.
ADDED = 5
#: Largest number of inequalities of pairs added in a pass.
MOST_ADDED = 5000
#: The run ends after this number of passes that gain less than this fraction of the gap.
PATIENCE, GAINED = 3, 0.05
#: Relative gap to which f(M) is computed, relative to the tolerance.
PRIMAL_RTOL = 0.2

GUARANTEE = guarantee(
    "of low rank which satisfies some of the inequalities of pairs, and the balance, to the "
    "violation, and so may be below the dual"
)

#: The guarantee if there are too many nodes to confirm the eigenvalue.
ASSUMED = GUARANTEE._replace(
    text=GUARANTEE.text
    + f"; with more than {CONFIRMED} nodes the dual assumes that Lanczos' method found the largest "
    "eigenvalue"
)

#: The message of the status of this name.
STALLED = (
    "further passes raise the lower bound too little, and the gap is above the tolerance. The "
    "labels are a clustering within the balance and the lower bound holds all the same; it is less "
    "tight than tol asks for. Raise tol, or accept this gap"
)


@documented
@dataclass(frozen=True, repr=False)
class LowRankResult(ProgramResult):
    """The result of ``solver='low_rank'`` in :class:`structsvm.problems.SDPMMC`.

    ``help`` also shows the inherited parameters and attributes.

    Attributes
    ----------
    primal, dual, gap : float
        ``primal`` is an upper bound on the objective of the relaxed matrix M. ``dual`` is a lower
        bound on the objective of all feasible matrices. ``gap`` is the difference ``primal -
        dual``.
    iterations : int
        Number of passes, each of which is one minimisation.
    history : tuple of Iteration
        An entry for each pass; ``n_planes`` counts the inequalities in the working set.
    violation : float
        The largest violation of an inequality in the working set, or of the balance.
    V : ndarray of shape (n_nodes, r)
        A vector of norm 1 for each group of linked rows. The inner product of two vectors is the
        similarity of two groups.
    W : ndarray of shape (p, r)
        The weights of the features, which attain the primal value.
    dual_point : LowRankPoint
        The dual variables that prove the lower bound.
    """

    V: Vector
    W: Vector
    dual_point: LowRankPoint

    @property
    def message(self) -> str:
        """A text that says why the run ended, and what the user can do."""
        return STALLED if self.status is Status.STALLED else super().message

    @property
    def Z(self) -> Vector:
        """The matrix V V', of shape (n_nodes, n_nodes)."""
        return self.V @ self.V.T

    @property
    def factors(self) -> list[Vector]:
        """The factor V; the rounding draws random combinations of its columns."""
        return [self.V]

    def soft_assignment(self, counts: Indices) -> Vector:
        """Return the leading eigenvector of the relaxed matrix times the root of its eigenvalue."""
        roots = np.sqrt(counts)
        left, values, _ = np.linalg.svd(roots[:, None] * self.V, full_matrices=False)
        return np.asarray(values[0] * left[:, 0] / roots)

    def column(self, node: int) -> Vector:
        """Return the similarity of every node to one node."""
        return np.asarray(self.V @ self.V[node])

    def verify(self, program: LowRankProgram, tol: float = 1e-6) -> Verification:
        """Recompute all numbers from the kernel and the dual point; see :class:`Verification`."""
        # Other rows may have another number of features.
        fits = self.W.shape[0] == program.features.shape[1]
        return self._compared(
            program.primal(self.V, self.W) if fits else np.nan,
            bound(program, self.dual_point),
            program.violation(self.V, self.dual_point.cuts),
            allows(program, self.dual_point),
            tol,
        )


def solve(
    program: LowRankProgram, tol: float, limits: Limits, rng: np.random.Generator
) -> LowRankResult:
    """Solve until the relative gap and the violation are at most ``tol``, or a limit is reached.

    Raises
    ------
    InfeasibleConstraintsError
        If the lower bound exceeds the largest possible objective, so that no labelling is feasible.
    """
    result: LowRankResult = _Run(program, tol, rng).solved(limits)
    return result


class _Run(Run):
    """A run of the method, with the best bound so far."""

    def __init__(self, program: LowRankProgram, tol: float, rng: np.random.Generator) -> None:
        super().__init__(program, tol)
        self.rng, self.method = rng, AugmentedLagrangian(program, rng)
        self.W = self.method.W
        self.primal, self.dual = np.inf, 0.0
        self.dual_point = LowRankPoint(
            np.zeros(program.n), NO_CUTS, np.zeros(0), 0.0, np.ones(program.n_nodes)
        )
        self.confirmed, self.better, self.idle = False, 0.0, 0

    def step(self) -> Pass | Status:
        """Minimise the Lagrangian; early passes add inequalities, later passes compute a bound."""
        method, program, made = self.method, self.program, len(self.history)
        if FIRST <= made <= FIRST + ADDING:
            most = min(ADDED * program.n_nodes, MOST_ADDED)
            method.add(violated(method.V, program.n_clusters, most, self.rng))
        if made < FIRST + ADDING:
            method.advance(ITERATIONS)
            self._set_weights(method.W)
            return Pass(self._recorded(), method.V, False)
        if self.idle == PATIENCE:
            return Status.STALLED
        # A more exact minimum gives more exact multipliers, and they give a larger bound.
        method.advance(FINAL_ITERATIONS * (1 + self.idle))
        rtol = PRIMAL_RTOL * self.tol
        self._set_weights(program.weights(method.V, rtol, method.W, method.lam)[0])
        self._certify(POLISHING * (1 + self.idle))
        if self._is_within_tolerance:
            self._confirm()
        iteration = self._recorded()
        self.idle = 0 if self.dual > self.better + GAINED * iteration.gap else self.idle + 1
        self.better = max(self.better, self.dual)
        return Pass(iteration, method.V, self._is_within_tolerance)

    def _set_weights(self, W: Vector) -> None:
        self.W, self.primal = W, self.program.primal(self.method.V, W)

    def _recorded(self) -> Iteration:
        return self.record(self.primal, self.dual, len(self.method.t))

    @property
    def _is_within_tolerance(self) -> bool:
        missing = max(self.primal - self.dual, 0) + self.method.shortfall
        return bool(missing <= self.tol * self.primal)

    def _certify(self, iterations: int) -> None:
        """Keep the current dual point if its bound is the best so far."""
        point, value = self.method.dual_point(iterations)
        if value > self.dual:
            self.dual, self.dual_point, self.confirmed = value, point, False
        if self.dual > self.program.largest_margin:
            self._confirm()
        self.require_feasible(self.dual)

    def _confirm(self) -> None:
        """Replace the bound, which uses an estimated eigenvalue, by a confirmed bound."""
        if not self.confirmed:
            self.dual, self.confirmed = bound(self.program, self.dual_point), True

    def result(self, status: Status) -> LowRankResult:
        self._set_weights(self.W)
        if self.dual == 0:  # a limit came before the first certificate
            self._certify(POLISHING)
        self._confirm()
        guarantee = GUARANTEE if self.program.n_nodes <= CONFIRMED else ASSUMED
        return LowRankResult(
            **self.outcome(self.primal, self.dual, status, guarantee),
            violation=self.program.violation(self.method.V, self.dual_point.cuts),
            V=self.method.V,
            W=self.W,
            dual_point=self.dual_point,
        )


# ---------------------------------------------------------------------- the method

#: A function that returns its value and its gradient.
Objective = Callable[[Vector], tuple[float, Vector]]


class AugmentedLagrangian:
    """The augmented Lagrangian method, with its current variables and multipliers.

    Parameters
    ----------
    program : LowRankProgram
        The program to solve.
    rng : Generator
        Draws the first V.

    Attributes
    ----------
    V : ndarray of shape (n_nodes, r)
        Rows of norm 1.
    W : ndarray of shape (p, r)
        The weights W of the features.
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
        """Add inequalities to the working set, and drop inequalities without a multiplier."""
        kept = np.flatnonzero(self.t > 0)
        joined = self.pairs.cuts.take(kept).joined(cuts)
        # The kept inequalities come first.
        self.t = np.append(self.t[kept], np.zeros(len(joined.bounds) - len(kept)))
        self.pairs = Pairs(joined, self.program.n_nodes)
        self.violation = np.inf

    def advance(self, iterations: int) -> None:
        """Minimise the Lagrangian by L-BFGS for some iterations, then update the multipliers."""
        scale = 1 / np.sqrt(1 + DIRECTION * MARGIN * self.growth * self.program.spread)[:, None]
        size = self.V.size

        def lagrangian(x: Vector) -> tuple[float, Vector]:
            V, norms = _normalised(x[:size].reshape(self.V.shape))
            W = x[size:].reshape(self.W.shape) * scale
            value, by_V, by_W, _ = self._lagrangian(V, W)
            return value, np.append(_tangent(by_V, V, norms).ravel(), (by_W * scale).ravel())

        start = np.append(self.V.ravel(), (self.W / scale).ravel())
        x = _minimised(lagrangian, start, iterations)
        self.V = _normalised(x[:size].reshape(self.V.shape))[0]
        self.W = x[size:].reshape(self.W.shape) * scale
        *_, (self.lam, self.beta, self.t) = self._lagrangian(self.V, self.W)
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
    def shortfall(self) -> float:
        """Amount by which violations may reduce the objective: violations times multipliers."""
        balance = self.beta * max(0.0, self._imbalance(self.V)[1])
        pairs = self.t @ np.maximum(self.pairs.excess(self.V), 0)
        return (balance + float(pairs)) / self.program.unit

    def _imbalance(self, V: Vector) -> tuple[Vector, float]:
        """Return the sum of all rows' vectors, and its squared norm minus the squared limit."""
        total = self.program.sizes @ V
        return total, float(total @ total) - self.program.limit**2

    def _lagrangian(
        self, V: Vector, W: Vector
    ) -> tuple[float, Vector, Vector, tuple[Vector, float, Vector]]:
        """Return the penalised Lagrangian, its gradients for V and for W, and new multipliers."""
        program, t = self.program, self.t
        rows, scores = program.of_rows(V), program.features @ W
        slack = 1 - np.einsum("ij,ij->i", scores, rows)
        rho = MARGIN * self.growth / program.squares  # the penalty of each row's margin
        lam, value = program.multipliers(slack, self.lam, rho)
        total, excess = self._imbalance(V)
        beta = max(0.0, self.beta + self.sigma * excess)
        value += float(np.sum(W * W)) + beta * excess - (beta - self.beta) ** 2 / (2 * self.sigma)
        by_V = program.of_nodes(-2 * lam[:, None] * scores)
        by_V = by_V + np.outer(2 * beta * program.sizes, total)
        by_W = 2 * W - 2 * (program.features.T @ (lam[:, None] * rows))
        if len(t):
            excess_of_pairs = self.pairs.excess(V)
            t = np.maximum(0, t + self.tau * excess_of_pairs)
            value += float(t @ excess_of_pairs - np.sum((t - self.t) ** 2) / (2 * self.tau))
            by_V = by_V - self.pairs.matrix(t) @ V
        return value, by_V, by_W, (lam, beta, t)

    # ------------------------------------------------------------------ the solution

    def dual_point(self, iterations: int) -> tuple[LowRankPoint, float]:
        """Return dual variables and their bound.

        For fixed multipliers, at most ``iterations`` iterations of L-BFGS optimise the matrix V,
        which solves the relaxation of a maximum cut. The optimised matrix V determines the
        multipliers ``delta``.
        """
        program = self.program
        point = LowRankPoint(self.lam, self.pairs.cuts, self.t, self.beta, np.ones(program.n_nodes))
        S = penalised(program, point)

        def negative(x: Vector) -> tuple[float, Vector]:
            V, norms = _normalised(x.reshape(self.V.shape))
            G = S.without_diagonal(V)
            return -float(np.sum(G * V)), _tangent(-2 * G, V, norms).ravel()

        x = _minimised(negative, self.V.ravel(), iterations)
        V, _ = _normalised(x.reshape(self.V.shape))
        delta = np.linalg.norm(S.without_diagonal(V), axis=1)
        largest = float(delta.max()) or 1.0
        delta = np.maximum(delta, LEAST_DELTA * largest)
        return scaled(program, point._replace(delta=delta))


def _normalised(Y: Vector) -> tuple[Vector, Vector]:
    """Return the rows scaled to norm 1, and their norms as a column."""
    norms = np.sqrt(np.einsum("ij,ij->i", Y, Y))[:, None]
    return Y / norms, norms


def _tangent(gradient: Vector, V: Vector, norms: Vector) -> Vector:
    """Convert a gradient for normalised rows into a gradient for unnormalised rows."""
    along = np.einsum("ij,ij->i", gradient, V)[:, None]
    return np.asarray((gradient - along * V) / norms)


def _minimised(function: Objective, start: Vector, iterations: int) -> Vector:
    options = {"maxiter": iterations, "ftol": 1e-11, "gtol": 1e-9, "maxcor": MEMORY}
    return np.asarray(minimize(function, start, jac=True, method="L-BFGS-B", options=options).x)
