"""Scales of the coordinates of w, from the curvature along them or an estimate of it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from structsvm.contract.soft_oracle import Axes
from structsvm.data.arrays import Vector
from structsvm.exceptions import ProblemError
from structsvm.oracle.examples import Examples
from structsvm.task.call import Call

#: Curvatures this much above the sum of the others dominate.
DOMINATING = 1e4


class EntryAxes(Axes):
    """The entries of w as axes."""

    def along(self, curvature: Vector) -> Vector:
        return curvature

    def times(self, factors: Any, w: Any) -> Any:
        return factors * w


ENTRIES = EntryAxes()


class Scaling(NamedTuple):
    """Scales of the coordinates along some axes, for a descent in w / factor.

    Attributes
    ----------
    curvature : ndarray of shape (m,)
        The Hessian's diagonal, > 0.
    factor : ndarray of shape (m,)
        At most ``balance``.
    balance : ndarray of shape (m,) or None
        1, and less where the curvature dominates; None if it dominates nowhere.
    axes : Axes
    """

    curvature: Vector
    factor: Vector
    balance: Vector | None
    axes: Axes = ENTRIES

    def balanced(self, gradient: Vector) -> Vector:
        """The gradient, less long along axes whose curvature dominates."""
        if self.balance is None:
            return gradient
        return self.axes.times(self.balance.astype(gradient.dtype), gradient)


class Coordinates:
    """The coordinates of a descent: w is what they are, stretched along the axes of a scaling.

    Their typical curvature is about 1.

    Parameters
    ----------
    scaling : Scaling
    dtype : dtype
        Of gradients.
    """

    def __init__(self, scaling: Scaling, dtype: Any = np.float64) -> None:
        typical = power_of_four(float(np.mean(scaling.factor**2 * scaling.curvature)))
        scale = scaling.factor / np.sqrt(typical)
        self._axes, self._scale = scaling.axes, scale.astype(dtype, copy=False)

    def stretched(self, vector: Vector) -> Vector:
        """A gradient in these coordinates, from that in w's; or a step of w, from one in these."""
        return self._axes.times(self._scale, vector)


def along_axes(examples: Examples, slacks: Vector, w: Vector) -> Scaling:
    """The scaling for the curvature of the slacks along the axes that the problem suggests.

    Raises a ProblemError where ``axes`` of the task returned no axes of w.
    """
    axes = examples.curvature_axes or ENTRIES
    with Call(examples.problem, "axes", hint="in along or times") as call:
        along = np.asarray(axes.along(slacks))
        if along.ndim != 1 or not np.all(along >= 0):
            raise ProblemError(
                "axes: along must return the curvature of each group of axes, of "
                f"shape (m,) and >= 0; it returned {along!r:.80}; {call.remedy}"
            )
        axes.times(np.ones_like(along), w)  # to name it where it refuses this shape
    return measured(1 + along, axes)


def rough(curvature: Vector) -> Scaling:
    """The scaling for a rough estimate of the diagonal.

    Only entries that dominate are scaled, such as a column of time stamps beside standardised
    ones, so that single precision holds the changes of all. (Scaling more does not help on
    ordinary data.)
    """
    balance = _balance(curvature)
    factor = np.ones_like(curvature) if balance is None else balance
    return Scaling(curvature, factor, balance)


def measured(curvature: Vector, axes: Axes = ENTRIES) -> Scaling:
    """The scaling for the diagonal itself: the inverse Hessian begins at its power -1/2.

    Features that occur in few examples then move further. The power is between 0, of a descent
    without scaling, and -1, of a Hessian that is diagonal.
    """
    found = rough(curvature)
    factor = found.factor * (found.factor**2 * curvature) ** -0.25
    return found._replace(factor=factor, axes=axes)


def _balance(curvature: Vector) -> Vector | None:
    """1, but less for the entries that are larger than DOMINATING times the sum of all others.

    Scaled by it, these have that curvature. None if no entries dominate.
    """
    rising = np.sort(curvature)
    rest = np.append(0.0, np.cumsum(rising)[:-1])
    jumps = np.flatnonzero((rising > DOMINATING * rest) & (rest > 0))
    if not len(jumps):
        return None
    first = jumps[0]
    ratio = np.sqrt(DOMINATING * rest[first] / curvature)
    return np.where(curvature >= rising[first], ratio, 1.0)


def power_of_four(size: float) -> float:
    """A power of four near a positive number: dividing by it or its root is exact. 1 for 0."""
    return float(np.ldexp(1.0, 2 * (int(np.frexp(size)[1]) // 2)))
