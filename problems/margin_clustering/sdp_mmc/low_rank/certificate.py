"""Compute a lower bound on the objective of the low-rank program from dual variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgError, cholesky, eigvalsh
from scipy.sparse.linalg import LinearOperator, eigsh, norm

from structsvm.data.arrays import Vector
from structsvm.objective.rounding import DOUBLE, MULTIPLE
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.cuts import Cuts, Pairs
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.program import LowRankProgram

#: Largest size of a matrix whose eigenvalue is computed from a dense matrix.
DENSE = 600
#: Largest size of a matrix whose estimated eigenvalue is confirmed, which takes some seconds.
CONFIRMED = 4000
#: Relative accuracy of Lanczos' method; a bound on its error is added to the eigenvalue.
LANCZOS_RTOL = 1e-4
#: Number of Lanczos vectors that are kept.
LANCZOS = 40
#: Relative increase of the estimate. Half of it covers the rounding of the factorisation.
SHIFT = 1e-5
#: Number of columns of a dense matrix in one product.
BLOCK = 500

#: A function that multiplies a matrix by the columns of its argument.
Product = Callable[[Vector], Vector]


class LowRankPoint(NamedTuple):
    """Dual variables that prove a lower bound, for features with a mean squared norm of 1.

    Attributes
    ----------
    lam : ndarray of shape (n,)
        Multipliers lambda of the margins, in [0, C].
    cuts : Cuts
        The inequalities to which the multipliers ``t`` belong.
    t : ndarray of shape (n_cuts,)
        Multipliers of ``cuts``, >= 0.
    beta : float
        Multiplier of the balance, >= 0.
    delta : ndarray of shape (n_nodes,)
        Multipliers, > 0, of the constraints Z_ii = 1, up to a common factor.
    mu : float
        An estimate of the largest eigenvalue of the matrix on which the lower bound depends. The
        lower bound is valid for every value of ``mu``.
    """

    lam: Vector
    cuts: Cuts
    t: Vector
    beta: float
    delta: Vector
    mu: float = 0.0


def bound(program: LowRankProgram, point: LowRankPoint) -> float:
    """Return a lower bound on the objective of all feasible matrices, proved by dual variables.

    The bound is for the unscaled kernel, and a bound on the rounding errors is subtracted. The
    lower bound depends on the largest eigenvalue of a matrix over the nodes. With more than 4000
    nodes, the bound assumes that Lanczos' method found the largest eigenvalue.
    """
    # For lambda in [0, C], f(M) >= 2 lambda'e - <A, Z> with A = R'(K o lambda lambda')R. With the
    # multipliers beta and t, <A, Z> is at most beta l^2 + sum(t bounds) + <S, Z> with the matrix
    # S = A - beta N N' + Q(t) / 2. Let a be the diagonal of S, and mu the largest eigenvalue of
    # D^(-1/2) (S - Diag(a)) D^(-1/2) with D = Diag(delta). As Z has a unit diagonal, <S, Z> is at
    # most sum(a) + mu sum(delta).
    _, above, size = _bounded(program, point, lambda S: confirmed(S, program.n_nodes, point.mu))
    return _without_rounding(program, 2 * float(point.lam.sum()), above, size)


def scaled(program: LowRankProgram, point: LowRankPoint) -> tuple[LowRankPoint, float]:
    """Scale the dual variables for the largest lower bound; return the variables and the bound.

    The lower bound uses an estimate of the largest eigenvalue, without a proof that no eigenvalue
    is larger.
    """
    mu, above, size = _bounded(program, point, lambda S: estimated(S, program.n_nodes))
    a = program.factor(point.lam, above)
    gain = 2 * a * float(point.lam.sum())
    lam = np.clip(a * point.lam, 0, program.C)
    multiple = point._replace(lam=lam, t=a**2 * point.t, beta=a**2 * point.beta, mu=a**2 * mu)
    return multiple, _without_rounding(program, gain, a**2 * above, a**2 * size)


def _without_rounding(program: LowRankProgram, gain: float, above: float, size: float) -> float:
    """Return the lower bound for the unscaled kernel, minus a bound on the rounding errors."""
    return (gain - above - MULTIPLE * DOUBLE * (gain + size)) / program.unit


def allows(program: LowRankProgram, point: LowRankPoint) -> bool:
    """Whether the dual variables are feasible, and all labellings satisfy ``point.cuts``."""
    cuts, k = point.cuts, program.n_clusters
    pair = (cuts.signs == (0, 0, 1)).all(axis=1) & (cuts.bounds >= 1 / (k - 1) - 1e-12)
    transitive = (cuts.signs == (-1, -1, 1)).all(axis=1) & (cuts.bounds >= 1)
    two = (cuts.signs == 1).all(axis=1) & (cuts.bounds >= 1) & (k == 2)
    inside = np.all((point.lam >= 0) & (point.lam <= program.C)) and np.all(point.delta > 0)
    signed = inside and point.beta >= 0 and np.all(point.t >= 0)
    return bool(signed and np.all(pair | transitive | two))


def _bounded(
    program: LowRankProgram, point: LowRankPoint, largest_eigenvalue: Callable[[Product], float]
) -> tuple[float, float, float]:
    # Return mu, an upper bound on <A, Z>, and the total size of the terms of the upper bound, in
    # the notation of bound.
    S, delta = penalised(program, point), point.delta
    mu = largest_eigenvalue(S.scaled(delta))
    parts = (
        S.diagonal.sum(), max(mu, 0.0) * delta.sum(), program.limit**2 * point.beta,
        point.t @ point.cuts.bounds,
    )  # fmt: skip
    # If the entries of delta differ, the norms of the terms of D^(-1/2) (S - Diag(a)) D^(-1/2) may
    # be far above mu. The error of mu is a multiple of the unit roundoff times these norms.
    roots = sparse.diags(1 / np.sqrt(delta))
    # Diag(a) cancels the diagonals of the other terms.
    norms = 2 * float(np.sum(S.squares / delta)) + float(norm(roots @ S.Q @ roots))
    size = float(np.abs(S.diagonal).sum() + sum(map(abs, parts))) + float(delta.sum()) * norms
    return mu, float(sum(parts)), size


class Penalised(NamedTuple):
    """The matrix S on which the lower bound depends, stored as a sum of simpler matrices.

    Attributes
    ----------
    factor : ndarray of shape (n_nodes, p)
    private : ndarray of shape (n_nodes,)
        For each node, the sum of ``residual * lam**2`` over the rows of the node.
    beta : float
    sizes : ndarray of shape (n_nodes,)
    Q : csr_matrix of shape (n_nodes, n_nodes)
        The weighted sum of the matrices of the inequalities. The diagonal of ``Q`` is 0.
    diagonal : ndarray of shape (n_nodes,)
        The diagonal of the matrix S.
    squares : ndarray of shape (n_nodes,)
        The vector ``diagonal + 2 * beta * sizes**2``.
    """

    factor: Vector
    private: Vector
    beta: float
    sizes: Vector
    Q: sparse.csr_matrix
    diagonal: Vector
    squares: Vector

    def without_diagonal(self, X: Vector) -> Vector:
        """Multiply the matrix S, with zeros on its diagonal, by ``X``."""
        balance = np.outer(self.sizes, self.beta * (self.sizes @ X))
        product = self.factor @ (self.factor.T @ X) + self.private[:, None] * X - balance
        return np.asarray(product + self.Q @ X - self.diagonal[:, None] * X)

    def scaled(self, delta: Vector) -> Product:
        # Multiply by D^(-1/2) (S - Diag(a)) D^(-1/2), in the notation of bound.
        roots = 1 / np.sqrt(delta)[:, None]
        return lambda X: roots * self.without_diagonal(roots * X.reshape(len(roots), -1))


def penalised(program: LowRankProgram, point: LowRankPoint) -> Penalised:
    """Compute the matrix S on which the lower bound depends."""
    factor = program.of_nodes(point.lam[:, None] * program.features)
    private = program.of_nodes((program.residual * point.lam**2)[:, None])[:, 0]
    added = np.einsum("ij,ij->i", factor, factor) + private
    subtracted = point.beta * program.sizes**2
    Q = Pairs(point.cuts, program.n_nodes).matrix(point.t) / 2
    diagonal, squares = added - subtracted, added + subtracted
    return Penalised(factor, private, point.beta, program.sizes, Q, diagonal, squares)


def estimated(product: Product, n: int) -> float:
    """Estimate an upper bound on the largest eigenvalue, by Lanczos' method for over 600 rows.

    Lanczos' method gives an eigenvalue and a bound on its error, but no proof that the eigenvalue
    is the largest: the random start may be orthogonal to the eigenvector of a larger eigenvalue.
    """
    if n <= DENSE:
        return _of_dense(product, n)
    operator = LinearOperator((n, n), matvec=product, dtype=np.float64)
    # The start is always the same, so that another computation gives the same bound.
    start = np.random.default_rng(0).standard_normal(n)
    values, vectors = eigsh(operator, 1, which="LA", v0=start, ncv=LANCZOS, tol=LANCZOS_RTOL)
    residual = product(vectors) - values * vectors
    return float(values[0] + np.linalg.norm(residual)) * (1 + SHIFT)


def confirmed(product: Product, n: int, estimate: float) -> float:
    """Return ``estimate`` if a matrix has no larger eigenvalue, and its largest one otherwise.

    Let I be the identity matrix. If ``estimate * I`` minus the matrix has a Cholesky factorisation,
    the estimate is at least the largest eigenvalue (Rump, Verification of Positive Definiteness,
    BIT 46, 2006). ``estimate`` is used only for matrices of 601 to 4000 rows; :func:`estimated`
    treats smaller and larger matrices.
    """
    if not DENSE < n <= CONFIRMED:
        return estimated(product, n)
    difference = _dense(product, n)
    difference *= -1
    difference.flat[:: n + 1] += estimate * (1 - SHIFT / 2)
    try:
        cholesky(difference, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return _of_dense(product, n)
    return estimate


def _of_dense(product: Product, n: int) -> float:
    return float(eigvalsh(_dense(product, n), subset_by_index=[n - 1] * 2)[0])


def _dense(product: Product, n: int) -> Vector:
    matrix = np.empty((n, n), order="F")
    for first in range(0, n, BLOCK):
        columns = np.eye(n, min(BLOCK, n - first), -first)
        matrix[:, first : first + BLOCK] = product(columns)
    return matrix
