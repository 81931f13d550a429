"""The lower bound of f that dual variables of the program with features prove."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import norm

from structsvm.data.arrays import Vector
from structsvm.objective.rounding import DOUBLE, MULTIPLE
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.cuts import NO_CUTS, Cuts, Pairs
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.eigenvalue import (
    Product,
    confirmed,
    estimated,
)
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.program import LowRankProgram


class LowRankPoint(NamedTuple):
    """Dual variables that prove a lower bound, for features with a mean squared norm of 1.

    Attributes
    ----------
    lam : ndarray of shape (n,)
        For the margins, in [0, C].
    cuts : Cuts
        The inequalities of pairs that have a multiplier.
    t : ndarray of shape (n_cuts,)
        For these, >= 0.
    beta : float
        For the balance, >= 0.
    delta : ndarray of shape (n_nodes,)
        For the unit diagonal, >= 0, up to a common factor.
    mu : float
        The eigenvalue of :func:`bound`, as estimated; the bound does not rest on it.
    """

    lam: Vector
    cuts: Cuts
    t: Vector
    beta: float
    delta: Vector
    mu: float = 0.0


def no_multipliers(program: LowRankProgram) -> LowRankPoint:
    """The dual variables that prove that f is not negative."""
    nothing = np.zeros(program.n)
    return LowRankPoint(nothing, NO_CUTS, np.zeros(0), 0.0, np.ones(program.n_nodes))


def bound(program: LowRankProgram, point: LowRankPoint) -> float:
    r"""A lower bound of f over the feasible Z, for the given kernel.

    For lambda in the box f(M) >= 2 lambda'e - <A, Z> with A = R'(K o lambda lambda')R. By the
    other multipliers <A, Z> is at most beta l^2 + sum(t bounds) plus <S, Z> with the matrix
    S = A - beta N N' + Q(t) / 2. Let a be the diagonal of S, and mu the largest eigenvalue of
    D^(-1/2) (S - Diag(a)) D^(-1/2) with D = Diag(delta): as Z has a unit diagonal, <S, Z> is at
    most sum(a) + mu sum(delta). Rounding errors are subtracted, in proportion to the terms. Up
    to 4000 nodes mu is confirmed; beyond, the bound assumes that Lanczos' method found the largest
    eigenvalue.
    """
    mu = confirmed(_scaled_product(program, point), program.n_nodes, point.mu)
    above, size = _above(program, point, mu)
    return _without_rounding(program, 2 * float(point.lam.sum()), above, size)


def scaled(program: LowRankProgram, point: LowRankPoint) -> tuple[LowRankPoint, float]:
    """The point with the multiple of lambda of the largest bound, and this bound.

    The same as :func:`bound`, but with mu estimated and not confirmed.
    """
    mu = estimated(_scaled_product(program, point), program.n_nodes)
    above, size = _above(program, point, mu)
    a = program.factor(point.lam, above)
    gain = 2 * a * float(point.lam.sum())
    lam = np.clip(a * point.lam, 0, program.C)
    multiple = point._replace(lam=lam, t=a**2 * point.t, beta=a**2 * point.beta, mu=a**2 * mu)
    return multiple, _without_rounding(program, gain, a**2 * above, a**2 * size)


def _without_rounding(program: LowRankProgram, gain: float, above: float, size: float) -> float:
    """The difference in the given units, less what rounding may have added."""
    return (gain - above - MULTIPLE * DOUBLE * (gain + size)) / program.unit


def allows(program: LowRankProgram, point: LowRankPoint) -> bool:
    """Whether the dual variables are feasible, which the bound requires."""
    inside = np.all((point.lam >= 0) & (point.lam <= program.C)) and np.all(point.delta > 0)
    signed = inside and point.beta >= 0 and np.all(point.t >= 0)
    return bool(signed and _valid(point.cuts, program.n_clusters))


def _valid(cuts: Cuts, n_clusters: int) -> bool:
    """Whether all labellings satisfy the inequalities."""
    pair = (cuts.signs == (0, 0, 1)).all(axis=1) & (cuts.bounds >= 1 / (n_clusters - 1) - 1e-12)
    transitive = (cuts.signs == (-1, -1, 1)).all(axis=1) & (cuts.bounds >= 1)
    two = (cuts.signs == 1).all(axis=1) & (cuts.bounds >= 1) & (n_clusters == 2)
    return bool(np.all(pair | transitive | two))


def _above(program: LowRankProgram, point: LowRankPoint, mu: float) -> tuple[float, float]:
    """The bound of <A, Z> with this mu, and the size of its terms."""
    terms = _terms(program, point)
    diagonal = terms.diagonal
    parts = (
        diagonal.sum(), max(mu, 0.0) * point.delta.sum(), program.limit**2 * point.beta,
        point.t @ point.cuts.bounds,
    )  # fmt: skip
    size = float(np.abs(diagonal).sum() + sum(map(abs, parts)))
    return float(sum(parts)), size + float(point.delta.sum()) * _scaled_size(terms, point.delta)


def _scaled_size(terms: Terms, delta: Vector) -> float:
    """At least the norms of the terms of D^(-1/2) (S - Diag(a)) D^(-1/2) of :func:`bound`.

    They may be far above mu where delta differs, and mu is computed to a multiple of the unit
    roundoff times these.
    """
    roots = sparse.diags(1 / np.sqrt(delta))
    # Diag(a) cancels the diagonals of the others.
    return 2 * float(np.sum(terms.squares / delta)) + float(norm(roots @ terms.Q @ roots))


def _scaled_product(program: LowRankProgram, point: LowRankPoint) -> Product:
    """Products with D^(-1/2) (S - Diag(a)) D^(-1/2) of :func:`bound`."""
    product, diagonal = penalised(program, point)
    roots = 1 / np.sqrt(point.delta)[:, None]

    def scaled_product(X: Vector) -> Vector:
        X = roots * X.reshape(program.n_nodes, -1)
        return np.asarray(roots * (product(X) - diagonal[:, None] * X))

    return scaled_product


class Terms(NamedTuple):
    """S of :func:`bound` as F F' + Diag(private) - beta N N' + Q.

    Attributes
    ----------
    factor : ndarray of shape (n_nodes, p)
        F.
    private : ndarray of shape (n_nodes,)
    Q : csr_matrix of shape (n_nodes, n_nodes)
        Without a diagonal.
    diagonal : ndarray of shape (n_nodes,)
        The diagonal of S.
    squares : ndarray of shape (n_nodes,)
        The sum of the absolute terms of the diagonal.
    """

    factor: Vector
    private: Vector
    Q: sparse.csr_matrix
    diagonal: Vector
    squares: Vector


def _terms(program: LowRankProgram, point: LowRankPoint) -> Terms:
    factor = program.of_nodes(point.lam[:, None] * program.features)
    private = program.of_nodes((program.residual * point.lam**2)[:, None])[:, 0]
    added = np.einsum("ij,ij->i", factor, factor) + private
    subtracted = point.beta * program.sizes**2
    Q = Pairs(point.cuts, program.n_nodes).matrix(point.t) / 2
    return Terms(factor, private, Q, added - subtracted, added + subtracted)


def penalised(program: LowRankProgram, point: LowRankPoint) -> tuple[Product, Vector]:
    """Products with S of :func:`bound`, and the diagonal of S."""
    factor, private, Q, diagonal, _ = _terms(program, point)

    def product(X: Vector) -> Vector:
        balance = np.outer(program.sizes, point.beta * (program.sizes @ X))
        return np.asarray(factor @ (factor.T @ X) + private[:, None] * X - balance + Q @ X)

    return product, diagonal
