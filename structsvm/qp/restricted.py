"""Solve the restricted dual QP and certify the answer by its gap, whatever the backend reports."""

import logging
from typing import Any, NamedTuple

import numpy as np

import structsvm.qp.active_set as active_set
import structsvm.qp.interior_point as interior_point
from structsvm.qp.certificate import Certificate, certify, clip_to_feasible
from structsvm.qp.coordinates import Coordinates

logger = logging.getLogger(__name__)

#: Largest relative gap and violation of an answer that is certified, where ``tol`` is out of reach.
LOOSEST = 1e-6


class QPSolution(NamedTuple):
    """A feasible point of the restricted dual and the values that certify it.

    Attributes
    ----------
    alpha : ndarray of shape (m,)
        ``alpha >= 0``, and the sum over each group at most its cap.
    primal, dual, gap : float
        Restricted objectives at w and alpha, and ``primal - dual``. The dual is a lower bound of
        the restricted optimum whatever happened.
    violation : float
        Largest violation of a hard plane, relative to ``|b_j| + |a_j| |w|``.
    rounding : float
        The part of the gap that float64 may not resolve.
    backend : {'active-set', 'interior-point', 'cvxopt'}
        The solver that found it.
    iterations : int
        Iterations of that backend.
    certified : bool
        Whether ``abs(gap) <= tol * max(abs(primal), abs(dual))`` and ``violation <= tol``. Where
        neither backend gets there, because huge caps magnify the rounding of the residuals, the
        better answer counts as certified if it meets 1e-6.
    w : ndarray of shape (size,) or None
        The point of the primal value; None if it is ``A' alpha``. It differs if the rows of A
        almost cancel in this sum, so that its rounding errors would exceed w.
    """

    alpha: np.ndarray
    primal: float
    dual: float
    gap: float
    violation: float
    rounding: float
    backend: str
    iterations: int
    certified: bool
    w: np.ndarray | None = None

    @property
    def certificate(self) -> Certificate:
        return Certificate(self.primal, self.dual, self.gap, self.violation, self.rounding)


def solve_restricted_dual(
    H: np.ndarray,
    b: np.ndarray,
    groups: np.ndarray,
    caps: np.ndarray,
    alpha0: np.ndarray | None = None,
    tol: float = 1e-9,
    rows: Any = None,
) -> QPSolution:
    """Maximise ``b.alpha - alpha' H alpha / 2`` over ``alpha >= 0`` with a cap on each group's sum.

    Parameters
    ----------
    H : ndarray of shape (m, m), float64
        Gram matrix ``A A'`` of the planes; may be singular and a view of a larger buffer.
    b : ndarray of shape (m,)
        Offsets.
    groups : ndarray of shape (m,), int
        Group of each plane, an index into ``caps``.
    caps : ndarray of shape (n_groups,)
        Positive caps; ``inf`` makes the planes of a group hard: ``a_j.w >= b_j`` without slack.
    alpha0 : ndarray of shape (m,), optional
        Warm start, made feasible first. New planes have 0.
    tol : float, default=1e-9
        Relative gap and violation at which the dual counts as solved.
    rows : ndarray or CSR matrix of shape (m, size), optional
        A itself, where it is known: where H is too rough, the rows decide.

    Returns
    -------
    QPSolution
        The active set's answer if it is certified, else the better of it and the interior point's.
        If the dual is unbounded (inconsistent hard planes) it comes back with ``certified=False``.
    """
    m = len(b)
    if m == 0:
        return QPSolution(np.zeros(0), 0.0, 0.0, 0.0, 0.0, 0.0, "active-set", 0, True)
    # Hard planes have no scale of their own, and a Gram matrix of rows of different norms has a
    # large condition number.
    unit = _units(H, groups, caps)
    start = None if alpha0 is None else alpha0 / unit
    scaled = H * np.outer(unit, unit) if np.any(unit != 1) else H
    found = _solve(scaled, b * unit, groups, caps, start, tol, rows, unit)
    return found._replace(alpha=found.alpha * unit)


def _units(H, groups, caps) -> np.ndarray:
    """Factors that scale hard planes to the largest norm of the other planes, which have 1."""
    hard, norms = np.isinf(caps[groups]), np.sqrt(H.diagonal())
    usual = norms[~hard].max(initial=0.0) or 1.0
    return np.where(hard & (norms > 0), usual / np.where(norms > 0, norms, 1.0), 1.0)


def _solve(H, b, groups, caps, alpha0, tol, rows, unit) -> QPSolution:
    m = len(b)
    start = clip_to_feasible(np.zeros(m) if alpha0 is None else alpha0, groups, caps)
    with np.errstate(over="ignore", invalid="ignore"):  # an unbounded dual may overflow
        # Twice if need be: a start with huge products leaves its rounding in the updated gradient.
        for _ in range(2):
            alpha, iterations = active_set.solve(H, b, groups, caps, start, tol)
            alpha = clip_to_feasible(alpha, groups, caps)
            certificate = certify(H, b, groups, caps, alpha)
            best = QPSolution(alpha, *certificate, "active-set", iterations, True)
            if certificate.accepts(tol):
                return best
            start = alpha
        logger.debug(
            "active set not certified on %d planes (gap %.2e, violation %.2e, rounding %.2e): the "
            "interior point is tried",
            m,
            *certificate[2:],
        )
        other = _by_interior_point(H, b, groups, caps, tol, rows, unit)
        best = min(best, other, key=lambda solution: solution.certificate.badness)
    best = best._replace(certified=best.certificate.error <= max(tol, LOOSEST))
    if not best.certified:
        logger.debug("no certified answer: best gap %.2e (%s)", best.gap, best.backend)
    return best


def _by_interior_point(H, b, groups, caps, tol, rows, unit) -> QPSolution:
    coordinates = None if rows is None else Coordinates.of_rows(rows)
    if coordinates is None:
        coordinates = Coordinates.of_gram(H)
    else:
        coordinates = coordinates._replace(T=coordinates.T * unit[:, None])
    alpha, z, certificate, iterations = interior_point.solve(coordinates.T, b, groups, caps, tol)
    w = coordinates.point(z)
    return QPSolution(alpha, *certificate, "interior-point", iterations, True, w)
