"""The base class of algorithms, and the start from which an algorithm begins."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.oracle.cuts import one_slack_cut
from structsvm.planes.plane import Cuts, Planes, SupportPlane, WeightedPlanes
from structsvm.results.status import Status
from structsvm.solvers.shared.bounds import Bounds, Step
from structsvm.solvers.shared.consistency import require_any_loss
from structsvm.solvers.shared.program import Program


class Start(NamedTuple):
    """An initial w and a dual solution, for a warm start or for the next algorithm of a run.

    Attributes
    ----------
    point : ndarray of shape (size,) or None
        The initial w, or None for the default of the solver.
    support : sequence of SupportPlane
        The planes of the dual solution.
    factor : float
        The factor by which the dual variables of the planes are multiplied.
    planes : WeightedPlanes or None
        The one-slack planes of the dual solution as vectors. None if the vectors of the planes are
        unknown.
    labels : sequence or None
        The labels that an earlier algorithm has imputed.
    """

    point: Vector | None = None
    support: Sequence[SupportPlane] = ()
    factor: float = 1.0
    planes: WeightedPlanes | None = None
    labels: Any = None


class Algorithm(ABC):
    """The base class of algorithms, which make a pass over the data in each step.

    The attributes hold the state of the algorithm.

    The run, not the algorithm, keeps the best w and the best dual value, in an object of class
    Bounds. After each step, the run updates the Bounds and passes the Bounds to the next step. A
    run can resume from a copy of the attributes and the bounds, made between two steps.

    Parameters
    ----------
    program : Program
    start : Start

    Attributes
    ----------
    program : Program
    point : ndarray of shape (size,)
        The initial w.
    labels : sequence or None
        The outputs that planes refer to: Y, or the labels imputed last.
    planes : Planes
    dual : DualSolution
        The current dual solution.
    qp_rounding : float
        The rounding error of the last quadratic program, in units of the objective.
    """

    planes = Planes()
    qp_rounding = 0.0
    #: Attributes that a checkpoint leaves out. After loading they have the value set in the class.
    remade: frozenset[str] = frozenset()

    def __init__(self, program: Program, start: Start) -> None:
        self.program = program
        self.labels = program.examples.Y if start.labels is None else start.labels
        self.dual = program.zero_dual(self.labels)
        self.point = np.zeros(program.examples.size) if start.point is None else start.point

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in self.remade}

    @abstractmethod
    def step(self, bounds: Bounds) -> Step | Start | Status:
        """Make a pass and return the Step, or return a status if no pass is possible.

        An algorithm that has become slow returns a start for the next algorithm.
        """

    def conclude(self, bounds: Bounds) -> tuple[Bounds, bool]:
        """Return the bounds after a step, and whether this step was the last.

        A step is the last if the gap is small enough. If the algorithm imputes new labels, the
        returned bounds are for the new labels.
        """
        return bounds, self.program.is_small(bounds)

    def complete(self, bounds: Bounds) -> Bounds:
        """Complete the certificate if a limit has ended the run."""
        return bounds

    def handover(self, bounds: Bounds) -> Start:
        """Return the initial w and the dual solution for the next algorithm after a stall."""
        return Start(bounds.w, bounds.dual.support, labels=bounds.labels)

    def continued_by(self, other: Any) -> Any:
        """Pass results of this algorithm to `other`, which continues in double precision."""
        return other

    def return_to(self, w: Vector, bounds: Bounds) -> Bounds:
        """Make w the point that the run returns, and evaluate the objective at w."""
        return self.program.returned_to(bounds, self.found(w, self.cut(w)))

    # ------------------------------------------------------------------ for several algorithms

    def found(self, w: Vector, cuts: Cuts, before: Bounds | None = None) -> Step:
        """Return the Step that reports a pass at w."""
        return Step(w, cuts, self.dual, self.labels, self.planes, before)

    def hold(self, w: Vector, slacks: Vector, bounds: Bounds) -> Bounds:
        """Make w the best point for the current labels, with the slacks for these labels."""
        bounds = bounds._replace(latest=self.dual)
        return self.program.bounds_at(w, slacks, self.labels, self.dual, bounds)

    def publish(
        self, value: float, v: Vector, alpha: Vector, sources: tuple[Any, ...], **constraints: Any
    ) -> None:
        """Replace the current dual solution: see :meth:`Program.dual_solution`."""
        self.dual = self.program.dual_solution(self.labels, value, v, alpha, sources, **constraints)

    def cut(self, w: Vector) -> Cuts:
        """Return one plane of all examples at w, from the separation oracle."""
        return one_slack_cut(self.program.examples, self.labels, w)

    def _first_step(self) -> Step:
        """Evaluate the objective at the starting point."""
        examples, w = self.program.examples, self.point
        cuts = one_slack_cut(examples, self.labels, w)
        require_any_loss(examples, self.labels, w, cuts.any_loss)
        self.program.loss = float(examples.task.losses_of(cuts.offsets, cuts.rows)[0])
        return self.found(w, cuts)
