"""Scales of the coordinates of w, from the diagonal of the Hessian or an estimate of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from structsvm.problem import Vector

#: Curvatures this much above the sum of the others dominate.
DOMINATING = 1e4


class Scaling(NamedTuple):
    """Scales of the coordinates, for a descent in w / factor.

    Attributes
    ----------
    curvature : ndarray of shape (size,)
        The Hessian's diagonal, > 0.
    factor : ndarray of shape (size,)
        At most 1.
    """

    curvature: Vector
    factor: Vector


def rough(curvature: Vector) -> Scaling:
    """The scaling for a rough estimate of the diagonal.

    Only entries that dominate are scaled, such as those of a column of time stamps beside
    standardised ones, so that single precision holds the changes of all. They are larger than
    DOMINATING times the sum of all that do not, and are scaled so that their curvature is equal to
    that. (More than that is no gain on ordinary data.)
    """
    order = np.argsort(curvature)
    rest = np.append(0.0, np.cumsum(curvature[order])[:-1])
    jumps = np.flatnonzero((curvature[order] > DOMINATING * rest) & (rest > 0))
    factor = np.ones(len(curvature))
    if len(jumps):
        large = order[jumps[0] :]
        factor[large] = np.sqrt(DOMINATING * rest[jumps[0]] / curvature[large])
    return Scaling(curvature, factor)


def measured(curvature: Vector) -> Scaling:
    """The scaling for the diagonal itself: the inverse Hessian begins at its power -1/2.

    Features that occur in few examples then move further. The power is between 0, of a descent
    without scaling, and -1, of a Hessian that is diagonal.
    """
    factor = rough(curvature).factor
    return Scaling(curvature, factor * (factor**2 * curvature) ** -0.25)
