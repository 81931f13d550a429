r"""Proximal terms for the entries of w that all mini-batches move, such as an intercept's.

A feature that all examples have, above all a large one like the constant that carries an intercept,
makes the steps of an ascent by mini-batches short: the next mini-batch undoes what the last one
gained there. So in place of w_j^2 / 2 these entries have

.. math::

    \tfrac12 w_j^2 + \tfrac{T}{2} (w_j - c_j)^2, \qquad w_j = \frac{v_j + T c_j}{1 + T}

with a center c that moves to w again and again, and beyond. This is the proximal point algorithm of
Rockafellar (SIAM Journal on Control and Optimization 14, 1976), with some steps in place of each
minimisation, and with the momentum of Güler (SIAM Journal on Optimization 2, 1992), restarted and
reduced where the center turns. Where it has converged, w = c = v, as without these terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector

#: An entry dominates if the energy (sum of squares) of its moves is this fraction of all others';
#: with their terms the energy of all that dominate is this fraction too.
DOMINATING = 0.03
#: The momentum is multiplied by this where the center turns.
LESS = 0.7


class Proximal:
    """The terms of some entries.

    Parameters
    ----------
    places : ndarray of shape (m,), int
        The places of the entries in w, rising.
    strength : float
        T, > 0, the same for all.
    batches : sequence of (m_j,) int arrays
        The places of the entries that each mini-batch uses, in its own order.
    size : int
        Number of all entries.
    """

    def __init__(
        self, places: Indices, strength: float, batches: Sequence[Indices], size: int
    ) -> None:
        self._places, self._shrink = places, 1 / (1 + strength)
        self._center = self._last = np.zeros(len(places))  # the last w
        self._moves, self._momentum = 0, 1.0
        which = np.full(size, -1)
        which[places] = np.arange(len(places))
        self._own = [
            (np.flatnonzero(found := which[own] >= 0), which[own[found]]) for own in batches
        ]

    def w(self, v: Vector, j: int | None = None) -> Vector:
        """w from v: whole, or the entries of the j-th mini-batch. A new array."""
        local, which = self._inside(j)
        w = v.copy()
        w[local] = self._between(v[local], self._center[which])
        return w

    def shrunk(self, move: Vector, j: int) -> Vector:
        """The move of w where v makes one, on the entries of the j-th mini-batch. A new array."""
        local, _ = self._inside(j)
        move = move.copy()
        move[local] *= self._shrink
        return move

    def recenter(self, v: Vector) -> None:
        """Move the center to w, and beyond by its momentum."""
        w = self._between(v[self._places], self._center)
        ahead = w - self._last
        if float((w - self._center) @ ahead) < 0:
            self._moves, self._momentum = 0, LESS * self._momentum
        self._moves += 1
        beyond = self._momentum * (self._moves - 1) / (self._moves + 2)
        self._center, self._last = w + beyond * ahead, w

    def _between(self, v: Vector, center: Vector) -> Vector:
        return v + (1 - self._shrink) * (center - v)

    def _inside(self, j: int | None) -> tuple[Any, Any]:
        """The places of the entries, in a mini-batch or in all, and which ones they are."""
        return (self._places, slice(None)) if j is None else self._own[j]


def dominating(energies: Vector) -> tuple[Indices, float]:
    """The entries that dominate, and the sum of their energies relative to all others' sum.

    ``energies``, shape (size,), holds the sum of the squared moves of each entry.
    """
    rest, found = float(energies.sum()), np.empty(0, dtype=np.intp)
    while len(more := np.flatnonzero(energies > DOMINATING * rest)) > len(found):
        found, rest = more, float(np.delete(energies, more).sum())
    ratio = float(energies[found].sum()) / rest if rest else 0.0
    return (found, ratio) if ratio > 1 else (found[:0], 0.0)
