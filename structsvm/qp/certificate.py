"""Certify any answer: make it feasible, and compute gap and violation from a product or two."""

from typing import NamedTuple

import numpy as np

#: Largest relative rounding of a gap that is accepted.
MOST_ROUNDING = 1e-6


class Certificate(NamedTuple):
    """Objective values of a feasible ``alpha`` (see :class:`structsvm.qp.QPSolution`).

    ``rounding`` is the part of the gap that float64 may not resolve (:func:`gap_rounding`).
    """

    primal: float
    dual: float
    gap: float
    violation: float
    rounding: float

    @property
    def relative_gap(self) -> float:
        """``abs(gap)`` over the larger objective; nan and inf count as inf."""
        return self._relative(abs(self.gap))

    def accepts(self, tol: float) -> bool:
        """Whether relative gap and violation are at most ``tol``, or rounding.

        The rounding may be :data:`MOST_ROUNDING` at most, relative to the objective, in any case.
        """
        rounding = self._relative(self.rounding)
        return self.error <= max(tol, rounding) <= MOST_ROUNDING

    @property
    def error(self) -> float:
        """The larger of relative gap and violation."""
        return max(self.relative_gap, self.violation)

    @property
    def badness(self) -> tuple[float, float]:
        """Sort key: by the larger of the error and its relative rounding, then by the error."""
        return max(self.error, min(self._relative(self.rounding), 1.0)), self.error

    def _relative(self, value: float) -> float:
        size = max(abs(self.primal), abs(self.dual))
        if size == 0:  # w = 0 and alpha = 0 are exact
            return 0.0
        ratio = value / max(size, np.finfo(float).tiny)
        return float(ratio) if np.isfinite(ratio) else np.inf


def clip_to_feasible(alpha: np.ndarray, groups: np.ndarray, caps: np.ndarray) -> np.ndarray:
    """A feasible copy of ``alpha``: negatives and nan to 0, groups above their cap scaled down."""
    alpha = np.maximum(alpha, 0.0)
    # np.maximum keeps nan. One sum finds it without a mask in the usual case.
    if not np.isfinite(alpha.sum()):
        alpha = np.nan_to_num(alpha, nan=0.0, posinf=0.0)
    total = np.bincount(groups, alpha, len(caps))
    if (total > caps).any():
        alpha *= shrinkage(total, caps)[groups]
    return alpha


def shrinkage(sums: np.ndarray, caps: np.ndarray) -> np.ndarray:
    """Factor for each group that brings its sum down to its cap; 1 where it is within."""
    return np.divide(caps, sums, out=np.ones(len(caps)), where=sums > caps)


def gap_rounding(size: np.ndarray, groups: np.ndarray, caps: np.ndarray) -> float:
    """Rounding of the gap when the residuals are made of numbers of this ``size`` (m,).

    The caps magnify it: with a cap of 1e5 and an optimum of 1e-3 the rounding of offsets of 1
    alone is a relative gap of 1e-8.
    """
    largest = np.zeros(len(caps))
    np.maximum.at(largest, groups, size)
    capped = np.isfinite(caps)
    return float(np.finfo(float).eps * (caps[capped] @ largest[capped]))


def certify(
    H: np.ndarray, b: np.ndarray, groups: np.ndarray, caps: np.ndarray, alpha: np.ndarray
) -> Certificate:
    """Primal, dual, gap and hard-plane violation at ``w = A' alpha``, from ``H @ alpha`` alone.

    The violation of a hard plane, ``b_j - a_j.w``, is divided by ``|b_j| + |a_j| |w|``, so that it
    means the same in every unit. ``|w|`` is replaced by the norm of the capped planes' part of w if
    that is larger: if hard planes force w to 0, its own norm is only rounding.
    """
    Ha = H @ alpha
    norms = np.sqrt(H.diagonal())
    # At least sum_k |H_jk| alpha_k (Cauchy-Schwarz): the size of the terms of (H alpha)_j.
    terms = norms * (norms @ alpha)
    squared_norm = float(alpha @ Ha)
    dual = float(b @ alpha) - 0.5 * squared_norm
    soft_part = np.where(np.isfinite(caps)[groups], alpha, 0.0)
    # Rounding may make either square of a norm negative.
    length = np.sqrt(max(squared_norm, soft_part @ H @ soft_part, 0.0))
    sizes = terms, norms * length
    return _certificate(b, groups, caps, Ha, 0.5 * squared_norm, dual, *sizes)


def certify_pair(
    T: np.ndarray,
    b: np.ndarray,
    groups: np.ndarray,
    caps: np.ndarray,
    alpha: np.ndarray,
    z: np.ndarray,
) -> Certificate:
    """The same of two points that need not belong together: the primal at z, the dual at alpha.

    ``T`` has the coordinates of the planes, shape (m, r), and z the coordinates of w.
    """
    v = T.T @ alpha
    dual = float(b @ alpha) - 0.5 * float(v @ v)
    soft_part = np.where(np.isfinite(caps)[groups], alpha, 0.0) @ T
    length = np.sqrt(max(z @ z, soft_part @ soft_part))
    sizes = np.abs(T) @ np.abs(z), np.linalg.norm(T, axis=1) * length
    return _certificate(b, groups, caps, T @ z, 0.5 * float(z @ z), dual, *sizes)


def _certificate(b, groups, caps, scores, regulariser, dual, terms, lengths) -> Certificate:
    """The certificate from the scores of the planes.

    ``terms`` is the size of the terms of the scores, ``lengths`` the product of norms that
    violations are relative to.
    """
    residual = b - scores
    slack = np.zeros(len(caps))
    np.maximum.at(slack, groups, residual)
    capped = np.isfinite(caps)
    primal = regulariser + float(caps[capped] @ slack[capped])
    hard = np.flatnonzero(~capped[groups])
    size = np.abs(b[hard]) + lengths[hard]
    excess = np.maximum(residual[hard], 0.0) / np.maximum(size, np.finfo(float).tiny)
    violation = float(excess.max(initial=0.0))
    violation = violation if np.isfinite(violation) else np.inf
    rounding = gap_rounding(np.abs(b) + terms, groups, caps)
    return Certificate(primal, dual, primal - dual, violation, rounding)
