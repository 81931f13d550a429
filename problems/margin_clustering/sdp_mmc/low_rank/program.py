"""The semidefinite program of maximum margin clustering for a kernel of explicit features.

The variable is V of shape (n_nodes, r) with rows of norm 1, and Z = V V'. Data row i has the
features phi_i, and v_i is the row of V for the node of data row i. The objective f is the objective
of a support vector machine with the vectors v_i instead of labels:

.. math:: f(M) = \\min_W |W|^2 + 2 C \\sum_i (1 - \\langle W^\\top \\phi_i, v_i \\rangle)_+

If each row of the matrix V is the code of a label, the objective f is the objective of a support
vector machine for the labels. For two clusters, the objective f is the objective of Xu et al., with
the labels -1 and +1. For more than two clusters, the loss in the objective f is the simplex
halfspace loss of Mroueh, Poggio, Rosasco & Slotine (NIPS 2012).

The balance constraint bounds the norm of a weighted sum of the rows of the matrix V. The weight of
a row is the size of its node. The balance constraint implies equation L4 of Xu et al., which bounds
the sum of each row of M.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize, minimize_scalar

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.margin_clustering.sdp_mmc.features import KernelFeatures
from structsvm.problems.margin_clustering.sdp_mmc.groups import Groups
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.cuts import Cuts, Pairs
from structsvm.problems.margin_clustering.sdp_mmc.program import Margin, Program

#: Least k(x, x) in a penalty, relative to the mean.
LEAST = 1e-2
#: Relative gap to which f is computed.
MARGIN_RTOL = 1e-4
#: Largest number of rounds of a margin, and of iterations of L-BFGS in a round.
MARGIN_ROUNDS, MARGIN_ITERATIONS = 60, 100
#: Factor of the penalty after each round.
MARGIN_GROWTH = 1.5


class LowRankProgram(Program):
    """The semidefinite program for a kernel of explicit features.

    Parameters
    ----------
    features : KernelFeatures
        The features of the training rows.
    C, balance, groups, n_clusters
        The parameters of :class:`Program`.

    Attributes
    ----------
    features : ndarray of shape (n, p)
        The features of each row, scaled so that k(x, x) has a mean of 1. If the label of a row is
        opposite to the label of its node, the features of the row are multiplied by -1. The
        coordinate axes are the principal axes of the rows, computed from rows scaled to equal
        norms.
    spread : ndarray of shape (p,)
        The sum of squares along each principal axis, over the rows scaled to equal norms.
    residual : ndarray of shape (n,)
        The part of the scaled k(x, x) that the features do not represent.
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
        """Return the component of each row of ``features @ W`` along the row's vector in ``V``."""
        return np.asarray(np.einsum("ij,ij->i", self.features @ W, self.of_rows(V)))

    def violation(self, V: Vector, cuts: Cuts) -> float:
        """Return the largest violation of an inequality or of the balance, or 0."""
        excess = Pairs(cuts, self.n_nodes).excess(V)
        return max(self.imbalance(V), float(excess.max(initial=0.0)))

    def imbalance(self, V: Vector) -> float:
        """Return the amount by which the norm of the mean row of ``V`` exceeds its limit, or 0."""
        return max(0.0, float(np.linalg.norm(self.sizes @ V)) - self.limit) / self.n

    def product(self, A: Vector) -> Vector:
        """Multiply the matrix of inner products of the features by ``A``."""
        return np.asarray(self.features @ (self.features.T @ A))

    # ------------------------------------------------------------------ the margin

    def label_margin(
        self, labels: Indices, rtol: float = MARGIN_RTOL, most: float = np.inf
    ) -> Margin:
        return self.margin(self.codes[labels], rtol, most)

    def margin(self, V: Vector, rtol: float = MARGIN_RTOL, most: float = np.inf) -> Margin:
        """Compute the objective f and its dual variables for a matrix V with rows of norm 1.

        The objective and the dual variables are for the user's kernel, before scaling. The returned
        value is the objective for some weights W, so it is at least the minimum over all W. The
        relative error of the returned value is at most ``rtol``, unless the computation ends early.
        If the objective exceeds ``most``, or after ``MARGIN_ROUNDS`` rounds, the computation ends
        early.
        """
        nothing = np.zeros((self.features.shape[1], V.shape[1]))
        W, lam = self.weights(V, rtol, nothing, np.zeros(self.n), most * self.unit)
        return Margin(self.primal(V, W), self.lower_value(lam, V)[1] / self.unit)

    def weights(
        self, V: Vector, rtol: float, W: Vector, lam: Vector, most: float = np.inf
    ) -> tuple[Vector, Vector]:
        """Return the weights W of least objective for the matrix V, and their Lagrange multipliers.

        An augmented Lagrangian method optimises W and the multipliers lambda, starting from the
        arguments W and lambda. If a lower bound on the objective exceeds ``most``, the method ends
        early. The objective and ``most`` refer to the kernel divided by the mean of k(x, x).
        """
        rows, shape = self.of_rows(V), W.shape
        penalty, best, least = 1.0, W, np.inf
        for _ in range(MARGIN_ROUNDS):
            rho = penalty / self.squares
            # The curvature of the penalty, if each row's vector had equal parts in two directions.
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
        """Return updated multipliers, and the sum of their terms in the augmented Lagrangian.

        Within [0, C], the updated multipliers maximise the augmented Lagrangian. ``slack`` is 1
        minus the scores.
        """
        now = np.clip((lam / rho + slack) / (1 / rho + self.residual), 0, self.C)
        terms = 2 * now * slack - self.residual * now**2 - (now - lam) ** 2 / rho
        return now, float(terms.sum())

    def value(self, square: float, scores: Vector) -> float:
        """Return the objective of the weights after scaling them by the best factor from 0 to 4.

        ``square`` is the squared norm of the weights, and ``scores`` are the scores of the rows.
        """

        def scaled(a: float) -> float:
            slack = np.maximum(1 - a * scores, 0)
            bent = self.residual * self.C  # the loss is linear beyond this slack
            with np.errstate(divide="ignore", invalid="ignore"):
                near = np.where(self.residual > 0, slack**2 / self.residual, 0)
            far = self.C * (2 * slack - bent)
            return a * a * square + float(np.where(slack < bent, near, far).sum())

        return float(minimize_scalar(scaled, bounds=(0, 4), options={"xatol": 1e-10}).fun)

    def primal(self, V: Vector, W: Vector) -> float:
        """Multiply ``W`` by the best factor, and return the objective for the unscaled kernel."""
        return self.value(float(np.sum(W * W)), self.along(V, W)) / self.unit

    def lower_value(self, lam: Vector, V: Vector) -> tuple[float, Vector]:
        """Return the largest dual value of a multiple of ``lam``, and the multiple."""
        G = self.features.T @ (lam[:, None] * self.of_rows(V))
        square = float(np.sum(G * G) + self.residual @ lam**2)
        factor = self.factor(lam, square)
        return 2 * factor * float(lam.sum()) - factor**2 * square, factor * lam

    def factor(self, lam: Vector, square: float) -> float:
        """Return the a <= C / max(lam) that maximises the dual value of multipliers ``a * lam``."""
        most = self.C / lam.max() if lam.any() else 1.0
        return min(float(lam.sum()) / square, most) if square > 0 else most
