r"""Maximum margin clustering as a relaxed semidefinite program: values and bounds.

For labels y of n rows and a kernel matrix K the inverse square of the soft margin is f(y y'), where

.. math:: f(M) = \max_{0 \le \lambda \le C} 2 \lambda^\top e - \lambda^\top (K \circ M) \lambda

The formula for the objective f is equation 4 of Xu, Neufeld, Larson & Schuurmans (NIPS 2004). The
objective f(M) is convex in the matrix M. The relaxation minimises f(M) over the positive
semidefinite matrices M with a unit diagonal that satisfy the triangle inequalities and the balance
constraint. The balance constraint is equation 6 of Xu et al.: the sum of each row of M is at most a
limit l in absolute value.

If the labels of two rows are known to be equal, or known to be opposite, the rows belong to one
node. The program optimises a matrix Z with a row and a column for each node. A matrix R, which
assigns the data rows to nodes, gives the matrix M = R Z R' of the data rows. If data row i belongs
to node j, the entry (i, j) of the matrix R is +1 or -1; all other entries are 0 (see
:class:`Groups`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh, norm

from structsvm.data.arrays import Indices, Vector
from structsvm.objective.rounding import DOUBLE, MULTIPLE
from structsvm.problems.margin_clustering.sdp_mmc.groups import Groups
from structsvm.problems.margin_clustering.sdp_mmc.program import Margin, Program
from structsvm.problems.margin_clustering.sdp_mmc.triangles import Triangles, violated_triangles
from structsvm.qp import solve_restricted_dual

#: Signs of the triangle inequalities: +1 for at most two clusters, -1 for transitivity.
SIGNS = (1.0, -1.0)


class DualPoint(NamedTuple):
    """Dual variables that prove a lower bound, for a kernel matrix with mean diagonal 1.

    Attributes
    ----------
    lam : ndarray of shape (n,)
        Multipliers lambda of the margins, in [0, C].
    triangles : Triangles
        The triangle inequalities to which the multipliers ``t`` belong.
    t : ndarray of shape (n_triangles,)
        Multipliers of the triangle inequalities, >= 0.
    beta : ndarray of shape (n_nodes,)
        Multiplier of the balance constraint of each node.
    delta : ndarray of shape (n_nodes,)
        Multipliers of the constraints Z_ii = 1.
    """

    lam: Vector
    triangles: Triangles
    t: Vector
    beta: Vector
    delta: Vector


class Relaxation(Program):
    """The semidefinite program with a kernel matrix and triangle inequalities.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        The kernel matrix, symmetric and positive semidefinite.
    C, balance, groups
        The parameters of :class:`Program`.

    Attributes
    ----------
    K : ndarray of shape (n, n)
        The kernel matrix, scaled to a mean diagonal of 1. Entry (i, j) is multiplied by
        ``groups.signs[i] * groups.signs[j]``.
    """

    draws, tried, improved = 1000, 100, 0

    def __init__(self, K: Vector, C: float, balance: float, groups: Groups) -> None:
        super().__init__(float(np.trace(K)) / len(K), C, balance, groups)
        self.K = K / self.unit * np.outer(groups.signs, groups.signs)
        self.diagonal = self.K.diagonal()

    # ------------------------------------------------------------------ values

    def margin(self, Z: Vector, start: Vector | None = None) -> Margin:
        """Compute the objective f of a matrix Z with a row and a column for each node.

        The objective is for the user's kernel, before scaling. ``start`` holds initial dual
        variables, for example the solution for another matrix Z.
        """
        M = Z[np.ix_(self.groups.nodes, self.groups.nodes)]
        guess = np.zeros(self.n) if start is None else start * self.unit
        # The box is a restricted dual with one row in each group, and the cap C.
        solution = solve_restricted_dual(
            self.K * M, np.ones(self.n), np.arange(self.n), np.full(self.n, self.C), guess
        )
        # The primal value bounds f from above, even if the program is not solved exactly.
        return Margin(2 * solution.primal / self.unit, solution.alpha / self.unit)

    def label_margin(self, labels: Indices, rtol: float = 1e-4, most: float = np.inf) -> Margin:
        codes = self.codes[labels]
        return self.margin(codes @ codes.T)

    def product(self, A: Vector) -> Vector:
        return np.asarray(self.K @ A)

    def violation(self, Z: Vector) -> float:
        """Return the largest violation of a triangle inequality or of the balance, at least 0."""
        _, excess = violated_triangles(Z, SIGNS, 0.0)
        return max(float(excess.max(initial=0.0)), self.imbalance(Z))

    def imbalance(self, Z: Vector) -> float:
        """Return the largest violation of the balance constraint, divided by n, or 0."""
        return max(0.0, float(np.abs(Z @ self.sizes).max()) - self.limit) / self.n

    def bound(self, point: DualPoint) -> float:
        """Return a lower bound on the objective of all feasible matrices, proved by dual variables.

        The bound is for the unscaled kernel, and a bound on the rounding errors is subtracted.
        """
        # For lambda in [0, C], f(M) >= 2 lambda'e - <A, Z> with A = R'(K o lambda lambda')R. With
        # the multipliers delta, t and beta, <A, Z> is at most sum(delta) + sum(t) + l sum(|beta|) +
        # <S, Z>. S is A + T'(t) - (beta N' + N beta') / 2 - Diag(delta) for the sizes N of the
        # nodes, and T'(t) sums the triangle inequalities weighted by t. Z is positive semidefinite
        # with trace n_nodes, so <S, Z> is at most n_nodes times the largest eigenvalue of S.
        S = self.penalised(point.lam, point.triangles, point.t, point.beta)
        S.flat[:: self.n_nodes + 1] -= point.delta
        largest = eigh(S, eigvals_only=True, subset_by_index=[self.n_nodes - 1] * 2)[0]
        above = point.delta.sum() + point.t.sum() + self.limit * np.abs(point.beta).sum()
        bound = 2 * point.lam.sum() - above - self.n_nodes * largest
        # The error of the eigenvalue is a multiple of the unit roundoff times the norm of S.
        size = 2 * point.lam.sum() + np.abs(point.delta).sum() + self.n_nodes * norm(S)
        return float(bound - MULTIPLE * DOUBLE * size) / self.unit

    def allows(self, point: DualPoint) -> bool:
        """Whether the dual variables are feasible, as the proof of a lower bound requires."""
        inside = np.all((point.lam >= 0) & (point.lam <= self.C))
        return bool(inside and np.all(point.t >= 0) and np.all(np.abs(point.triangles.signs) == 1))

    def penalised(self, lam: Vector, triangles: Triangles, t: Vector, beta: Vector) -> Vector:
        # A + T'(t) - (beta N' + N beta') / 2, in the notation of bound.
        S = self.groups.summed(self.K * np.outer(lam, lam))
        S = S - (np.outer(beta, self.sizes) + np.outer(self.sizes, beta)) / 2
        ends = np.triu_indices(self.n_nodes, 1)
        # Each of the two entries of a pair gets one half.
        pairs = triangles.rows(self.n_nodes).T @ t / 2
        S[ends] += pairs
        S.T[ends] += pairs
        return S
