r"""Proximal terms for the weights that all examples move, such as an intercept's.

A feature that all examples have, above all a large one like the constant that carries an intercept,
makes the steps of an ascent short: the next example undoes what the last one gained there. So in
place of w_j^2 / 2 these weights have

.. math::

    \tfrac12 w_j^2 + \tfrac{T}{2} (w_j - c_j)^2, \qquad w_j = \frac{v_j + T c_j}{1 + T}

with a center c that moves to w again and again. This is the proximal point algorithm of Rockafellar
(SIAM Journal on Control and Optimization 14, 1976), with some steps in place of each minimisation.
Where it has converged, w = c = v, as without these terms.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector

#: A feature dominates if its energy (sum of squares) is this fraction of all others'; with their
#: terms the energy of all that dominate is this fraction too.
DOMINATING = 0.03


class Proximal:
    """The terms of some weights.

    Parameters
    ----------
    shrink : float
        1 / (1 + T): how far w moves where v moves by 1.
    shape : tuple of int
        That of the weights.
    """

    def __init__(self, shrink: float, shape: tuple[int, ...]) -> None:
        self._shrink = shrink
        self._center = np.zeros(shape)

    def w(self, v: Vector) -> Vector:
        return v + (1 - self._shrink) * (self._center - v)

    def recenter(self, v: Vector) -> None:
        """Move the center to w."""
        self._center = self.w(v)


def dominating(rows: Any) -> tuple[Indices, float]:
    """The features that dominate the rows of a CSR matrix, and 1 / (1 + T) of their terms."""
    squares = np.square(rows.data, dtype=np.float64)
    energies = np.bincount(rows.indices, weights=squares, minlength=rows.shape[1])
    rest, found = float(energies.sum()), np.empty(0, dtype=np.intp)
    while len(more := np.flatnonzero(energies > DOMINATING * rest)) > len(found):
        found, rest = more, float(np.delete(energies, more).sum())
    ratio = float(energies[found].sum()) / rest if rest else 0.0
    return (found, DOMINATING / ratio) if ratio > 1 else (found[:0], 1.0)
