"""An active-set method with warm starts and block pivoting: a projected, damped Newton method.

The cap of a group of planes is the largest sum that the dual variables of the group may have. The
sum of the dual variables of linear constraints is not bounded, and their cap is infinite. In every
group, the true output is represented by a zero plane with ``a = 0`` and ``b = 0``. The dual
variable of the zero plane is the cap of the group minus the sum of the group's other dual
variables. With the zero plane, the sum of all dual variables of a group is constant. The vector x
holds the dual variables ``alpha`` of the given planes, followed by the dual variables of the zero
planes, which represent the true outputs. The pivot of a group of planes is the plane with the
largest dual variable. If the method raises the dual variable of another plane, it lowers the dual
variable of the pivot by the same amount, and vice versa.

Each step of the method has three parts. A step adds the most violated plane of every group to the
support, solves for the Newton direction on the support, and makes the new dual variables feasible.
Many planes may enter and leave in one step. Levenberg-Marquardt damping keeps the steps short as
long as many planes enter or leave the support. The damping, a proximal term, changes the steps but
not the solution. The damping falls until it is as small as rounding errors. With the smallest
damping, a step leads to the exact solution for the planes in the support.
"""

from typing import Any

import numpy as np
from scipy.linalg.lapack import dposv

from structsvm.data.arrays import Indices, Mask, Vector
from structsvm.qp.certificate import TOLERANCE, gap_rounding

#: Least damping, relative to the diagonal of the Newton matrix. It keeps Cholesky's method from
#: failing for a singular H, and costs no accuracy.
DAMPING_FLOOR = 1e-13
#: Least damping after a step that the projection shortened to less than :data:`SHORT_STEP`.
DAMPING_RETRY = 1e-2
#: Fraction of a step below which the damping is raised.
SHORT_STEP = 0.1
#: Fraction of a step above which the damping is lowered.
LONG_STEP = 0.5
#: Number of steps without a gain after which only rounding errors remain. Each short step raises
#: the damping tenfold, so this number suffices to remedy a lack of damping.
PATIENCE = 10
#: Gain of a step, relative to the dual value, that counts as rounding.
IDLE_RTOL = 1e-15
#: Number of entering planes up to which an undamped step is tried first; it nearly always succeeds.
FEW_PLANES = 5
#: Largest number of steps, in addition to one for each plane.
MOST_STEPS = 200
#: Damping with which Cholesky's method succeeds if all numbers are finite.
ENOUGH = 1.0
#: Least size by which a diagonal entry is damped, relative to the largest entry: the difference of
#: two equal planes has a diagonal of 0 and would not be damped at all.
DIAGONAL_FLOOR = 1e-3


def solve(H: Vector, b: Vector, groups: Indices, caps: Vector, alpha: Vector) -> tuple[Vector, int]:
    """Solve the restricted dual from a feasible start; end early if progress stalls.

    Parameters
    ----------
    H, b, groups, caps
        The program, as in :func:`structsvm.qp.solve_restricted_dual`.
    alpha : ndarray of shape (m,)
        A feasible start.

    Returns
    -------
    alpha : ndarray of shape (m,)
        The solution, feasible up to rounding.
    iterations : int
        Number of Newton steps.
    """
    m, n_groups = len(b), len(caps)
    group = np.concatenate([groups, np.arange(n_groups)])
    x = np.concatenate([alpha, caps - np.bincount(groups, alpha, n_groups)])
    gradient = np.zeros(len(x))  # of the dual; 0 for the zero planes
    gradient[:m] = b - H @ alpha
    # b.alpha - alpha' H alpha / 2, with H alpha = b - gradient.
    dual = 0.5 * (b + gradient[:m]) @ alpha
    rounding = gap_rounding(np.abs(b), groups, caps)
    damping = None
    iterations = idle = 0
    while iterations < MOST_STEPS + m:
        best = largest(gradient, group, n_groups)  # the most violated plane of each group
        # The largest gradient of a group is its slack: the zero plane keeps it >= 0.
        if _converged((H, b, groups, caps), x[:m], gradient[:m], gradient[best], rounding):
            break
        iterations += 1
        pivot = largest(x, group, n_groups)
        support = x > 0
        # Other planes would not ascend: a plane gains weight only from its pivot.
        support[best[gradient[best] > gradient[pivot]]] = True
        support[pivot] = False
        if damping is None:
            entering = np.count_nonzero(support & (x == 0))
            damping = DAMPING_FLOOR if entering <= FEW_PLANES else 1.0
        J, P, d = _newton(H, x, gradient, support, pivot[group], damping)
        if not len(J):
            break
        target, inside = project(x, J, P, d, group, caps)
        moved, Hmove, t, gain = _line_search(H, gradient, x, target)
        if t < SHORT_STEP:
            # The projection may bend a long step, for example along a null direction of H, so far
            # that it no longer ascends. Stop at the boundary instead.
            target = to_boundary(x, J, P, d, group, caps)
            moved, Hmove, t, gain = _line_search(H, gradient, x, target)
            damping = max(10 * damping, DAMPING_RETRY)
        elif inside:
            damping = DAMPING_FLOOR
        elif t > LONG_STEP:
            damping = max(damping / 4, DAMPING_FLOOR)
        dual += gain
        idle = idle + 1 if gain <= IDLE_RTOL * abs(dual) else 0
        if idle > PATIENCE:
            break
        x = moved
        gradient[:m] -= t * Hmove
    return x[:m], iterations


def _converged(
    program: tuple[Any, ...], alpha: Vector, gradient: Vector, slack: Vector, rounding: float
) -> bool:
    """Test whether the gap is at most a tenth of the tolerance, using only the gradient.

    The gap is computed as in :func:`certify`, but without a second product with H. The gap must be
    ten times smaller than the tolerance, because the gradient is updated step by step and has
    rounding errors.
    """
    H, b, groups, caps = program
    # With gradient = b - H alpha: |w|^2 = b.alpha - gradient.alpha.
    g_alpha, b_alpha = float(gradient @ alpha), float(b @ alpha)
    gap = float(np.where(np.isfinite(caps), caps, 0.0) @ slack) - g_alpha
    dual = 0.5 * (b_alpha + g_alpha)
    if not abs(gap) <= max(0.1 * TOLERANCE * abs(dual), rounding):
        return False
    hard = np.isinf(caps)[groups].nonzero()[0]
    size = np.abs(b[hard]) + np.sqrt(H[hard, hard]) * np.sqrt(max(b_alpha - g_alpha, 0.0))
    return bool((gradient[hard] <= 0.1 * TOLERANCE * size).all())


def largest(value: Vector, group: Indices, n_groups: int) -> Indices:
    """Return the index of the plane with the largest ``value`` in each group."""
    order = value.argsort()
    out = np.empty(n_groups, dtype=np.intp)
    out[group[order]] = order  # the last assignment to an index stays
    return out


def _newton(
    H: Vector, x: Vector, gradient: Vector, support: Mask, pivot: Indices, damping: float
) -> tuple[Indices, Indices, Vector]:
    """Return the indices J of planes, their pivot planes P, and the Newton step d.

    The step solves ``(M + damping * diagonal) d = slope``. J holds the planes in ``support``,
    except planes whose dual variable is 0 and would become negative.
    """
    J = support.nonzero()[0]
    P = pivot[J]
    d = slope = gradient[J] - gradient[P]
    if len(J):
        M, diagonal = _differences(H, J, P)
    while len(J):
        damped, floor = M.copy(), DIAGONAL_FLOOR * diagonal.max() or 1.0
        damped.flat[:: len(M) + 1] += damping * np.maximum(diagonal, floor)
        # The transpose of a C array is in Fortran order, which LAPACK uses without a copy.
        _, d, failed = dposv(damped.T, slope, lower=1, overwrite_a=1)
        if failed and damping < ENOUGH:
            damping *= 100
            continue
        if failed:
            d = slope / np.maximum(diagonal, floor)
        keep = (x[J] > 0) | (d > 0)
        if keep.all():
            break
        J, P, slope, diagonal = J[keep], P[keep], slope[keep], diagonal[keep]
        M = M[np.ix_(keep, keep)]
    return J, P, d


def _differences(H: Vector, J: Indices, P: Indices) -> tuple[Vector, Vector]:
    """Return the Gram matrix of the rows of the planes ``J`` minus the rows of the planes ``P``.

    For each difference, also return the sum of the squared norms of its two rows.
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


def project(
    x: Vector, J: Indices, P: Indices, d: Vector, group: Indices, caps: Vector
) -> tuple[Vector, bool]:
    """Return a feasible vector near ``x + d``, and whether ``x + d`` itself is strictly feasible.

    The step ``d`` is added to the dual variables of the planes ``J``, and negative values are set
    to 0. The dual variables of the pivots ``P`` are changed to keep the sum over each group
    constant. If the dual variables of a group's planes in ``J`` sum to more than the cap, the dual
    variables are scaled down.
    """
    moved = np.maximum(x[J] + d, 0.0)
    sums = np.bincount(group[J], moved, len(caps))
    above = sums > caps
    inside = bool(moved.min() > 0) and not above.any()
    moved *= np.divide(caps, sums, out=np.ones(len(caps)), where=above)[group[J]]
    target = x.copy()
    target[P] = np.maximum(caps - sums, 0.0)[group[P]]
    target[J] = moved
    return target, inside


def to_boundary(
    x: Vector, J: Indices, P: Indices, d: Vector, group: Indices, caps: Vector
) -> Vector:
    """Return the last feasible point on the segment from ``x`` to ``x + d``.

    The entries of ``x`` that block the step are set to exactly 0.
    """
    step = np.zeros(len(x))
    step[J] = d
    step[P] = -np.bincount(group[J], d, len(caps))[group[P]]
    falling = (step < 0).nonzero()[0]
    ratio = x[falling] / -step[falling]
    t = min(1.0, float(ratio.min(initial=1.0)))
    target = np.maximum(x + t * step, 0.0)
    # Tiny rounding errors would stay in the support.
    target[falling[ratio <= t]] = 0.0
    return target


def _line_search(
    H: Vector, gradient: Vector, x: Vector, target: Vector
) -> tuple[Vector, Vector, float, float]:
    """Search for the vector between x and ``target`` with the largest dual value.

    Return four values: the vector with the largest dual value; the product ``H (target - x)``; the
    length of the step; and the gain in the dual value.
    """
    move = target[: len(H)] - x[: len(H)]
    moved = move.nonzero()[0]
    Hmove = move[moved] @ H[moved]
    slope, curvature = float(gradient[moved] @ move[moved]), float(Hmove @ move)
    # Along the move the dual rises by t slope - t^2 curvature / 2.
    t = 0.0 if slope <= 0 else 1.0 if slope >= curvature else slope / curvature
    if t < 1:
        # The slack of a hard group is infinite and stays so.
        target = x + t * np.subtract(target, x, out=np.zeros(len(x)), where=np.isfinite(x))
    return target, Hmove, t, t * (slope - 0.5 * t * curvature)
