"""The feasible set of the restricted dual: one simplex for each group, its zero plane included."""

import numpy as np

from structsvm.qp.certificate import shrinkage


class Simplices:
    """Points ``x = (alpha, slack)``; the zero plane of group g has index ``m + g``.

    In a hard group the cap, and with it the slack, is infinite and stays so.

    Parameters
    ----------
    groups : ndarray of shape (m,), int
        Group of each plane.
    caps : ndarray of shape (n_groups,)
        Bounds on the sum of alpha over each group, inf for a hard group.
    """

    def __init__(self, groups: np.ndarray, caps: np.ndarray):
        self.m, self.caps = len(groups), caps
        self.group = np.concatenate([groups, np.arange(len(caps))])

    def point(self, alpha: np.ndarray) -> np.ndarray:
        """Return the point of a feasible ``alpha``."""
        return np.concatenate([alpha, self.caps - self._sums(slice(self.m), alpha)])

    def largest(self, value: np.ndarray) -> np.ndarray:
        """Return the index of the plane with the largest ``value`` in each group."""
        order = value.argsort()
        out = np.empty(len(self.caps), dtype=np.intp)
        out[self.group[order]] = order  # of repeated indices the last assignment stays
        return out

    def project(
        self, x: np.ndarray, J: np.ndarray, P: np.ndarray, d: np.ndarray
    ) -> tuple[np.ndarray, bool]:
        """Return ``x + d`` made feasible, and whether it already was in the interior.

        The planes ``J`` move by ``d`` and are clipped at 0, the pivots ``P`` take up the
        difference; a group above its cap even without its pivot is scaled down to it.
        """
        moved = np.maximum(x[J] + d, 0.0)
        sums = self._sums(J, moved)
        slack = self.caps - sums
        inside = bool(moved.min() > 0)
        if slack.min() < 0:
            inside = False
            moved *= shrinkage(sums, self.caps)[self.group[J]]
            slack = np.maximum(slack, 0.0)
        target = x.copy()
        target[P] = slack[self.group[P]]
        target[J] = moved
        return target, inside

    def to_boundary(self, x: np.ndarray, J: np.ndarray, P: np.ndarray, d: np.ndarray) -> np.ndarray:
        """Return the last feasible point on the way from ``x`` to ``x + d``.

        The planes and pivots that block the way there are set to exactly 0.
        """
        step = np.zeros(len(x))
        step[J] = d
        pivot_step = -self._sums(J, d)
        step[P] = pivot_step[self.group[P]]
        falling = (step < 0).nonzero()[0]
        ratio = x[falling] / -step[falling]
        t = min(1.0, ratio.min(initial=1.0))
        target = np.maximum(x + t * step, 0.0)
        # Tiny numbers left by rounding would stay in the support.
        target[falling[ratio <= t]] = 0.0
        return target

    def between(self, x: np.ndarray, target: np.ndarray, t: float) -> np.ndarray:
        """Return ``x + t (target - x)``, where an infinite slack stays infinite."""
        with np.errstate(invalid="ignore"):  # inf - inf
            return np.where(np.isinf(x), x, x + t * (target - x))

    def _sums(self, planes: slice | np.ndarray, value: np.ndarray) -> np.ndarray:
        """Sum ``value`` over the planes of each group, shape (n_groups,)."""
        return np.bincount(self.group[planes], value, len(self.caps))
