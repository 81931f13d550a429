"""The values of a run's state: the best point, the dual solutions and the passes."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.planes.plane import Cuts, Planes, SupportPlane
from structsvm.results.status import Iteration


class DualSolution(NamedTuple):
    """A point of the dual.

    Attributes
    ----------
    value : float
        A lower bound of the optimum: the dual value minus its rounding error.
    rounding : float
        The rounding error of the dual value. If the rounding error of a solution exceeds its value,
        the solution 0 is used instead, and this attribute keeps the error of the original solution.
    alpha : ndarray of shape (m,)
        The dual variable of every plane.
    sources : tuple of Source, SoftSource or None
        For every plane, the outputs or the soft oracle's w from which the plane can be recomputed.
        None for a constraint of the problem.
    multipliers : ndarray of shape (n_constraints,)
        The dual variables of the constraints.
    size : float
        The norm of the weighted sum of the oracle's planes, which only the constraints need. 0 if
        the problem has no constraints.
    labels : sequence or None
        The labels that the planes refer to.
    """

    value: float
    rounding: float
    alpha: Vector
    sources: tuple[Any, ...]
    multipliers: Vector
    size: float
    labels: Any

    @property
    def support(self) -> tuple[SupportPlane, ...]:
        """The planes with alpha > 0, in the form that a result stores."""
        return tuple(
            SupportPlane(source, float(alpha))
            for source, alpha in zip(self.sources, self.alpha, strict=True)
            if source is not None and alpha > 0
        )


class Bounds(NamedTuple):
    """The best point so far, with bounds of its objective and of the optimum.

    The prior is subtracted from the point ``w``.

    Attributes
    ----------
    dual : DualSolution
        The best dual solution for `labels`.
    latest : DualSolution
        The current dual solution of the algorithm, with a value that may be lower than the best
        value.
    w : ndarray of shape (size,) or None
        The best point. None before the first pass.
    primal : float
        An upper bound of the objective at ``w``, which includes the rounding error.
    rounding : float
        The rounding error of the objective at ``w``.
    slacks : ndarray of shape (n_groups,)
        The slacks at w.
    labels : sequence or None
        The labels from which the slacks are computed: Y, or imputed labels.
    history : tuple of Iteration
        The passes so far.
    """

    dual: DualSolution
    latest: DualSolution
    w: Any = None
    primal: float = math.inf
    rounding: float = 0.0
    slacks: Vector = np.empty(0)
    labels: Any = None
    history: tuple[Iteration, ...] = ()

    @property
    def gap(self) -> float:
        """The duality gap, rounding errors included."""
        return self.primal - self.dual.value

    @property
    def gap_rounding(self) -> float:
        """The sum of the rounding errors in the gap."""
        return self.rounding + self.dual.rounding


class Step(NamedTuple):
    """A pass of an algorithm.

    Attributes
    ----------
    point : ndarray of shape (size,)
        The w at which the oracle was called.
    cuts : Cuts
        The slacks and the planes at ``point``.
    dual : DualSolution
        The current dual solution of the algorithm.
    labels : sequence or None
        The labels that planes refer to: Y, or the labels imputed last. If CCCP has refused imputed
        labels, ``cuts.labels`` holds the refused labels.
    planes : Planes
        The planes that the algorithm keeps.
    before : Bounds or None
        The Bounds to use in place of the previous Bounds. None to keep the previous Bounds.
    """

    point: Vector
    cuts: Cuts
    dual: DualSolution
    labels: Any
    planes: Planes = Planes()
    before: Bounds | None = None
