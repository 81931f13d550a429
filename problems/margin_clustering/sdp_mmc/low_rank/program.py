"""The semidefinite program with a kernel by features: the values of matrices.

The variable is V of shape (n_nodes, r) with rows of norm 1, and Z = V V'. With rows phi of the
features and v of the nodes,

.. math:: f(M) = \\min_W |W|^2 + 2 C \\sum_i (1 - \\langle W^\\top \\phi_i, v_i \\rangle)_+

which is a support vector machine with vectors for labels. For the codes of labels in place of v it
is their objective: for two clusters, whose codes are -1 and +1, that of Xu et al., and for more the
simplex halfspace loss of Mroueh, Poggio, Rosasco & Slotine (NIPS 2012).

The balance is N' Z N <= l^2 for the sizes N of the nodes: the sum of the codes of all rows has a
norm of at most l. It implies equation L4 of Xu et al., which bounds each row's sum.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize, minimize_scalar

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.margin_clustering.sdp_mmc.features import KernelFeatures
from structsvm.problems.margin_clustering.sdp_mmc.groups import Groups
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.cuts import Cuts, Pairs
from structsvm.problems.margin_clustering.sdp_mmc.program import Margin, Program

#: Smallest k(x, x) used for a penalty, relative to the mean.
LEAST = 1e-2
#: Relative gap to which f is computed.
MARGIN_RTOL = 1e-4
#: Rounds of a margin, at most, and iterations of L-BFGS in each.
MARGIN_ROUNDS, MARGIN_ITERATIONS = 60, 100
#: Increase of the penalty in each round.
MARGIN_GROWTH = 1.5


class LowRankProgram(Program):
    """The program with a kernel by features.

    Parameters
    ----------
    features : KernelFeatures
    C, balance, groups, n_clusters
        As in :class:`Program`.

    Attributes
    ----------
    features : ndarray of shape (n, p)
        Features scaled to a mean diagonal of 1, with the signs of the rows, along the principal
        axes of the rows scaled to equal norms.
    spread : ndarray of shape (p,)
        The sum of the squares of each of these axes.
    residual : ndarray of shape (n,)
        The part of k(x, x) that no feature has, scaled.
    """

    draws, tried, improved = 200, 10, 3

    def __init__(
        self, features: KernelFeatures, C: float, balance: float, groups: Groups, n_clusters: int
    ) -> None:
        squares = np.einsum("ij,ij->i", features.rows, features.rows) + features.residual
        super().__init__(float(squares.mean()), C, balance, groups, n_clusters)
        self.squares = np.maximum(squares / self.unit, LEAST)
        rows = features.rows * (groups.signs / np.sqrt(self.unit))[:, None]
        scaled = rows / np.sqrt(self.squares)[:, None]
        values, axes = np.linalg.eigh(scaled.T @ scaled)
        self.features, self.spread = rows @ axes, np.maximum(values, 0)
        self.residual = features.residual / self.unit
        self.diagonal = np.einsum("ij,ij->i", self.features, self.features)

    def along(self, V: Vector, W: Vector) -> Vector:
        """The score of every row along its vector; shape (n,)."""
        return np.einsum("ij,ij->i", self.features @ W, self.of_rows(V))

    def violation(self, V: Vector, cuts: Cuts) -> float:
        """The largest violation of the inequalities, or of l / n by the mean; 0 if none."""
        excess = Pairs(cuts, self.n_nodes).excess(V)
        return max(self.imbalance(V), float(excess.max(initial=0.0)))

    def imbalance(self, V: Vector) -> float:
        """The excess of the norm of the mean over l / n; 0 if there is none."""
        return max(0.0, float(np.linalg.norm(self.sizes @ V)) - self.limit) / self.n

    def product(self, A: Vector) -> Vector:
        """The kernel of the features, without the residual, times A."""
        return np.asarray(self.features @ (self.features.T @ A))

    # ------------------------------------------------------------------ the margin

    def label_margin(
        self, labels: Indices, rtol: float = MARGIN_RTOL, most: float = np.inf
    ) -> Margin:
        return self.margin(self.codes[labels], rtol, most)

    def margin(self, V: Vector, rtol: float = MARGIN_RTOL, most: float = np.inf) -> Margin:
        """f(M) for Z = V V', for the given kernel, and lambda; the rows of V have norm 1.

        The value is that of a feasible W, so it is at least f, and at most by ``rtol`` of it unless
        f is proved to be above ``most``, or the rounds end first.
        """
        nothing = np.zeros((self.features.shape[1], V.shape[1]))
        W, lam = self.weights(V, rtol, nothing, np.zeros(self.n), most * self.unit)
        return Margin(self.primal(V, W), self.lower_value(lam, V)[1] / self.unit)

    def weights(
        self, V: Vector, rtol: float, W: Vector, lam: Vector, most: float = np.inf
    ) -> tuple[Vector, Vector]:
        """The W of least objective for V, to a relative gap, and lambda, from a first W and lambda.

        An augmented Lagrangian in W alone, with lambda for its multipliers. It ends early where the
        objective is above ``most`` for the scaled kernel.
        """
        rows, shape = self.of_rows(V), W.shape
        penalty, best, least = 1.0, W, np.inf
        for _ in range(MARGIN_ROUNDS):
            rho = penalty / self.squares
            # The curvature of the penalty, were each row's direction one of two.
            scale = 1 / np.sqrt(1 + penalty * self.spread / 2)[:, None]

            def lagrangian(x: Vector) -> tuple[float, Vector]:
                W = x.reshape(shape) * scale  # noqa: B023
                slack = 1 - np.einsum("ij,ij->i", self.features @ W, rows)
                now, value = self.multipliers(slack, lam, rho)  # noqa: B023
                gradient = 2 * W - 2 * (self.features.T @ (now[:, None] * rows))
                return float(np.sum(W * W)) + value, (gradient * scale).ravel()  # noqa: B023

            options = {"maxiter": MARGIN_ITERATIONS, "ftol": 1e-7, "gtol": 1e-7, "maxcor": 20}
            start = (W / scale).ravel()
            found = minimize(lagrangian, start, jac=True, method="L-BFGS-B", options=options)
            W = found.x.reshape(shape) * scale
            scores = self.along(V, W)
            lam, _ = self.multipliers(1 - scores, lam, rho)
            value = self.value(float(np.sum(W**2)), scores)
            if value < least:
                best, least = W, value
            lower, _ = self.lower_value(lam, V)
            if lower > most or least - lower <= rtol * least:
                break
            penalty *= MARGIN_GROWTH
        return best, lam

    def multipliers(self, slack: Vector, lam: Vector, rho: Vector) -> tuple[Vector, float]:
        """The multipliers after ``lam`` for 1 minus the scores, and their part of the Lagrangian.

        They maximise 2 lambda'slack - sum residual lambda^2 - |lambda - lam|^2 / rho in [0, C].
        """
        now = np.clip((lam / rho + slack) / (1 / rho + self.residual), 0, self.C)
        terms = 2 * now * slack - self.residual * now**2 - (now - lam) ** 2 / rho
        return now, float(terms.sum())

    def value(self, square: float, scores: Vector) -> float:
        """The least objective of a multiple of W, from |W|^2 and the scores; scaled kernel."""

        def scaled(a: float) -> float:
            slack = np.maximum(1 - a * scores, 0)
            bent = self.residual * self.C  # the loss is linear beyond
            with np.errstate(divide="ignore", invalid="ignore"):
                near = np.where(self.residual > 0, slack**2 / self.residual, 0)
            far = self.C * (2 * slack - bent)
            return a * a * square + float(np.where(slack < bent, near, far).sum())

        return float(minimize_scalar(scaled, bounds=(0, 4), options={"xatol": 1e-10}).fun)

    def primal(self, V: Vector, W: Vector) -> float:
        """The least objective of V and a multiple of W, for the given kernel; at least f(M)."""
        return self.value(float(np.sum(W * W)), self.along(V, W)) / self.unit

    def lower_value(self, lam: Vector, V: Vector) -> tuple[float, Vector]:
        """The largest dual value of a multiple of lambda at V, and that multiple."""
        G = self.features.T @ (lam[:, None] * self.of_rows(V))
        square = float(np.sum(G * G) + self.residual @ lam**2)
        factor = self.factor(lam, square)
        return 2 * factor * float(lam.sum()) - factor**2 * square, factor * lam

    def factor(self, lam: Vector, square: float) -> float:
        """The a in [0, C / max(lam)] that maximises 2 a sum(lam) - a^2 square."""
        most = self.C / lam.max() if lam.any() else 1.0
        return min(float(lam.sum()) / square, most) if square > 0 else most
