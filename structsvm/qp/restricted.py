"""The restricted dual QP: solved, then certified by our own gap, whatever the solver says."""

import logging
from typing import NamedTuple

import numpy as np

from . import active_set, interior_point
from .certificate import certify, clip_to_feasible

logger = logging.getLogger(__name__)

#: The relative gap and violation that an answer may have at most to be believed.
LOOSEST = 1e-6


class DualSolution(NamedTuple):
    """A feasible point of the restricted dual and the proof of how good it is.

    Attributes
    ----------
    alpha : ndarray of shape (m,)
        ``alpha >= 0``, and the sum over each group at most its cap.
    primal, dual, gap : float
        Restricted objectives at ``w = A' alpha``, and ``primal - dual``. The dual is a lower bound
        of the restricted optimum whatever happened.
    violation : float
        Largest violation of a hard plane, relative to ``|b_j| + |a_j| |w|``.
    backend : {'active-set', 'cvxopt'}
        What the answer came from.
    iterations : int
        Iterations of that backend.
    certified : bool
        Whether ``abs(gap) <= tol * max(abs(primal), abs(dual))`` and ``violation <= tol``. Where
        neither backend gets there, because huge caps magnify the rounding of the residuals, the
        better answer passes if it meets 1e-6.
    """

    alpha: np.ndarray
    primal: float
    dual: float
    gap: float
    violation: float
    backend: str
    iterations: int
    certified: bool


def solve_restricted_dual(
    H: np.ndarray,
    b: np.ndarray,
    groups: np.ndarray,
    caps: np.ndarray,
    alpha0: np.ndarray | None = None,
    tol: float = 1e-9,
) -> DualSolution:
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
        Relative gap and violation that count as solved.

    Returns
    -------
    DualSolution
        The active set's answer if it is certified, else the better of it and cvxopt's. If the dual
        is unbounded (inconsistent hard planes) it comes back with ``certified=False``.
    """
    m = len(b)
    if m == 0:
        return DualSolution(np.zeros(0), 0.0, 0.0, 0.0, 0.0, "active-set", 0, True)
    start = clip_to_feasible(np.zeros(m) if alpha0 is None else alpha0, groups, caps)

    with np.errstate(over="ignore", invalid="ignore"):  # an unbounded dual may overflow
        # Twice if need be: a start with huge products leaves its rounding in the updated gradient.
        for _ in range(2):
            answer = active_set.solve(H, b, groups, caps, start, tol)
            ours = _certified_solution(H, b, groups, caps, answer, "active-set", tol)
            if ours.certified:
                return ours
            start = ours.alpha
        logger.debug(
            "active set not certified on %d planes (gap %.2e, violation %.2e): cvxopt takes over",
            m,
            ours.gap,
            ours.violation,
        )
        answer = interior_point.solve(H, b, groups, caps, tol)
        theirs = _certified_solution(H, b, groups, caps, answer, "cvxopt", tol)
    best = min(theirs, ours, key=_badness)
    best = best._replace(certified=_badness(best)[1] <= max(tol, LOOSEST))
    if not best.certified:
        logger.debug("no certified answer: best gap %.2e (%s)", best.gap, best.backend)
    return best


def _certified_solution(H, b, groups, caps, answer, backend: str, tol: float) -> DualSolution:
    alpha, iterations = answer
    alpha = clip_to_feasible(alpha, groups, caps)
    certificate = certify(H, b, groups, caps, alpha)
    primal, dual, gap, violation, _ = certificate
    certified = certificate.accepts(tol)
    return DualSolution(alpha, primal, dual, gap, violation, backend, iterations, certified)


def _badness(solution: DualSolution) -> tuple[bool, float]:
    """Certified ones first, then by the gap; a violation counts as much as a relative gap."""
    scale = max(abs(solution.primal), abs(solution.dual), np.finfo(float).tiny)
    badness = max(abs(solution.gap) / scale, solution.violation)
    return not solution.certified, badness if np.isfinite(badness) else np.inf
