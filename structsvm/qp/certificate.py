"""Certify any answer: make it feasible, and compute gap and violation from a product or two."""

from typing import Any, NamedTuple

import numpy as np

from structsvm.data.arrays import Indices, Vector

#: Relative gap and violation at which the dual counts as solved.
TOLERANCE = 1e-9
#: Largest relative rounding of a gap that is accepted.
MOST_ROUNDING = 1e-6
#: Largest relative gap and violation of an answer that is certified.
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
        The part of the gap that float64 may not resolve (:func:`gap_rounding`).
    w : ndarray of shape (size,) or None
        The point of the primal value; None if it is ``A' alpha``. It differs if the rows of A
        almost cancel in this sum, so that its rounding errors would exceed w.
    backend : {'active-set', 'interior-point', 'cvxopt'}
        The solver that found it.
    iterations : int
        Iterations of that backend.
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
        """Whether relative gap and violation are at most :data:`TOLERANCE`, or rounding.

        The rounding may be :data:`MOST_ROUNDING` at most, relative to the objective, in any case.
        """
        return self.error <= max(TOLERANCE, self._relative(self.rounding)) <= MOST_ROUNDING

    @property
    def certified(self) -> bool:
        """Whether the error is at most 1e-6.

        Huge caps magnify the rounding of the residuals, so that smaller tolerances may be out of
        reach.
        """
        return self.error <= LOOSEST

    @property
    def error(self) -> float:
        """The larger of violation and gap, the gap relative to the larger objective."""
        return max(self._relative(abs(self.gap)), self.violation)

    @property
    def badness(self) -> tuple[float, float]:
        """Sort key: by the larger of the error and its relative rounding, then by the error."""
        return max(self.error, min(self._relative(self.rounding), 1.0)), self.error

    def _relative(self, value: float) -> float:
        """A value over the larger objective; nan and inf count as inf."""
        size = max(abs(self.primal), abs(self.dual))
        if size == 0:  # w = 0 and alpha = 0 are exact
            return 0.0
        ratio = value / max(size, np.finfo(float).tiny)
        return float(ratio) if np.isfinite(ratio) else np.inf


def clip_to_feasible(alpha: Vector, groups: Indices, caps: Vector) -> Vector:
    """A feasible copy of ``alpha``: negatives and nan to 0, groups above their cap scaled down."""
    alpha = np.maximum(alpha, 0.0)
    # np.maximum keeps nan. One sum finds it without a mask in the usual case.
    if not np.isfinite(alpha.sum()):
        alpha = np.nan_to_num(alpha, nan=0.0, posinf=0.0)
    total = np.bincount(groups, alpha, len(caps))
    above = total > caps
    if above.any():
        alpha *= np.divide(caps, total, out=np.ones(len(caps)), where=above)[groups]
    return alpha


def gap_rounding(size: Vector, groups: Indices, caps: Vector) -> float:
    """Rounding of the gap when the residuals are made of numbers of this ``size`` (m,).

    The caps magnify it: with a cap of 1e5 and an optimum of 1e-3 the rounding of offsets of 1
    alone is a relative gap of 1e-8.
    """
    largest = np.zeros(len(caps))
    np.maximum.at(largest, groups, size)
    capped = np.isfinite(caps)
    return float(np.finfo(float).eps * (caps[capped] @ largest[capped]))


def certify(H: Vector, b: Vector, groups: Indices, caps: Vector, alpha: Vector) -> QPSolution:
    """Primal, dual, gap and hard-plane violation at ``w = A' alpha``, from ``H @ alpha`` alone.

    The violation of a hard plane, ``b_j - a_j.w``, is divided by ``|b_j| + |a_j| |w|``, so that it
    means the same in every unit. ``|w|`` is replaced by the norm of the capped planes' part of w if
    that is larger: if hard planes force w to 0, its own norm is only rounding.
    """
    Ha = H @ alpha
    norms = np.sqrt(H.diagonal())
    # At least sum_k |H_jk| alpha_k (Cauchy-Schwarz): the size of the terms of (H alpha)_j.
    terms = norms * (norms @ alpha)
    square = float(alpha @ Ha)
    soft_part = np.where(np.isfinite(caps)[groups], alpha, 0.0)
    # Rounding may make either square of a norm negative.
    length = np.sqrt(max(square, float(soft_part @ H @ soft_part), 0.0))
    return _solution(alpha, b, groups, caps, Ha, (square, square), terms, norms * length)


def certify_pair(
    T: Vector, b: Vector, groups: Indices, caps: Vector, alpha: Vector, z: Vector
) -> QPSolution:
    """The same of two points that need not belong together: the primal at z, the dual at alpha.

    ``T`` has the coordinates of the planes, shape (m, r), and z the coordinates of w.
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
    """The certified solution from the scores of the planes and the squared norms of w and v.

    ``terms`` is the size of the terms of the scores, ``lengths`` the product of norms that
    violations are relative to.
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
