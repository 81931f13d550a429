"""Newton steps for the restricted dual, a piecewise quadratic function, with lower bounds on w.

The multipliers of the lower bounds are eliminated, and the only variables are the dual variables of
the planes. With ``v = A' alpha`` and ``w = max(v, lower)``, the dual is ``b.alpha + |w|^2 / 2 -
v.w``. As a function of alpha, the dual is concave and once differentiable. As long as the set of
weights at their bounds does not change, the dual equals a quadratic function. The quadratic
function is the dual of a problem in which the weights at their bounds are fixed. A step goes
towards the maximum of the quadratic function that equals the dual at the current alpha, and ends
where the dual stops rising. If a linear constraint contains only weights at their bounds, the
quadratic function may have no maximum. If no step raises the dual, the binding lower bounds are
treated as linear constraints.
"""

from bisect import bisect_left

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.qp.certificate import TOLERANCE, QPSolution, certify, clip_to_feasible
from structsvm.qp.restricted import solve_restricted_dual

#: Largest number of Newton steps. Few are needed: a step is the last one if the right weights were
#: at their bounds before it.
MOST_STEPS = 200
#: Largest number of bounds that become hard planes: each adds a row to the dense Gram matrix.
MOST_BOUNDS = 1000


def solve_bounded_dual(
    rows: Vector, b: Vector, groups: Indices, caps: Vector, alpha0: Vector, lower: Vector
) -> QPSolution:
    """Solve the restricted dual with lower bounds on w, for which ``w = max(A' alpha, lower)``.

    Parameters
    ----------
    rows : ndarray of shape (m, size)
        The rows of the planes, A.
    b, groups, caps, alpha0
        The program, as in :func:`solve_restricted_dual`.
    lower : ndarray of shape (size,)
        Lower bounds on w; -inf for no bound.

    Returns
    -------
    QPSolution
        The solution with its certificate, as in :func:`solve_restricted_dual`.
    """
    alpha = clip_to_feasible(alpha0, groups, caps)
    for _ in range(MOST_STEPS):
        v = alpha @ rows
        free = v >= lower
        A = rows[:, free]
        # All weights that are not free are held at their bounds, which changes the offsets. A
        # weight without a bound is always free, so that no -inf enters the sums.
        held = np.flatnonzero(~free & (lower != 0))
        offsets, constant = b - rows[:, held] @ lower[held], float(lower[held] @ lower[held]) / 2
        H = A @ A.T
        best = certify(H, offsets, groups, caps, alpha)
        if best.accepted:
            break
        move = solve_restricted_dual(H, offsets, groups, caps, alpha, A).alpha - alpha
        with np.errstate(over="ignore", invalid="ignore"):  # if there is no maximum
            length = _step_length(rows, b, lower, v, move)
        # Otherwise the same step would follow forever.
        if length == 0:
            break
        alpha = alpha + length * move
    solved = best.accepted
    # The constant of the quadratic model belongs to both values and cancels in their difference.
    primal, dual = best.primal + constant, best.dual + constant
    best = best._replace(primal=primal, dual=dual)
    return best if solved else _by_hard_planes(best, rows, b, groups, caps, lower)


def _by_hard_planes(
    best: QPSolution, rows: Vector, b: Vector, groups: Indices, caps: Vector, lower: Vector
) -> QPSolution:
    """Replace violated bounds by linear constraints, and solve the problem again.

    Return the new solution or ``best``, whichever is better. Each linear constraint needs memory
    for a row as long as w.
    """
    m, alpha, held = len(b), best.alpha, np.zeros(0, dtype=np.intp)
    w = alpha @ rows
    outside = np.flatnonzero(w < lower)
    while len(held) + len(outside) <= MOST_BOUNDS:
        held = np.append(held, outside)
        alpha = np.append(alpha, np.zeros(len(outside)))
        A = np.vstack([rows, np.arange(rows.shape[1]) == held[:, None]])
        members = np.append(groups, np.full(len(held), len(caps)))
        program = np.append(b, lower[held]), members, np.append(caps, np.inf)
        found = solve_restricted_dual(A @ A.T, *program, alpha, A)
        alpha, w = found.alpha, found.alpha @ A if found.w is None else found.w
        outside = np.setdiff1d(np.flatnonzero(w < lower - TOLERANCE * np.linalg.norm(w)), held)
        if not len(outside):
            found = found._replace(alpha=alpha[:m], w=np.maximum(w, lower))
            return min(best, found, key=lambda solution: solution.badness)
    return best


def _step_length(rows: Vector, b: Vector, lower: Vector, v: Vector, move: Vector) -> float:
    """Return the fraction of the step, in [0, 1], at which the dual is largest."""
    slope, change = float(b @ move), move @ rows

    def derivative(t: float) -> float:
        return slope - float(change @ np.maximum(v + t * change, lower))

    at_end = derivative(1.0)
    if derivative(0.0) <= 0 or not np.isfinite(at_end):
        return 0.0
    if at_end >= 0:
        return 1.0
    # The slope is linear between the points at which a weight reaches its bound. Its root may be
    # many decades below 1, so no search with an absolute tolerance finds it.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        meets = (lower - v) / change
    ends = np.concatenate([[0.0], np.sort(meets[(meets > 0) & (meets < 1)]), [1.0]])
    last = bisect_left(ends, 0.0, lo=1, hi=len(ends) - 1, key=lambda t: -derivative(t))
    left, right = derivative(ends[last - 1]), derivative(ends[last])
    return float(ends[last - 1] + (ends[last] - ends[last - 1]) * (left / (left - right)))
