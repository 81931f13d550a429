r"""Proximal terms for weights that every example changes, such as the weights of an intercept.

A large feature that all examples share, such as the constant feature of an intercept, makes the
steps of the ascent short, because the steps of different examples undo each other. For each weight
w_j of a large shared feature, the regulariser w_j^2 / 2 gets a proximal term of strength T > 0:

.. math::

    \tfrac12 w_j^2 + \tfrac{T}{2} (w_j - c_j)^2, \qquad w_j = \frac{v_j + T c_j}{1 + T}

The vector v is the sum of the joint-feature differences, weighted by the dual variables. The center
c of the proximal terms is moved to w repeatedly. The method is the proximal point algorithm of
Rockafellar (SIAM Journal on Control and Optimization 14, 1976), with a few steps in place of each
minimisation. At convergence, the proximal terms are 0, and w is the same as in a run without
proximal terms.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector

#: A feature dominates if its energy (its sum of squares) exceeds this fraction of the energy of the
#: features that do not. The proximal terms scale the energy of all dominating ones down to it.
DOMINATING = 0.03


class Proximal:
    """The proximal terms for an array of weights.

    Parameters
    ----------
    shrink : float
        The factor 1 / (1 + T), where T > 0 is the strength of the proximal terms.
    shape : tuple of int
        The shape of the array of weights.
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
    """Return the columns of `rows` that dominate the sum of squares, and the factor ``shrink``."""
    squares = np.square(rows.data, dtype=np.float64)
    energies = np.bincount(rows.indices, weights=squares, minlength=rows.shape[1])
    rest, found = float(energies.sum()), np.empty(0, dtype=np.intp)
    while len(more := np.flatnonzero(energies > DOMINATING * rest)) > len(found):
        found, rest = more, float(np.delete(energies, more).sum())
    ratio = float(energies[found].sum()) / rest if rest else 0.0
    return (found, DOMINATING / ratio) if ratio > 1 else (found[:0], 1.0)
