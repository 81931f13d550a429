"""Cutting planes with one slack per example (Tsochantaridis et al., JMLR 2005)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from structsvm.data.arrays import Vector
from structsvm.docstrings import documented
from structsvm.objective.surrogate import Rescaling
from structsvm.oracle.cuts import find_violated, n_slack_cuts
from structsvm.oracle.support import example_planes
from structsvm.planes.plane import Cuts
from structsvm.solvers.cutting_plane import CuttingPlanes
from structsvm.solvers.one_slack import OneSlackCuttingPlane
from structsvm.solvers.shared.algorithm import Start
from structsvm.solvers.shared.bounds import Bounds
from structsvm.solvers.shared.program import Program
from structsvm.solvers.shared.solver import Solver


class NSlack(CuttingPlanes):
    """The cutting-plane algorithm with a slack and planes for each example."""

    def cut(self, query: Vector, outputs: Sequence[Any] | None = None) -> Cuts:
        examples, labels = self.program.examples, self.labels
        thresholds = self.planes.slacks(query) + self.slack_tolerance
        found = find_violated(examples, labels, query, thresholds, outputs)
        return n_slack_cuts(labels, found)

    def _add_start(self, start: Start) -> None:
        if start.support:
            for planes in example_planes(self.program.examples, self.labels, start.support):
                self.planes.add_solution(planes, start.factor)
            self.solve()

    def is_new(self, cuts: Cuts) -> bool:
        return len(cuts.offsets) > 0

    def advance(self, query: Vector, cuts: Cuts, bounds: Bounds) -> Vector | None:
        if self.is_new(cuts):
            self.add(cuts)
        w = self.planes.solution.w
        return None if query is w else w


@documented
@dataclass(eq=False, repr=False)
class NSlackCuttingPlane(Solver):
    """N-slack cutting planes, with margin or slack rescaling.

    Every pass adds a plane for each example whose slack is larger than its planes imply. At the end
    of the pass the quadratic program is solved once. This solver needs fewer passes than one-slack
    cutting planes, but the memory of its quadratic program grows with the square of n. Use this
    solver for expensive oracles, and for n up to a few thousand. Unlike Algorithm 1 of
    Tsochantaridis, Joachims, Hofmann & Altun (JMLR 2005), the solver stops when the duality gap is
    small enough, and solves the quadratic program once per pass instead of once per example.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    prune_after : int, default=1
        The number of passes, >= 0, for which a plane may have alpha = 0 before it is dropped.
    rescaling : {'margin', 'slack'}, default='margin'
        Whether the loss rescales the margin or the slack. 'slack' needs a problem with a
        ``slack_oracle``.
    """

    slack_per_example = True
    after_a_stall = OneSlackCuttingPlane.after_a_stall

    prune_after: int = 1
    rescaling: Rescaling = "margin"

    def begin(self, program: Program, start: Start) -> NSlack:
        return NSlack(program, start, self.prune_after)
