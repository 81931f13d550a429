"""The bounds of a run, as values: the best point, the dual solutions, the passes."""

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
        The dual value less its rounding error: a lower bound of the optimum.
    rounding : float
        The rounding error. If it exceeded the value, the solution was replaced by 0, and this is
        the error that caused it.
    alpha : ndarray of shape (m,)
        The dual variable of every plane.
    sources : tuple of Source, SoftSource or None
        What the planes were made from; None for one of the problem's constraints.
    multipliers : ndarray of shape (n_constraints,)
        The dual variables of the constraints.
    size : float
        The norm of the part of v that oracles made, which constraints may cancel.
    labels : sequence or None
        The labels that the planes are made against.
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
        """The planes with alpha > 0, as a result keeps them."""
        return tuple(
            SupportPlane(source, float(alpha))
            for source, alpha in zip(self.sources, self.alpha, strict=True)
            if source is not None and alpha > 0
        )


class Bounds(NamedTuple):
    """The best point found, relative to the prior, with bounds of its objective and of the optimum.

    Attributes
    ----------
    dual : DualSolution
        The best for the labels.
    latest : DualSolution
        The current one of the algorithm at work, whose value may be lower.
    w : ndarray of shape (size,) or None
        None before the first pass.
    primal : float
        An upper bound of P(w): its rounding error is added.
    rounding : float
        The rounding error.
    slacks : ndarray of shape (n_groups,)
    labels : sequence or None
    history : tuple of Iteration
        The passes.
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
        """The rounding errors in the gap."""
        return self.rounding + self.dual.rounding


class Step(NamedTuple):
    """A pass of an algorithm.

    Attributes
    ----------
    point : ndarray of shape (size,)
        The point that was queried.
    cuts : Cuts
        The slacks there, and the planes found.
    dual : DualSolution
        The algorithm's current one.
    labels : sequence or None
        The labels that planes are made against: Y, or the labels imputed last. Those of the cuts
        differ where CCCP refused a relabelling.
    planes : Planes
        The planes that the algorithm keeps.
    before : Bounds or None
        Bounds that take the place of those before the pass: other labels are held since, or the
        objective of the best point counts as unknown until it is evaluated again.
    """

    point: Vector
    cuts: Cuts
    dual: DualSolution
    labels: Any
    planes: Planes = Planes()
    before: Bounds | None = None
