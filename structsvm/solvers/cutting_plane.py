"""The base class of cutting-plane algorithms, with passes of the oracle and a working set."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.oracle.cheap_search import CheapSearch
from structsvm.planes.plane import Cuts
from structsvm.planes.working_set import WorkingSet, projected
from structsvm.results.status import Status
from structsvm.solvers.shared.algorithm import Algorithm, Start
from structsvm.solvers.shared.bounds import Bounds, Step
from structsvm.solvers.shared.consistency import require_any_loss, require_unbeaten
from structsvm.solvers.shared.program import SPARE, Program

#: Tolerated gap of the quadratic program, relative to its dual value.
QP_RTOL = 1e-6


class CuttingPlanes(Algorithm):
    """An algorithm that queries the oracle, adds planes, solves the quadratic program, and repeats.

    Parameters
    ----------
    program : Program
    start : Start
    prune_after : int
        The number of idle passes after which a plane is dropped.

    Attributes
    ----------
    planes : WorkingSet
    query : ndarray or None
        The w of the last pass. A step first moves to the next w, and then calls the oracle. None if
        the run has stalled.
    cuts : Cuts or None
        The cuts at `query` that are not yet in the working set.
    """

    planes: WorkingSet

    def __init__(self, program: Program, start: Start, prune_after: int) -> None:
        super().__init__(program, start)
        self.prune_after = prune_after
        self.planes = WorkingSet(program.caps, program.constraints)
        self.cuts: Cuts | None = None
        self._outputs: Sequence[Any] | None = None
        self._cheap: CheapSearch | None = None
        if program.examples.cheap_searches:
            self._cheap = CheapSearch(program.examples, self.labels)
        self.solve()
        self._add_start(start)
        self.query: Vector | None = self.planes.solution.w
        if start.point is not None:
            self.query = projected(start.point, program.constraints)

    # ------------------------------------------------------------------ one slack or n

    @abstractmethod
    def cut(self, query: Vector, outputs: Sequence[Any] | None = None) -> Cuts:
        """Return planes at the query point, for the oracle's outputs or for `outputs`."""

    @abstractmethod
    def is_new(self, cuts: Cuts) -> bool:
        """Whether planes imply a higher objective than the planes of the working set imply."""

    @abstractmethod
    def advance(self, query: Vector, cuts: Cuts, bounds: Bounds) -> Vector | None:
        """Use the cuts of the last pass; return the next w, or None if the run has stalled."""

    @abstractmethod
    def _add_start(self, start: Start) -> None:
        """Add the planes of the dual solution from which the run starts."""

    # ------------------------------------------------------------------ a step

    def step(self, bounds: Bounds) -> Step | Status:
        if self.cuts is not None:
            assert self.query is not None
            self.query, self.cuts = self.advance(self.query, self.cuts, bounds), None
            if self._qp_is_inaccurate(bounds):
                return Status.QP_FAILED
        if self.query is None:
            return Status.STALLED
        query = self.query
        cuts = None if self._cheap is None else self._cheap_cuts(query)
        if cuts is None:
            cuts = self.checked(query, self.cut(query))
            if self._cheap is not None:
                self._cheap.pool.add(cuts.outputs)
        self.cuts, self._outputs = cuts, cuts.outputs
        any_loss = cuts.any_loss or self.planes.any_loss
        require_any_loss(self.program.examples, self.labels, query, any_loss)
        return self.found(query, cuts)

    def checked(self, query: Vector, cuts: Cuts) -> Cuts:
        """Ensure that no earlier plane gives a larger slack than the cuts, and return the cuts."""
        planes, program = self.planes, self.program
        known = planes.slacks(query)
        if len(planes):  # without planes there is nothing to compare with
            size = program.magnitude(query, planes)
            require_unbeaten(program.examples, cuts.labels, query, known, cuts.slacks, size)
        if program.may_miss:  # earlier outputs may imply larger slacks
            cuts = cuts._replace(slacks=np.maximum(cuts.slacks, known))
        return cuts

    def _cheap_cuts(self, query: Vector) -> Cuts | None:
        """Return planes found without the oracle, or None if the planes are not new.

        The slacks are set to infinity, because no upper bound of a slack is known without the
        oracle.
        """
        assert self._cheap is not None
        outputs = self._cheap.search(self.labels, query, self._outputs)
        if outputs is None:
            return None
        cuts = self.cut(query, outputs)
        if not self.is_new(cuts):
            return None
        return cuts._replace(slacks=np.full(len(cuts.slacks), np.inf))

    def add(self, cuts: Cuts) -> None:
        """Add the planes of a pass, drop idle planes, and solve the quadratic program."""
        self.planes.add(cuts.rows, cuts.offsets, cuts.groups, cuts.sources)
        self.planes.prune(self.prune_after)
        self.solve()

    def solve(self) -> None:
        """Solve the problem restricted to the working set, and publish its dual solution."""
        start, program, planes = time.perf_counter(), self.program, self.planes
        solution = planes.solve()
        constraints: dict[str, Any] = {}
        if not program.constraints.free:
            constraints["multipliers"] = mu = planes.multipliers()
            constraints["constraint_terms"] = program.constraints.terms_of_dual(solution.v, mu)
            constraints["size"] = solution.size
        sources = tuple(planes.sources)
        self.publish(solution.dual, solution.v, planes.alpha, sources, **constraints)
        self.qp_rounding = solution.rounding
        program.examples.tally.seconds["qp"] += time.perf_counter() - start

    # ------------------------------------------------------------------ accuracy

    def _qp_is_inaccurate(self, bounds: Bounds) -> bool:
        """Whether the quadratic program was solved too roughly for the requested gap."""
        found = self.planes.solution
        allowed = max(SPARE * self.program.allowed(bounds.primal), QP_RTOL * abs(found.dual))
        rough = not abs(found.primal - found.dual) <= allowed
        return rough or found.violation > QP_RTOL

    @property
    def slack_tolerance(self) -> float:
        """The violation below which a plane does not matter.

        The tolerance is a tenth of the allowed gap, divided by C, but at least the rounding error
        of a slack. The allowed gap is computed from the dual value, which is at most the objective.
        """
        program, dual = self.program, self.dual.value
        allowed = max(SPARE * program.allowed(dual), 1e-10 * dual) / program.C
        return max(allowed, program.rounding.of_slack(self.planes.solution.w))
