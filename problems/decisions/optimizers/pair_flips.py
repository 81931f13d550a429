"""Local search for 0/1 decisions: flip one or two entries, for many examples together."""

from __future__ import annotations

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.problems.decisions.optimizers.costs import in_blocks
from structsvm.problems.programs.constraints import Constraints, slack

#: Relative gain of a step, or relative excess over a bound, that counts as rounding.
ROUNDING = 1e-9
#: Largest product of the numbers of pairs and constraints: beyond it the search is not cheap.
MOST = 100_000
#: Number of pairs that are compared at a time: more would not fit into a processor's cache.
BLOCK = 100_000


class PairFlips:
    """A search that improves 0/1 solutions of linear constraints by flips of one or two entries.

    Parameters
    ----------
    constraints : Constraints
        Constraints on 0/1 variables.
    """

    def __init__(self, constraints: Constraints) -> None:
        whole = constraints.constraint
        # The added last entry changes nothing: a pair with it is a single flip.
        self._rows = np.pad(whole.A.toarray(), ((0, 0), (0, 1)))
        low, high = whole.lb, whole.ub
        # The tolerance of HiGHS would be too large: HiGHS might miss solutions that it allows here.
        self._bounds = low - slack(low, ROUNDING), high + slack(high, ROUNDING)

    @classmethod
    def of(cls, constraints: Constraints) -> PairFlips | None:
        """Return the search, or None if there are too many pairs for a cheap search."""
        rows, m = constraints.constraint.A.shape
        return cls(constraints) if max(rows, 1) * (m + 1) ** 2 <= MOST else None

    def __call__(self, scores: Vector, decisions: Vector) -> Vector:
        """Improve decisions until no flip improves them; all arrays are of shape (n, m)."""
        return in_blocks(self._improved, scores, BLOCK // (scores.shape[1] + 1) ** 2, decisions)

    def _improved(self, scores: Vector, decisions: Vector) -> Vector:
        scores, z = (np.pad(each, ((0, 0), (0, 1))) for each in (scores, decisions))
        rows = np.arange(len(z))
        while len(rows):
            pairs, gains = self._best_pairs(scores[rows], z[rows])
            better = gains > ROUNDING * np.abs(scores[rows]).max(axis=1)
            rows, pairs = rows[better], pairs[better]
            for chosen in pairs.T:
                z[rows, chosen] = 1 - z[rows, chosen]
        return z[:, :-1]

    def _best_pairs(self, scores: Vector, z: Vector) -> tuple[Vector, Vector]:
        """Return, for each example, the best allowed pair of flips, shape (n, 2), and its gain."""
        signs = 1 - 2 * z
        gains = _sums_of_pairs(scores * signs)
        for row, values, low, high in zip(
            self._rows, (z @ self._rows.T).T, *self._bounds, strict=True
        ):
            after = values[:, None, None] + _sums_of_pairs(row * signs)
            gains[(after < low) | (after > high)] = -np.inf
        entries = np.arange(z.shape[1])
        gains[:, entries, entries] = -np.inf
        best = gains.reshape(len(z), -1).argmax(axis=1)
        pairs = np.stack(np.unravel_index(best, gains.shape[1:]), axis=1)
        return pairs, gains[np.arange(len(z)), pairs[:, 0], pairs[:, 1]]


def _sums_of_pairs(values: Vector) -> Vector:
    """Return the sums of all pairs of entries of each row, shape (n, m, m)."""
    return values[:, :, None] + values[:, None, :]
