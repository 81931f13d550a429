r"""The alternating direction method of multipliers as a solver of the relaxation.

The program is equation 7 of Xu et al., without the variables mu, nu and delta:

.. math::

    \min_{Z, c, d} \; d + 2 C \sum_i (1 - c_i)_+ \quad\text{subject to}\quad
    Z \succeq 0, \quad
    \begin{pmatrix} K \circ M & c \\ c^\top & d \end{pmatrix} \succeq 0, \quad
    \text{linear inequalities in the entries of } Z

The method alternates between projections of matrices onto the positive semidefinite cone, by
eigendecompositions, and a sparse linear system for the entries of Z.

For speed, the diagonal of the block matrix is scaled to 1, except for the last entry. If the block
matrix were not scaled, the method would need hundreds of passes for a linear kernel with rows near
the origin.

References
----------
Boyd, Parikh, Chu, Peleato & Eckstein, Distributed Optimization and Statistical Learning via the
Alternating Direction Method of Multipliers, 2011: section 3.4.1 for the penalty, 3.4.3 for the
relaxation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, cg

from structsvm.data.arrays import Indices, Vector
from structsvm.docstrings import documented
from structsvm.problems.margin_clustering.sdp_mmc.relaxation import SIGNS, DualPoint, Relaxation
from structsvm.problems.margin_clustering.sdp_mmc.run import ProgramResult, Run, guarantee
from structsvm.problems.margin_clustering.sdp_mmc.triangles import (
    NO_TRIANGLES,
    Triangles,
    number_of,
    violated_triangles,
)
from structsvm.results.status import Status
from structsvm.results.verification import Verification
from structsvm.solvers.shared.loop import Limits, Pass

#: The initial b.
BORDER = 1.0
#: b is later chosen to make b^2 f this fraction of n, the trace without the corner; d approaches f.
CORNER = 0.5
#: Least K_ii in the scaling, relative to the mean of the diagonal.
LEAST = 1e-3
#: Weight of the row of a triangle inequality, relative to the weight of a pair.
TRIANGLE = 0.5
#: The initial penalty.
PENALTY = 0.05
#: Number of iterations between two adaptations of the penalty to the residuals.
BALANCED_EVERY = 10
#: Largest factor by which one adaptation changes the penalty.
BALANCED_BY = 1.5
#: Square root of the ratio of the residuals above which the penalty is adapted.
UNBALANCED = 1.3
#: Number of iterations after which the penalty is fixed; otherwise the method need not converge.
BALANCED_UNTIL = 1000
#: Over-relaxation, in [1, 2).
RELAX = 1.6
#: Number of steps of conjugate gradients for a linear system, from the previous solution.
CG_STEPS = 4
#: Number of iterations of a pass.
ITERATIONS = 25
#: Largest number of triangle inequalities added in a pass, per pair of nodes.
ADDED = 3
#: Number of first passes after which b is adapted to the current value of f.
FITTED = 3
#: Violation of a triangle inequality above which it is added, relative to the tolerance.
VIOLATED = 0.1
#: Slack above which a triangle inequality with a zero multiplier is dropped.
SLACK = 0.05
#: Numbers of leading eigenvectors that draws use, alternating with all eigenvectors: if M does not
#: decide between clusterings, the other eigenvectors are noise.
RANKS = (8, 5, 3)

GUARANTEE = guarantee("which may violate the constraints by the violation")


@documented
@dataclass(frozen=True, repr=False)
class RelaxationResult(ProgramResult):
    """The result of the relaxation in :class:`structsvm.problems.SDPMMC`, with its certificate.

    ``help`` also shows the inherited parameters and attributes.

    Attributes
    ----------
    primal, dual, gap : float
        The objective of the matrix M, a lower bound on the objective of every feasible matrix, and
        the objective of M minus the lower bound.
    iterations : int
        Number of passes. A pass is 25 iterations of the first-order method and a search for
        violated triangle inequalities.
    history : tuple of Iteration
        An entry for each pass; ``n_planes`` counts the inequalities in the working set.
    violation : float
        The largest violation of a triangle inequality or of the bound on cluster sizes.
    Z : ndarray of shape (n_nodes, n_nodes)
        The relaxation of the matrix y y' of the nodes' labels y. A node is a row, or a group of
        rows connected by links or known labels.
    dual_point : DualPoint
        The dual variables that prove the lower bound.
    """

    Z: Vector
    dual_point: DualPoint

    @property
    def factors(self) -> list[Vector]:
        """Symmetric square roots of the matrix ``Z`` and of its low-rank approximations."""
        values, vectors = eigh(self.Z)
        scaled = vectors * np.sqrt(np.maximum(values, 0))
        return [scaled[:, -rank:] @ vectors[:, -rank:].T for rank in (len(self.Z), *RANKS)]

    def soft_assignment(self, counts: Indices) -> Vector:
        """Return the soft assignment of Xu et al. for each node.

        Let the matrix M be ``Z`` with each row and column repeated ``counts`` times. The soft
        assignment is the leading eigenvector of the matrix M, times the square root of the largest
        eigenvalue.
        """
        # M repeats the row of a node for each row of the data in it. The smaller matrix below has
        # the same non-zero eigenvalues.
        weights, last = np.sqrt(counts), len(self.Z) - 1
        values, vectors = eigh(self.Z * np.outer(weights, weights), subset_by_index=[last, last])
        return np.asarray(np.sqrt(max(values[0], 0.0)) * vectors[:, 0] / weights)

    def column(self, node: int) -> Vector:
        """Return the similarity of every node to one node."""
        return np.asarray(self.Z[node])

    def verify(self, relaxation: Relaxation, tol: float = 1e-6) -> Verification:
        """Recompute all numbers from the kernel and the dual point; see :class:`Verification`."""
        return self._compared(
            relaxation.margin(self.Z).value,
            relaxation.bound(self.dual_point),
            relaxation.violation(self.Z),
            relaxation.allows(self.dual_point),
            tol,
        )


class _Found(NamedTuple):
    """A matrix M with its objective f(M) and its violation."""

    primal: float
    violation: float
    Z: Vector


def solve(relaxation: Relaxation, tol: float, limits: Limits) -> RelaxationResult:
    """Solve until the relative gap and the violation are at most ``tol``, or a limit is reached.

    Raises
    ------
    InfeasibleConstraintsError
        If the lower bound exceeds the largest possible objective, so that no labelling is feasible.
    """
    result: RelaxationResult = _Run(relaxation, tol).solved(limits)
    return result


class _Run(Run):
    """A run of the method, with the best matrix and the best bound so far."""

    def __init__(self, relaxation: Relaxation, tol: float) -> None:
        super().__init__(relaxation, tol)
        self.method = SplittingMethod(relaxation)
        self.lam: Vector | None = None
        self.best: _Found | None = None
        self.violated = NO_TRIANGLES
        self.dual, self.dual_point = -math.inf, self.method.dual_point()

    def step(self) -> Pass:
        """Update the working set, make some iterations, and compute the lower bound."""
        method = self.method
        method.prune(SLACK)
        # The inequalities are in order of violation: the slice takes the most violated ones.
        method.add(self.violated.take(slice(ADDED * len(method.z))))
        method.advance(ITERATIONS)
        Z = method.Z
        found, excess = violated_triangles(Z, SIGNS, 0.0)
        self.violated = found.take(slice(np.count_nonzero(excess > VIOLATED * self.tol)))
        primal, best = self._certified(Z, float(excess.max(initial=0.0)))
        iteration = self.record(best.primal, self.dual, len(method.triangles.signs))
        if iteration.iteration <= FITTED:
            # The method uses the scaled K, for which f is ``unit`` times as large.
            method.fit_border(primal * self.program.unit)
        return Pass(iteration, Z, self._badness(best) <= self.tol)

    def _certified(self, Z: Vector, excess: float) -> tuple[float, _Found]:
        """Update the best matrix so far by ``Z``, and the best lower bound by the dual variables.

        ``excess`` is the largest violation of a triangle inequality by Z. Return the objective of
        Z, and the best matrix so far.
        """
        point = self.method.dual_point()
        bound = self.program.bound(point)
        if bound > self.dual:
            self.dual, self.dual_point = bound, point
        self.require_feasible(self.dual)
        primal, self.lam = self.program.margin(Z, self.lam)
        found = _Found(primal, max(excess, self.program.imbalance(Z)), Z)
        if self.best is None or self._badness(found) < self._badness(self.best):
            self.best = found
        return primal, self.best

    def _badness(self, found: _Found) -> float:
        return max((found.primal - self.dual) / abs(found.primal), found.violation)

    def result(self, status: Status) -> RelaxationResult:
        assert self.best is not None
        primal, violation, Z = self.best
        return RelaxationResult(
            **self.outcome(primal, self.dual, status, GUARANTEE),
            violation=violation,
            Z=Z,
            dual_point=self.dual_point,
        )


# ---------------------------------------------------------------------- the method


class SplittingMethod:
    """The alternating direction method of multipliers: its variables, copies and constraints.

    Parameters
    ----------
    relaxation : Relaxation
        The program to solve.

    Attributes
    ----------
    triangles : Triangles
        The working set of triangle inequalities.
    Z : ndarray of shape (n_nodes, n_nodes)
        The current matrix, positive semidefinite with a unit diagonal.
    """

    def __init__(self, relaxation: Relaxation) -> None:
        self.relaxation = relaxation
        n, k = relaxation.n, relaxation.n_nodes
        self.ends = np.triu_indices(k, 1)
        self.z = np.zeros(len(self.ends[0]))
        self.border = BORDER
        self.scale = 1 / np.sqrt(np.maximum(relaxation.K.diagonal(), LEAST))
        self.K = relaxation.K * np.outer(self.scale, self.scale)
        self.kernel_pairs = relaxation.groups.summed(self.K**2)[self.ends]
        self.P, self.P_dual = np.eye(k), np.zeros((k, k))
        self.Q, self.Q_dual = np.zeros((n + 1, n + 1)), np.zeros((n + 1, n + 1))
        self.penalty, self.iterations = PENALTY, 0
        self.triangles = NO_TRIANGLES
        self._set_rows(np.zeros(k), np.zeros(k))

    # ------------------------------------------------------------------ the working set

    def add(self, triangles: Triangles) -> int:
        """Add the inequalities that are not in the working set; return their number."""
        k, before = self.relaxation.n_nodes, len(self.triangles.signs)
        both = self.triangles.joined(triangles)
        self.triangles = both.take(np.sort(np.unique(both.names(k), return_index=True)[1]))
        new = self.triangles.take(slice(before, None))
        values = TRIANGLE * np.maximum(new.rows(k) @ self.z, -1.0)
        self._set_rows(np.append(self.r, values), np.append(self.r_dual, np.zeros(len(values))))
        return len(values)

    def prune(self, slack: float) -> None:
        """Drop inequalities that have a zero multiplier and a slack of more than ``slack``."""
        k = self.relaxation.n_nodes
        keep = (self.r_dual[k:] < 0) | (self.r[k:] < TRIANGLE * (slack - 1))
        self.triangles = self.triangles.take(keep)
        rows = np.append(np.ones(k, dtype=bool), keep)
        self._set_rows(self.r[rows], self.r_dual[rows])

    def _set_rows(self, r: Vector, r_dual: Vector) -> None:
        """Set the linear inequalities: balance constraints of nodes, then triangle inequalities."""
        k, sizes = self.relaxation.n_nodes, self.relaxation.sizes
        self.balance_weight = 1 / max(1.0, float(np.linalg.norm(sizes)))
        i, j = self.ends
        number = number_of(i, j, k)
        values = self.balance_weight * np.concatenate([sizes[j], sizes[i]])
        places = np.concatenate([i, j]), np.concatenate([number, number])
        balance = sparse.csr_matrix((values, places), shape=(k, len(number)))
        self.rows = sparse.vstack([balance, TRIANGLE * self.triangles.rows(k)], format="csr")
        self.columns = self.rows.T.tocsr()
        triangles = np.full(len(self.triangles.signs), TRIANGLE)
        # The unit diagonal adds sizes[i] to the sum of row i; the limits account for it.
        limit = self.relaxation.limit
        self.low = np.concatenate([self.balance_weight * (-limit - sizes), -triangles])
        self.high = np.concatenate([self.balance_weight * (limit - sizes), np.inf * triangles])
        self.r, self.r_dual = r, r_dual
        squares = np.asarray(self.rows.multiply(self.rows).sum(axis=0)).reshape(-1)
        self.diagonal = 2 * (1 + self.kernel_pairs) + squares

    # ------------------------------------------------------------------ iterations

    def advance(self, iterations: int) -> None:
        """Make ``iterations`` iterations of the method."""
        for _ in range(iterations):
            self.iterations += 1
            self._step()

    def fit_border(self, f: float) -> None:
        """Rescale the last row and column of the block matrix, given the objective ``f``."""
        n = self.relaxation.n
        border = math.sqrt(CORNER * n / f)
        ratio = border / self.border
        # The dual variables of the last row and column of Q are scaled by the inverse factor.
        for copy, factor in ((self.Q, ratio), (self.Q_dual, 1 / ratio)):
            copy[:n, n] *= factor
            copy[n, :n] *= factor
            copy[n, n] *= factor**2
        self.border = border

    def _step(self) -> None:
        self.z = self._next_pairs()
        Z = self._matrix(self.z)
        S = self._bordered(Z)
        values = self.rows @ self.z
        before = self.P, self.Q, self.r
        # Over-relaxation (Boyd et al., section 3.4.3).
        P, Q, r = (
            RELAX * new + (1 - RELAX) * old for new, old in zip((Z, S, values), before, strict=True)
        )
        self.P = positive_part(P + self.P_dual)
        self.Q = positive_part(Q + self.Q_dual)
        self.r = np.clip(r + self.r_dual, self.low, self.high)
        self.P_dual += P - self.P
        self.Q_dual += Q - self.Q
        self.r_dual = self.r_dual + r - self.r
        if self.iterations % BALANCED_EVERY == 0 and self.iterations < BALANCED_UNTIL:
            self._balance_penalty((Z, S, values), before)

    def _next_pairs(self) -> Vector:
        """Return the next ``z``, a least-squares solution by conjugate gradients."""
        groups, n = self.relaxation.groups, self.relaxation.n
        targets = 2 * (self.P - self.P_dual)[self.ends]
        targets += 2 * groups.summed(self.K * (self.Q - self.Q_dual)[:n, :n])[self.ends]
        targets += self.columns @ (self.r - self.r_dual)
        # A pair is two entries of the symmetric matrices P and Q.
        weights = 2 * (1 + self.kernel_pairs)
        size = len(targets)
        if not size:
            return targets
        operator = LinearOperator(
            (size, size), lambda v: weights * v + self.columns @ (self.rows @ v), dtype=float
        )
        inverse = LinearOperator((size, size), lambda v: v / self.diagonal, dtype=float)
        z, _ = cg(operator, targets, self.z, rtol=1e-10, maxiter=CG_STEPS, M=inverse)
        return np.asarray(z)

    def _matrix(self, z: Vector) -> Vector:
        Z = np.zeros_like(self.P)
        Z[self.ends] = z
        Z += Z.T
        Z.flat[:: len(Z) + 1] = 1
        return Z

    def _bordered(self, Z: Vector) -> Vector:
        """Compute c and d for ``Z``, and return the scaled block matrix of Z, c and d."""
        nodes, n = self.relaxation.groups.nodes, self.relaxation.n
        target, weights = self.Q - self.Q_dual, self.border * self.scale
        c = target[:n, n] / weights
        # The proximal step of 2 C (1 - c)_+ raises c by ``step``, but not beyond the kink at 1.
        step = self.relaxation.C / (self.penalty * weights**2)
        c = np.where(c >= 1, c, np.minimum(c + step, 1.0))
        S = np.empty_like(self.Q)
        S[:n, :n] = self.K * Z[np.ix_(nodes, nodes)]
        S[:n, n] = S[n, :n] = weights * c
        # The minimiser of d + penalty / 2 (b^2 d - target)^2.
        S[n, n] = target[n, n] - 1 / (self.penalty * self.border**2)
        return S

    def _balance_penalty(self, now: tuple[Vector, ...], before: tuple[Vector, ...]) -> None:
        """Adapt the penalty until the relative primal and dual residuals are about equal."""
        copies, duals = (self.P, self.Q, self.r), (self.P_dual, self.Q_dual, self.r_dual)
        primal = _distance(now, copies) * _norm(duals)
        dual = _distance(copies, before) * _norm(copies)
        if primal <= 0 or dual <= 0:
            return
        factor = math.sqrt(primal / dual)
        if max(factor, 1 / factor) <= UNBALANCED:
            return
        factor = min(max(factor, 1 / BALANCED_BY), BALANCED_BY)
        self.penalty *= factor
        for multipliers in duals:  # scaled dual variables: the multipliers over the penalty
            multipliers /= factor

    # ------------------------------------------------------------------ the solution

    @property
    def Z(self) -> Vector:
        # The diagonal of P is only nearly 1. Scaling rows and columns keeps P semidefinite.
        roots = np.sqrt(self.P.diagonal())
        Z: Vector = self.P / np.outer(roots, roots)
        Z.flat[:: len(Z) + 1] = 1
        return Z

    def dual_point(self) -> DualPoint:
        """Return feasible dual variables, computed from the dual matrices of the constraints."""
        relaxation, k, n = self.relaxation, self.relaxation.n_nodes, self.relaxation.n
        corner = -self.Q_dual[n, n] * self.border**2
        if corner <= 0:  # in the first iterations lambda is still 0
            nothing = np.zeros(k)
            none = self.triangles.take(slice(0))
            return DualPoint(np.zeros(n), none, np.empty(0), nothing, nothing)
        lam = self.border * self.scale * self.Q_dual[:n, n] / corner
        lam = np.clip(lam, 0, relaxation.C)
        multipliers = self.penalty * self.r_dual
        t = TRIANGLE * np.maximum(-multipliers[k:], 0)
        beta = self.balance_weight * multipliers[:k]
        S = relaxation.penalised(lam, self.triangles, t, beta)
        # The dual matrix of Q, divided by its last entry, is (L, -lam; -lam', 1), so L - lam lam'
        # is positive semidefinite. The bound has lam lam' for L, which is tighter; delta uses L.
        L = -self.Q_dual[:n, :n] * np.outer(self.scale, self.scale) / corner
        excess = L - np.outer(lam, lam)
        excess = relaxation.groups.summed(relaxation.K * excess)
        delta = (S + excess - self.penalty * self.P_dual).diagonal()
        return DualPoint(lam, self.triangles, t, beta, delta)


def positive_part(A: Vector) -> Vector:
    """Return the positive semidefinite matrix nearest to ``A``.

    The computation uses the eigenvectors of the positive or of the negative eigenvalues, whichever
    are fewer.
    """
    values, vectors = eigh(A, driver="evd", check_finite=False)
    positive = values > 0
    if 2 * np.count_nonzero(positive) <= len(values):
        half = vectors[:, positive] * np.sqrt(values[positive])
        return np.asarray(half @ half.T)
    half = vectors[:, ~positive] * np.sqrt(-values[~positive])
    return np.asarray(A + half @ half.T)


def _norm(parts: tuple[Vector, ...]) -> float:
    return math.sqrt(sum(float(np.vdot(part, part)) for part in parts))


def _distance(parts: tuple[Vector, ...], others: tuple[Vector, ...]) -> float:
    return _norm(tuple(a - b for a, b in zip(parts, others, strict=True)))
