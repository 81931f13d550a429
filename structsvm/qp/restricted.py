"""Solve the restricted dual, a quadratic program, and certify the answer by its gap."""

import logging
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.qp import active_set, interior_point
from structsvm.qp.certificate import QPSolution, certify, clip_to_feasible
from structsvm.qp.coordinates import Coordinates

logger = logging.getLogger(__name__)


def solve_restricted_dual(
    H: Vector,
    b: Vector,
    groups: Indices,
    caps: Vector,
    alpha0: Vector | None = None,
    rows: Any = None,
) -> QPSolution:
    """Maximise ``b.alpha - alpha' H alpha / 2`` over ``alpha >= 0`` with a cap on each group's sum.

    Parameters
    ----------
    H : ndarray of shape (m, m), float64
        The Gram matrix ``A A'`` of the planes. The matrix H may be singular, or a view of a larger
        buffer.
    b : ndarray of shape (m,)
        The offsets of the planes.
    groups : ndarray of shape (m,), int
        The group of each plane, an index into ``caps``.
    caps : ndarray of shape (n_groups,)
        The upper bound of the sum of ``alpha`` in each group, > 0. If the bound of a group is
        ``inf``, the planes of the group are hard: ``a_j.w >= b_j`` without slack.
    alpha0 : ndarray of shape (m,), optional
        A warm start. The warm start is first made feasible. New planes have the entry 0 in the warm
        start.
    rows : ndarray or CSR matrix of shape (m, size), optional
        The rows A, if available. The solver uses the rows if the Gram matrix is not accurate
        enough.

    Returns
    -------
    QPSolution
        If the certificate of the active-set method is accepted, the answer of the active-set
        method. If the certificate is not accepted, the better of two answers: of the active-set
        method and of the interior-point method. If no w satisfies all planes without a slack, the
        dual is unbounded, and the answer is not certified.
    """
    unit, hard = np.ones(len(b)), np.isinf(caps)[groups]
    if hard.any():
        # The scale of a hard plane is arbitrary, and rows of different norms make the condition
        # number of the Gram matrix large. So hard planes are scaled to the largest norm of the
        # other planes.
        norms = np.sqrt(H.diagonal())
        usual = norms[~hard].max(initial=0.0) or 1.0
        np.divide(usual, norms, out=unit, where=hard & (norms > 0))
        H, b = H * np.outer(unit, unit), b * unit
    program = H, b, groups, caps
    alpha = clip_to_feasible(np.zeros(len(b)) if alpha0 is None else alpha0 / unit, groups, caps)
    with np.errstate(over="ignore", invalid="ignore"):  # an unbounded dual may overflow
        # Solve twice if necessary: a start with huge products leaves rounding errors in the updated
        # gradient.
        for _ in range(2):
            alpha, iterations = active_set.solve(*program, alpha)
            alpha = clip_to_feasible(alpha, groups, caps)
            best = certify(*program, alpha)._replace(iterations=iterations)
            if best.accepted:
                break
        else:
            other = _by_interior_point(*program, rows, unit)
            logger.debug("not solved by the active set: errors %.2e, %.2e", best.error, other.error)
            best = min(best, other, key=lambda solution: solution.badness)
    return best._replace(alpha=best.alpha * unit)


def _by_interior_point(
    H: Vector, b: Vector, groups: Indices, caps: Vector, rows: Vector | None, unit: Vector
) -> QPSolution:
    coordinates = None if rows is None else Coordinates.of_rows(rows)
    if coordinates is None:
        coordinates = Coordinates.of_gram(H)
    else:
        coordinates = coordinates._replace(T=coordinates.T * unit[:, None])
    found = interior_point.solve(coordinates.T, b, groups, caps)
    return found._replace(w=coordinates.point(found.w))
