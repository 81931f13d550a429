"""Warm-started active set with block pivoting: a projected, damped Newton method.

Every capped group has the true output as a zero plane, with ``a = 0`` and ``b = 0``, whose dual
variable is the slack of the cap. With it a group is a simplex, ``sum = cap``; a hard group is the
same with an infinite cap. So a point is ``x = (alpha, slack)``, where the zero plane of group g has
index ``m + g``. The free directions of a group are ``e_j - e_pivot`` with its largest entry as the
pivot: this eliminates the equality constraints, and a group whose whole cap lies on one plane has
no direction at all.

A step adds the most violated plane of every group to the support, solves for the Newton
direction on it and projects: many planes may enter and leave at once. Levenberg-Marquardt damping
keeps these steps short while many planes change. It is a proximal term, so it moves no fixed point,
and it falls to rounding level, where a step is the exact solution on its support.
"""

import numpy as np
from scipy.linalg.lapack import dposv

from structsvm.qp.certificate import gap_rounding
from structsvm.qp.simplices import Simplices

#: Least damping, relative to the diagonal of the Newton matrix. It keeps Cholesky's method from
#: failing on a singular H and costs no accuracy.
DAMPING_FLOOR = 1e-13
#: Least damping after a step that projection shortened to less than :data:`SHORT_STEP`.
DAMPING_RETRY = 1e-2
#: Fraction of a step below which it was too long: more damping.
SHORT_STEP = 0.1
#: Fraction of a step above which it was good: less damping.
LONG_STEP = 0.5
#: Steps without a gain after which only rounding is left. Each short step raises the damping
#: tenfold, so that this number of steps is enough to remedy a lack of damping.
PATIENCE = 10
#: Gain of a step, relative to the dual, that is rounding and not progress.
IDLE_RTOL = 1e-15
#: Entering planes up to which an undamped step is tried first; it nearly always succeeds.
FEW_PLANES = 5
#: Steps at most, besides one for each plane.
MOST_STEPS = 200
#: Cholesky factorisations that are tried, each with 100 times the damping of the one before.
MOST_FACTORISATIONS = 8
#: Smallest diagonal entry that is damped by its own size, relative to the largest: the difference
#: of two equal planes has a diagonal of 0, and would not be damped at all.
DIAGONAL_FLOOR = 1e-3


def solve(
    H: np.ndarray,
    b: np.ndarray,
    groups: np.ndarray,
    caps: np.ndarray,
    alpha: np.ndarray,
    tol: float,
) -> tuple[np.ndarray, int]:
    """Solve the restricted dual from a feasible start; end at the tolerance or when it stalls.

    Parameters
    ----------
    H, b, groups, caps, tol
        As for :func:`structsvm.qp.solve_restricted_dual`.
    alpha : ndarray of shape (m,)
        A feasible start.

    Returns
    -------
    alpha : ndarray of shape (m,)
        Feasible up to rounding.
    iterations : int
        Newton steps taken.
    """
    m, simplices = len(b), Simplices(groups, caps)
    converged = _stopping_rule(H, b, groups, caps, tol)
    x = simplices.point(alpha)
    gradient = np.zeros(len(x))  # of the dual; 0 for the zero planes
    gradient[:m] = b - H @ alpha
    # b.alpha - alpha' H alpha / 2, with H alpha = b - gradient.
    dual = 0.5 * (b + gradient[:m]) @ alpha
    damping = None
    iterations = idle = 0
    while iterations < MOST_STEPS + m:
        best = simplices.largest(gradient)  # the most violated plane of each group
        # The largest gradient of a group is its slack: the zero plane keeps it at 0 or above.
        if converged(x[:m], gradient[:m], gradient[best]):
            break
        iterations += 1
        pivot = simplices.largest(x)
        support = x > 0
        # Others would not ascend: a plane gains weight only from its pivot.
        support[best[gradient[best] > gradient[pivot]]] = True
        support[pivot] = False
        if damping is None:
            entering = np.count_nonzero(support & (x == 0))
            damping = DAMPING_FLOOR if entering <= FEW_PLANES else 1.0
        J, P, d = _newton(H, x, gradient, support, pivot[simplices.group], damping)
        if not len(J):
            break
        target, inside = simplices.project(x, J, P, d)
        Hmove, t, gain = _line_search(H, gradient, x, target)
        if t < SHORT_STEP:
            # Projection bends a long step, as along a null direction of H, so far that it no longer
            # ascends. Stop at the boundary instead.
            target = simplices.to_boundary(x, J, P, d)
            Hmove, t, gain = _line_search(H, gradient, x, target)
            damping = max(10 * damping, DAMPING_RETRY)
        elif inside:
            damping = DAMPING_FLOOR
        elif t > LONG_STEP:
            damping = max(damping / 4, DAMPING_FLOOR)
        dual += gain
        idle = idle + 1 if gain <= IDLE_RTOL * abs(dual) else 0
        if idle > PATIENCE:
            break
        if t == 0:
            continue
        x = target if t == 1 else simplices.between(x, target, t)
        gradient[:m] -= t * Hmove
    return x[:m], iterations


def _stopping_rule(H, b, groups, caps, tol):
    """Return a function that tests the gap at a tenth of ``tol``, from the gradient alone.

    The values are as in :func:`certify`, without another product with H. The tenth leaves room
    for the rounding of a gradient that is updated step by step.
    """
    rounding = gap_rounding(np.abs(b), groups, caps)
    weights = np.where(np.isfinite(caps), caps, 0.0)
    hard = np.isinf(caps)[groups].nonzero()[0]
    b_hard, norms = np.abs(b[hard]), np.sqrt(H[hard, hard])

    def converged(alpha, gradient, slack) -> bool:
        # With gradient = b - H alpha: |w|^2 = b.alpha - gradient.alpha.
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
    """Return ``(J, P, d)``: the damped Newton step d of the planes J against their pivots P.

    J is the support, less the entering planes that the step would push below 0: these are left
    out, and the rest is solved again.
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
    """Return the Gram matrix of ``a_J - a_P``, and ``|a_J|^2 + |a_P|^2``.

    The latter is the diagonal before cancellation, which the damping is relative to.
    """
    if not (P - P[0]).any():
        P = P[:1]  # a single pivot, as in 1-slack, is broadcast: a quarter of the entries
    k, both = len(J), np.concatenate([J, P])
    zero_planes = (both >= len(H)).nonzero()[0]
    both[zero_planes] = 0  # any row of H will do: it is overwritten
    gram = H[both[:, None], both]
    gram[zero_planes] = 0.0
    gram[:, zero_planes] = 0.0
    diagonal = gram.diagonal()
    M = gram[:k, :k] - gram[:k, k:] - gram[k:, :k] + gram[k:, k:]
    return M, diagonal[:k] + diagonal[k:]


def _damped_solve(M, diagonal, slope, damping):
    """Solve ``(M + damping * diagonal) d = slope``; a scaled gradient step if Cholesky fails."""
    diagonal = np.maximum(diagonal, DIAGONAL_FLOOR * diagonal.max() or 1.0)
    for _ in range(MOST_FACTORISATIONS):
        damped = M.copy()
        damped.flat[:: len(M) + 1] += damping * diagonal
        # The transpose of a C array is in Fortran order, which LAPACK uses without a copy.
        _, d, failed = dposv(damped.T, slope, lower=1, overwrite_a=1)
        if not failed:
            return d
        damping *= 100
    return slope / diagonal


def _line_search(H, gradient, x, target):
    """Return ``H move`` for the move from x to target, its best length t <= 1, and the gain."""
    move = target[: len(H)] - x[: len(H)]
    moved = move.nonzero()[0]
    Hmove = move[moved] @ H[moved]
    slope, curvature = gradient[moved] @ move[moved], Hmove @ move
    # Along the move the dual rises by t slope - t^2 curvature / 2.
    t = 0.0 if slope <= 0 else 1.0 if slope >= curvature else slope / curvature
    return Hmove, t, t * (slope - 0.5 * t * curvature)
