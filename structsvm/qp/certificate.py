"""Make an approximate answer feasible, and certify the answer by its gap and violation."""

from typing import Any, NamedTuple

import numpy as np

from structsvm.data.arrays import Indices, Vector

#: Relative gap and violation below which the dual counts as solved.
TOLERANCE = 1e-9
#: Largest accepted rounding error of a gap, relative to the objective.
MOST_ROUNDING = 1e-6
#: Largest relative gap and violation of a certified answer.
LOOSEST = 1e-6


class QPSolution(NamedTuple):
    """A feasible solution of the restricted dual, with the values that certify the solution.

    Attributes
    ----------
    alpha : ndarray of shape (m,)
        The dual variables, >= 0. The sum of alpha over a group is at most the cap of the group.
    primal, dual, gap : float
        The primal value of the restricted problem at w, the dual value at alpha, and their
        difference. The dual value is a lower bound of the optimum of the restricted problem.
    violation : float
        Largest relative violation of a plane without a slack (:func:`certify`).
    rounding : float
        The part of the gap that float64 may be unable to resolve (:func:`gap_rounding`).
    w : ndarray of shape (size,) or None
        The w at which the primal value is computed; None if w is ``A' alpha``. If the rows of A
        almost cancel in ``A' alpha``, the rounding errors of the sum would be larger than w, and w
        is computed separately.
    backend : {'active-set', 'interior-point', 'cvxopt'}
        The name of the solver that found the point.
    iterations : int
        Number of iterations of the solver that found the point.
    """

    alpha: Vector
    primal: float
    dual: float
    gap: float
    violation: float
    rounding: float
    w: Any = None
    backend: str = "active-set"
    iterations: int = 0

    @property
    def accepted(self) -> bool:
        """Whether relative gap and violation are at most :data:`TOLERANCE`, or are rounding errors.

        The rounding errors must be at most :data:`MOST_ROUNDING`, relative to the objective.
        """
        return self.error <= max(TOLERANCE, self._relative(self.rounding)) <= MOST_ROUNDING

    @property
    def certified(self) -> bool:
        """Whether the attribute :attr:`error` is at most 1e-6.

        If the parameter C is large, an error below 1e-6 may be impossible, because C multiplies the
        rounding errors of the slacks.
        """
        return self.error <= LOOSEST

    @property
    def error(self) -> float:
        """The violation, or the gap relative to the larger objective value, whichever is larger."""
        return max(self._relative(abs(self.gap)), self.violation)

    @property
    def badness(self) -> tuple[float, float]:
        """A sort key: the larger of ``error`` and the relative ``rounding``, and then ``error``."""
        return max(self.error, min(self._relative(self.rounding), 1.0)), self.error

    def _relative(self, value: float) -> float:
        """Return a value divided by the larger of the absolute primal value and dual value.

        If the quotient is not finite, return inf.
        """
        size = max(abs(self.primal), abs(self.dual))
        if size == 0:  # w = 0 and alpha = 0 are exact
            return 0.0
        ratio = value / max(size, np.finfo(float).tiny)
        return float(ratio) if np.isfinite(ratio) else np.inf


def clip_to_feasible(alpha: Vector, groups: Indices, caps: Vector) -> Vector:
    """Return a feasible copy of ``alpha``, without negative or nan entries, within all caps."""
    alpha = np.maximum(alpha, 0.0)
    # np.maximum keeps nan. A sum detects it, usually without a mask.
    if not np.isfinite(alpha.sum()):
        alpha = np.nan_to_num(alpha, nan=0.0, posinf=0.0)
    total = np.bincount(groups, alpha, len(caps))
    above = total > caps
    if above.any():
        alpha *= np.divide(caps, total, out=np.ones(len(caps)), where=above)[groups]
    return alpha


def gap_rounding(size: Vector, groups: Indices, caps: Vector) -> float:
    """Return the rounding error of the gap.

    For each plane j, ``size`` holds at least the sum of the absolute terms of ``b_j - a_j.w``. The
    rounding error of ``b_j - a_j.w`` is multiplied by the cap of the plane's group, the largest sum
    of the group's dual variables. For example, if the dual variables of a group may sum
    to 1e5, a rounding error of 1e-16 in a residual becomes an error of 1e-11 in the gap.
    """
    largest = np.zeros(len(caps))
    np.maximum.at(largest, groups, size)
    capped = np.isfinite(caps)
    return float(np.finfo(float).eps * (caps[capped] @ largest[capped]))


def certify(H: Vector, b: Vector, groups: Indices, caps: Vector, alpha: Vector) -> QPSolution:
    """Compute primal, dual, gap and violation at ``w = A' alpha``, using only ``H @ alpha``.

    The violation ``b_j - a_j.w`` of a hard plane j, which has no slack, is divided by ``|b_j| +
    |a_j| |w|``. If the hard planes force w to 0, ``|w|`` is only a rounding error. If the sum of
    ``alpha_j a_j`` over the planes with a slack has a larger norm than w, the larger norm replaces
    ``|w|`` in the divisor.
    """
    Ha = H @ alpha
    norms = np.sqrt(H.diagonal())
    # The size of the terms of (H alpha)_j: at least sum_k |H_jk| alpha_k (Cauchy-Schwarz).
    terms = norms * (norms @ alpha)
    square = float(alpha @ Ha)
    soft_part = np.where(np.isfinite(caps)[groups], alpha, 0.0)
    # Rounding may make either square of a norm negative.
    length = np.sqrt(max(square, float(soft_part @ H @ soft_part), 0.0))
    return _solution(alpha, b, groups, caps, Ha, (square, square), terms, norms * length)


def certify_pair(
    T: Vector, b: Vector, groups: Indices, caps: Vector, alpha: Vector, z: Vector
) -> QPSolution:
    """Certify the primal value at z and the dual value at alpha.

    The primal value and the dual value may come from different solutions.

    The rows of ``T`` are the coordinates of the planes, shape (m, r), and z holds the coordinates
    of w.
    """
    v = T.T @ alpha
    squares = float(z @ z), float(v @ v)
    soft_part = np.where(np.isfinite(caps)[groups], alpha, 0.0) @ T
    length = np.sqrt(max(squares[0], float(soft_part @ soft_part)))
    terms, lengths = np.abs(T) @ np.abs(z), np.linalg.norm(T, axis=1) * length
    return _solution(alpha, b, groups, caps, T @ z, squares, terms, lengths)


def _solution(
    alpha: Vector,
    b: Vector,
    groups: Indices,
    caps: Vector,
    scores: Vector,
    squares: tuple[float, float],
    terms: Vector,
    lengths: Vector,
) -> QPSolution:
    """Return the solution with its primal and dual values, violation and rounding error.

    The violation of plane j is divided by ``|b_j| + lengths[j]``. The rounding error of the score
    of plane j is proportional to ``terms[j]``.
    """
    residual = b - scores
    slack = np.zeros(len(caps))
    np.maximum.at(slack, groups, residual)
    capped = np.isfinite(caps)
    primal = 0.5 * squares[0] + float(caps[capped] @ slack[capped])
    dual = float(b @ alpha) - 0.5 * squares[1]
    hard = np.flatnonzero(~capped[groups])
    size = np.abs(b[hard]) + lengths[hard]
    excess = np.maximum(residual[hard], 0.0) / np.maximum(size, np.finfo(float).tiny)
    violation = float(excess.max(initial=0.0))
    violation = violation if np.isfinite(violation) else np.inf
    rounding = gap_rounding(np.abs(b) + terms, groups, caps)
    return QPSolution(alpha, primal, dual, primal - dual, violation, rounding)
