"""Solve the restricted dual QP and certify the answer by its gap, whatever the backend reports."""

import logging
import warnings
from typing import NamedTuple

import numpy as np

from structsvm.qp import active_set, interior_point
from structsvm.qp.certificate import certify, clip_to_feasible

logger = logging.getLogger(__name__)

#: Largest relative gap and violation of an answer that is certified, where ``tol`` is out of reach.
LOOSEST = 1e-6


class DualSolution(NamedTuple):
    """A feasible point of the restricted dual and the values that certify it.

    Attributes
    ----------
    alpha : ndarray of shape (m,)
        ``alpha >= 0``, and the sum over each group at most its cap.
    primal, dual, gap : float
        Restricted objectives at ``w = A' alpha``, and ``primal - dual``. The dual is a lower bound
        of the restricted optimum whatever happened.
    violation : float
        Largest violation of a hard plane, relative to ``|b_j| + |a_j| |w|``.
    rounding : float
        The part of the gap that float64 may not resolve.
    backend : {'active-set', 'cvxopt'}
        The solver that found it.
    iterations : int
        Iterations of that backend.
    certified : bool
        Whether ``abs(gap) <= tol * max(abs(primal), abs(dual))`` and ``violation <= tol``. Where
        neither backend gets there, because huge caps magnify the rounding of the residuals, the
        better answer counts as certified if it meets 1e-6.
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
        Relative gap and violation at which the dual counts as solved.

    Returns
    -------
    DualSolution
        The active set's answer if it is certified, else the better of it and cvxopt's. If the dual
        is unbounded (inconsistent hard planes) it comes back with ``certified=False``.

    Warns
    -----
    UserWarning
        The answer is not certified and cvxopt, which might do better, is not installed. It is a
        warning and not an error, so that the best w found so far is not lost: the fit ends with
        ``Status.QP_FAILED``.
    """
    m = len(b)
    if m == 0:
        return DualSolution(np.zeros(0), 0.0, 0.0, 0.0, 0.0, 0.0, "active-set", 0, True)
    if np.isinf(caps[groups]).any():
        return _solve_with_hard_planes(H, b, groups, caps, alpha0, tol)
    return _solve(H, b, groups, caps, alpha0, tol)


def _solve_with_hard_planes(H, b, groups, caps, alpha0, tol) -> DualSolution:
    """Solve with the hard planes scaled to the norm of the others: they have no scale of their own.

    A Gram matrix of rows of different norms has a large condition number.
    """
    hard, norms = np.isinf(caps[groups]), np.sqrt(H.diagonal())
    usual = norms[~hard].max(initial=0.0) or 1.0
    unit = np.where(hard & (norms > 0), usual / np.where(norms > 0, norms, 1.0), 1.0)
    start = None if alpha0 is None else alpha0 / unit
    scaled = _solve(H * np.outer(unit, unit), b * unit, groups, caps, start, tol)
    return scaled._replace(alpha=scaled.alpha * unit)


def _solve(H, b, groups, caps, alpha0, tol) -> DualSolution:
    m = len(b)
    start = clip_to_feasible(np.zeros(m) if alpha0 is None else alpha0, groups, caps)

    missing: ImportError | None = None
    with np.errstate(over="ignore", invalid="ignore"):  # an unbounded dual may overflow
        # Twice if need be: a start with huge products leaves its rounding in the updated gradient.
        for _ in range(2):
            answer = active_set.solve(H, b, groups, caps, start, tol)
            best = _certified_solution(H, b, groups, caps, answer, "active-set", tol)
            if best.certified:
                return best
            start = best.alpha
        logger.debug(
            "active set not certified on %d planes (gap %.2e, violation %.2e): cvxopt is tried",
            m,
            best.gap,
            best.violation,
        )
        try:
            answer = interior_point.solve(H, b, groups, caps, tol)
        except ImportError as error:
            missing = error
        else:
            fallback = _certified_solution(H, b, groups, caps, answer, "cvxopt", tol)
            best = min(fallback, best, key=_badness)
    best = best._replace(certified=_badness(best)[1] <= max(tol, LOOSEST))
    if not best.certified:
        logger.debug("no certified answer: best gap %.2e (%s)", best.gap, best.backend)
        if missing is not None:
            _warn_of_missing_fallback(missing)
    return best


def _warn_of_missing_fallback(error: ImportError) -> None:
    # The text has no numbers, so that Python's default filter shows it once for each caller.
    warnings.warn(
        "a quadratic program over the working set could not be solved to a certified gap by the "
        f"active set, and its fallback cannot be imported ({error}). Install it with: "
        "pip install cvxopt",
        stacklevel=3,
    )


def _certified_solution(H, b, groups, caps, answer, backend: str, tol: float) -> DualSolution:
    alpha, iterations = answer
    alpha = clip_to_feasible(alpha, groups, caps)
    certificate = certify(H, b, groups, caps, alpha)
    certified = certificate.accepts(tol)
    return DualSolution(alpha, *certificate, backend, iterations, certified)


def _badness(solution: DualSolution) -> tuple[bool, float]:
    """Sort key: certified ones first, then by the larger of relative gap and violation."""
    scale = max(abs(solution.primal), abs(solution.dual), np.finfo(float).tiny)
    badness = max(abs(solution.gap) / scale, solution.violation)
    return not solution.certified, badness if np.isfinite(badness) else np.inf
