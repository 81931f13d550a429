"""Scales of the coordinates of w, from the curvature or an estimate of the curvature."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from structsvm.contract.soft_oracle import Axes
from structsvm.data.arrays import Vector
from structsvm.exceptions import ProblemError
from structsvm.oracle.examples import Examples
from structsvm.task.call import Call

#: A curvature dominates if it is above the sum of all smaller curvatures times this factor.
DOMINATING = 1e4


class EntryAxes(Axes):
    """The entries of w as axes."""

    def along(self, curvature: Vector) -> Vector:
        return curvature

    def times(self, factors: Any, w: Any) -> Any:
        return factors * w


ENTRIES = EntryAxes()


class Scaling(NamedTuple):
    """The scale of w along each axis. The descent uses the coordinates w / factor.

    Attributes
    ----------
    curvature : ndarray of shape (m,)
        The diagonal of the Hessian, > 0.
    factor : ndarray of shape (m,)
        The scales.
    balance : ndarray of shape (m,) or None
        A scale below 1 for each axis with a dominating curvature, and 1 for all other axes. None if
        no axis has a dominating curvature.
    axes : Axes
    """

    curvature: Vector
    factor: Vector
    balance: Vector | None
    axes: Axes = ENTRIES

    def balanced(self, gradient: Vector) -> Vector:
        """Return the gradient, shortened along the axes with dominating curvature."""
        if self.balance is None:
            return gradient
        return self.axes.times(self.balance.astype(gradient.dtype), gradient)


class Coordinates:
    """The coordinates of a descent, in which the typical curvature is about 1.

    Parameters
    ----------
    scaling : Scaling
    dtype : dtype
        The dtype of gradients.
    """

    def __init__(self, scaling: Scaling, dtype: Any = np.float64) -> None:
        typical = power_of_four(float(np.mean(scaling.factor**2 * scaling.curvature)))
        scale = scaling.factor / np.sqrt(typical)
        self._axes, self._scale = scaling.axes, scale.astype(dtype, copy=False)

    def stretched(self, vector: Vector) -> Vector:
        """Multiply a gradient or a step by the scales, to convert between coordinates and w."""
        return self._axes.times(self._scale, vector)


def along_axes(examples: Examples, slacks: Vector, w: Vector) -> Scaling:
    """Return scales along the axes that the task defines, from the curvature of the slacks.

    Raises a ProblemError if the return value of the task's ``axes`` does not fit w.
    """
    axes = examples.curvature_axes or ENTRIES
    with Call(examples.problem, "axes", hint="in along or times") as call:
        along = np.asarray(axes.along(slacks))
        if along.ndim != 1 or not np.all(along >= 0):
            raise ProblemError(
                "axes: along must return the curvature of each group of axes, of "
                f"shape (m,) and >= 0; it returned {along!r:.80}; {call.remedy}"
            )
        axes.times(np.ones_like(along), w)  # so that an error about this shape names the method
    return measured(1 + along, axes)


def rough(curvature: Vector) -> Scaling:
    """Return the scaling for `curvature`, a rough estimate of the Hessian's diagonal.

    Only weights with dominating curvature are scaled, such as the weight of a time stamp beside
    weights of standardised columns. The scales reduce rounding errors in single precision. Scales
    for all weights do not help on ordinary data.
    """
    balance = _balance(curvature)
    factor = np.ones_like(curvature) if balance is None else balance
    return Scaling(curvature, factor, balance)


def measured(curvature: Vector, axes: Axes = ENTRIES) -> Scaling:
    """Return the scaling for `curvature`, the measured diagonal of the Hessian.

    L-BFGS starts with `curvature` to the power -1/2 as its inverse Hessian, which makes larger
    steps for the weights of rare features. The power -1/2 of the Hessian's diagonal is a compromise
    between no scaling (power 0) and the inverse of the diagonal (power -1).
    """
    found = rough(curvature)
    factor = found.factor * (found.factor**2 * curvature) ** -0.25
    return found._replace(factor=factor, axes=axes)


def _balance(curvature: Vector) -> Vector | None:
    """Return scales that shrink only dominating curvatures, or None if no curvature dominates."""
    rising = np.sort(curvature)
    rest = np.append(0.0, np.cumsum(rising)[:-1])
    jumps = np.flatnonzero((rising > DOMINATING * rest) & (rest > 0))
    if not len(jumps):
        return None
    first = jumps[0]
    ratio = np.sqrt(DOMINATING * rest[first] / curvature)
    return np.where(curvature >= rising[first], ratio, 1.0)


def power_of_four(size: float) -> float:
    """Return a power of four near `size`, or 1 if `size` is 0, for divisions without rounding."""
    return float(np.ldexp(1.0, 2 * (int(np.frexp(size)[1]) // 2)))
