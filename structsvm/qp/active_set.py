"""Warm-started active set with block pivoting: a projected, damped Newton method.

Every capped group has the true output as a plane of its own, with ``a = 0`` and ``b = 0``. With
it a group is a simplex, ``sum = cap``; a hard group is the same with an infinite cap. So a
point is ``x = (alpha, slack)``, the zero plane of group g being number ``m + g``, and the free
directions of a group are ``e_j - e_pivot`` with its largest entry as the pivot: the equality
constraints are gone, and a group whose whole cap lies on one plane has no direction at all.

A step adds the most violated plane of every group to the support, solves for the Newton
direction on it and projects: many planes may enter and leave at once. The damping (that of
Levenberg-Marquardt; a proximal term, so it moves no fixed point) keeps such steps sane while many
planes change, and falls to rounding level, where a step is the exact solution on its support.
"""

import numpy as np
from scipy.linalg.lapack import dposv

from ._simplices import Simplices
from .certificate import gap_rounding

# Relative to the diagonal. The floor keeps Cholesky alive on a singular H and costs no accuracy.
DAMPING_FLOOR = 1e-13
DAMPING_RETRY = 1e-2
PATIENCE = 10  # steps without a gain; a retry raises the damping tenfold each time
FEW = 5  # up to so many entering planes an undamped step nearly always does


def solve(
    H: np.ndarray,
    b: np.ndarray,
    groups: np.ndarray,
    caps: np.ndarray,
    alpha: np.ndarray,
    tol: float,
) -> tuple[np.ndarray, int]:
    """``(alpha, iterations)`` from a feasible start; ends at the tolerance or when it stalls."""
    m, simplices = len(b), Simplices(groups, caps)
    converged = _stopping_rule(H, b, groups, caps, tol)
    x = simplices.point(alpha)
    gradient = np.zeros(len(x))  # of the dual; the zero planes have none
    gradient[:m] = b - H @ alpha
    dual = 0.5 * (b + gradient[:m]) @ alpha
    damping = None
    iterations = idle = 0
    while iterations < 200 + m:
        best = simplices.largest(gradient)
        if converged(x[:m], gradient[:m], gradient[best]):
            break
        iterations += 1
        pivot = simplices.largest(x)
        support = x > 0
        support[best[gradient[best] > gradient[pivot]]] = True
        support[pivot] = False
        if damping is None:
            entering = np.count_nonzero(support & (x == 0))
            damping = DAMPING_FLOOR if entering <= FEW else 1.0
        J, P, d = _newton(H, x, gradient, support, pivot[simplices.group], damping)
        if not len(J):
            break
        target, inside = simplices.project(x, J, P, d)
        Hmove, t, gain = _line_search(H, gradient, x, target)
        if t < 0.1:
            # Projection spoils long steps, as those along null directions of H: do not project.
            target = simplices.to_boundary(x, J, P, d)
            Hmove, t, gain = _line_search(H, gradient, x, target)
            damping = max(10 * damping, DAMPING_RETRY)
        elif inside:
            damping = DAMPING_FLOOR
        elif t > 0.5:
            damping = max(damping / 4, DAMPING_FLOOR)
        dual += gain
        idle = idle + 1 if gain <= 1e-15 * abs(dual) else 0
        if idle > PATIENCE:
            break  # nothing is left but rounding
        if t == 0:
            continue
        x = target if t == 1 else simplices.between(x, target, t)
        gradient[:m] -= t * Hmove
    return x[:m], iterations


def _stopping_rule(H, b, groups, caps, tol):
    """A tenth of what the certificate asks for, from the gradient: no further product."""
    rounding = gap_rounding(np.abs(b), groups, caps)
    weights = np.where(np.isfinite(caps), caps, 0.0)
    hard = np.isinf(caps)[groups].nonzero()[0]
    b_hard, norms = np.abs(b[hard]), np.sqrt(H[hard, hard])

    def converged(alpha, gradient, slack) -> bool:
        g_alpha, b_alpha = gradient @ alpha, b @ alpha
        gap = weights @ slack - g_alpha
        dual = 0.5 * (b_alpha + g_alpha)
        if not abs(gap) <= max(0.1 * tol * abs(dual), rounding):
            return False
        if not len(hard):
            return True
        norm_w = np.sqrt(max(b_alpha - g_alpha, 0.0))
        return bool((gradient[hard] <= 0.1 * tol * (b_hard + norms * norm_w)).all())

    return converged


def _newton(H, x, gradient, support, pivot, damping):
    """The damped Newton step ``d`` of the planes ``J`` of the support against their pivots ``P``.

    Entering planes that the step would push below 0 are left out, and the rest solved again.
    """
    J = support.nonzero()[0]
    P = pivot[J]
    if not len(J):
        return J, P, np.zeros(0)
    M, diagonal = _differences(H, J, P)
    slope = gradient[J] - gradient[P]
    while len(J):
        d = _damped_solve(M, diagonal, slope, damping)
        keep = (x[J] > 0) | (d > 0)
        if keep.all():
            break
        J, P, slope, diagonal = J[keep], P[keep], slope[keep], diagonal[keep]
        M = M[np.ix_(keep, keep)]
    return J, P, d if len(J) else slope


def _differences(H, J, P):
    """Gram matrix of ``a_J - a_P``, and ``|a_J|^2 + |a_P|^2``, its diagonal uncancelled."""
    if not (P - P[0]).any():
        P = P[:1]  # a single pivot, as in 1-slack, is broadcast: a quarter of the entries
    k, both = len(J), np.concatenate([J, P])
    zero_planes = (both >= len(H)).nonzero()[0]
    both[zero_planes] = 0
    gram = H[both[:, None], both]
    gram[zero_planes] = 0.0
    gram[:, zero_planes] = 0.0
    diagonal = gram.diagonal()
    M = gram[:k, :k] - gram[:k, k:] - gram[k:, :k] + gram[k:, k:]
    return M, diagonal[:k] + diagonal[k:]


def _damped_solve(M, diagonal, slope, damping):
    diagonal = np.maximum(diagonal, 1e-3 * diagonal.max() or 1.0)
    for _ in range(8):
        damped = M.copy()
        damped.flat[:: len(M) + 1] += damping * diagonal
        _, d, failed = dposv(damped.T, slope, lower=1, overwrite_a=1)
        if not failed:
            return d
        damping *= 100
    return slope / diagonal


def _line_search(H, gradient, x, target):
    """``H move`` for the move from ``x`` to ``target``, its best length up to 1, and the gain."""
    move = target[: len(H)] - x[: len(H)]
    moved = move.nonzero()[0]
    Hmove = move[moved] @ H[moved]
    slope, curvature = gradient[moved] @ move[moved], Hmove @ move
    t = 0.0 if slope <= 0 else 1.0 if slope >= curvature else slope / curvature
    return Hmove, t, t * (slope - 0.5 * t * curvature)
