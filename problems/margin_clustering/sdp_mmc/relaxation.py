r"""Maximum margin clustering relaxed to a semidefinite program: its values and bounds.

For labels y of n rows and a kernel matrix K the inverse square of the soft margin is f(y y'), with

.. math:: f(M) = \max_{0 \le \lambda \le C} 2 \lambda^\top e - \lambda^\top (K \circ M) \lambda

(Xu, Neufeld, Larson & Schuurmans, NIPS 2004, equation 4). f is convex in M. It is minimised over
the positive semidefinite matrices M with a unit diagonal that satisfy the triangle inequalities,
and whose row sums are at most l in absolute value (their equation 6).

Rows that are known to be in the same or in different clusters form one node: M = R Z R' with R as
in :class:`Groups`, and the variable of the program is Z.
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
        For the margins, in [0, C].
    triangles : Triangles
        The triangle inequalities that have a multiplier.
    t : ndarray of shape (n_triangles,)
        For the triangle inequalities, >= 0.
    beta : ndarray of shape (n_nodes,)
        For the balance constraint of each node.
    delta : ndarray of shape (n_nodes,)
        For the unit diagonal.
    """

    lam: Vector
    triangles: Triangles
    t: Vector
    beta: Vector
    delta: Vector


class Relaxation(Program):
    """The program with the kernel matrix and the triangle inequalities.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Symmetric, positive semidefinite.
    C, balance, groups
        As in :class:`Program`.

    Attributes
    ----------
    K : ndarray of shape (n, n)
        K scaled to a mean diagonal of 1, with the signs of the rows, K_ij s_i s_j.
    """

    draws, tried, improved = 1000, 100, 0

    def __init__(self, K: Vector, C: float, balance: float, groups: Groups) -> None:
        super().__init__(float(np.trace(K)) / len(K), C, balance, groups)
        self.K = K / self.unit * np.outer(groups.signs, groups.signs)
        self.diagonal = self.K.diagonal()

    # ------------------------------------------------------------------ values

    def margin(self, Z: Vector, start: Vector | None = None) -> Margin:
        """f(M) for M = R Z R', for the given K, by a quadratic program over a box.

        ``start`` is a lambda to start from, for example the solution for a similar matrix.
        """
        M = Z[np.ix_(self.groups.nodes, self.groups.nodes)]
        guess = np.zeros(self.n) if start is None else start * self.unit
        # The box is a restricted dual in which every row is a group of its own, with the cap C.
        solution = solve_restricted_dual(
            self.K * M, np.ones(self.n), np.arange(self.n), np.full(self.n, self.C), guess
        )
        # The primal value bounds f from above even where the program is not solved exactly.
        return Margin(2 * solution.primal / self.unit, solution.alpha / self.unit)

    def label_margin(self, labels: Indices, rtol: float = 1e-4, most: float = np.inf) -> Margin:
        codes = self.codes[labels]
        return self.margin(codes @ codes.T)

    def product(self, A: Vector) -> Vector:
        return np.asarray(self.K @ A)

    def violation(self, Z: Vector) -> float:
        """The largest violation of a triangle inequality or of the balance; 0 if there is none."""
        _, excess = violated_triangles(Z, SIGNS, 0.0)
        return max(float(excess.max(initial=0.0)), self.imbalance(Z))

    def imbalance(self, Z: Vector) -> float:
        """The largest excess of the mean of a row of M over l / n; 0 if there is none."""
        return max(0.0, float(np.abs(Z @ self.sizes).max()) - self.limit) / self.n

    def bound(self, point: DualPoint) -> float:
        r"""A lower bound of f over the feasible M, for the given K.

        For lambda in the box f(M) >= 2 lambda'e - <A, Z> with A = R'(K o lambda lambda')R. By the
        other multipliers <A, Z> is at most sum(delta) + sum(t) + l sum(\|beta\|) plus <S, Z>, where
        S = A + T'(t) - (beta N' + N beta') / 2 - Diag(delta) for the nodes' sizes N; and as Z has
        trace n_nodes, <S, Z> is at most n_nodes times the largest eigenvalue of S. The rounding
        error is subtracted.
        """
        S = self.penalised(point.lam, point.triangles, point.t, point.beta)
        S.flat[:: self.n_nodes + 1] -= point.delta
        largest = eigh(S, eigvals_only=True, subset_by_index=[self.n_nodes - 1] * 2)[0]
        above = point.delta.sum() + point.t.sum() + self.limit * np.abs(point.beta).sum()
        bound = 2 * point.lam.sum() - above - self.n_nodes * largest
        # The eigenvalue is known to a multiple of the unit roundoff times the norm of S.
        size = 2 * point.lam.sum() + np.abs(point.delta).sum() + self.n_nodes * norm(S)
        return float(bound - MULTIPLE * DOUBLE * size) / self.unit

    def allows(self, point: DualPoint) -> bool:
        """Whether the dual variables are feasible, which the bound requires."""
        inside = np.all((point.lam >= 0) & (point.lam <= self.C))
        return bool(inside and np.all(point.t >= 0) and np.all(np.abs(point.triangles.signs) == 1))

    def penalised(self, lam: Vector, triangles: Triangles, t: Vector, beta: Vector) -> Vector:
        """A + T'(t) - (beta N' + N beta') / 2; see :meth:`bound`."""
        S = self.groups.summed(self.K * np.outer(lam, lam))
        S = S - (np.outer(beta, self.sizes) + np.outer(self.sizes, beta)) / 2
        ends = np.triu_indices(self.n_nodes, 1)
        # Half for each of the two entries of a pair.
        pairs = triangles.rows(self.n_nodes).T @ t / 2
        S[ends] += pairs
        S.T[ends] += pairs
        return S
