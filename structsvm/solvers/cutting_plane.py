"""The loop of the cutting-plane algorithms: passes of the oracle, and a working set."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from structsvm.contract.capabilities import oracle_may_miss
from structsvm.data.arrays import Vector
from structsvm.oracle.cheap_search import CheapSearch
from structsvm.planes.plane import Cuts
from structsvm.planes.working_set import WorkingSet, projected
from structsvm.results.status import Status
from structsvm.solvers.shared.algorithm import Algorithm, Start
from structsvm.solvers.shared.consistency import require_any_loss, require_unbeaten
from structsvm.solvers.shared.loop import Pass, Passes
from structsvm.solvers.shared.record import SPARE, Record

#: Gap of the quadratic program that is tolerated, relative to its dual value.
QP_RTOL = 1e-6


class CuttingPlanes(Algorithm):
    """The loop: query the oracle, add planes, solve the quadratic program, and so on.

    Parameters
    ----------
    record : Record
    start : Start
    prune_after : int
        Planes that were idle for more passes than this are dropped.

    Attributes
    ----------
    planes : WorkingSet
    query : ndarray or None
        The next point; None where no query would change anything.
    """

    def __init__(self, record: Record, start: Start, prune_after: int) -> None:
        self.record, self.prune_after = record, prune_after
        self.planes = record.planes = WorkingSet(record.caps, record.constraints)
        self._outputs: Sequence[Any] | None = None
        self._cheap: CheapSearch | None = None
        if record.examples.may_search:
            self._cheap = CheapSearch(record.examples, record.labels)
        self.solve()
        self._add_start(start)
        self.query: Vector | None = self._first_query(start.point)

    # ------------------------------------------------------------------ one slack or n

    @abstractmethod
    def cuts(self, query: Vector, outputs: Sequence[Any] | None = None) -> Cuts:
        """One pass at the query point: planes of the oracle's outputs, or of the given ones."""

    @abstractmethod
    def is_new(self, cuts: Cuts) -> bool:
        """Whether the planes found imply more than the planes of the working set."""

    @abstractmethod
    def advance(self, query: Vector, cuts: Cuts) -> Vector | None:
        """Use what the pass found; the next query point, or None if nothing would change."""

    @abstractmethod
    def _add_start(self, start: Start) -> None:
        """Add the planes of the dual solution to start with."""

    # ------------------------------------------------------------------ the loop

    def passes(self) -> Passes:
        while self.query is not None:
            yield None
            query, record = self.query, self.record
            cuts = None if self._cheap is None else self._cheap_cuts(query)
            if cuts is None:
                cuts = self._raised(query, self.cuts(query))
                if self._cheap is not None:
                    self._cheap.pool.add(cuts.outputs)
            require_any_loss(record, query, cuts.any_loss or self.planes.any_loss)
            self._outputs = cuts.outputs
            iteration = record.add_pass(query, cuts)
            yield Pass(iteration, query, self.conclude())
            self.query = self.advance(query, cuts)
            if self.qp_failed:
                return Status.QP_FAILED
        return Status.STALLED

    def conclude(self) -> bool:
        """Conclude a pass: whether the run has converged."""
        return self.record.is_small

    def _first_query(self, point: Vector | None) -> Vector:
        if point is None:
            return self.planes.solution.w
        return projected(point, self.record.constraints)

    def _cheap_cuts(self, query: Vector) -> Cuts | None:
        """The planes of outputs that take no call of the oracle; None unless they are new.

        Their slacks are lower bounds only, so P is unknown at the point.
        """
        assert self._cheap is not None
        outputs = self._cheap.search(self.record.labels, query, self._outputs)
        if outputs is None:
            return None
        cuts = self.cuts(query, outputs)
        if not self.is_new(cuts):
            return None
        return cuts._replace(slacks=np.full(len(cuts.slacks), np.inf))

    def _raised(self, query: Vector, cuts: Cuts) -> Cuts:
        """The cuts of an oracle pass with the slacks raised to those that earlier outputs imply.

        Only an undergenerating oracle may have found less than it did earlier.
        """
        planes, examples = self.planes, self.record.examples
        known = planes.slacks(query)
        if len(planes):  # without planes nothing is known, and 0 is no output's slack
            magnitude = self.magnitude(query)
            require_unbeaten(examples, cuts.labels, query, known, cuts.slacks, magnitude)
        if oracle_may_miss(examples.problem):
            return cuts._replace(slacks=np.maximum(cuts.slacks, known))
        return cuts

    def magnitude(self, w: Vector) -> float:
        """The size of the terms of a slack at w."""
        return self.record.magnitude(w, self.planes.magnitude(w))

    def add(self, cuts: Cuts) -> None:
        """Add the planes of a pass to the working set, drop idle ones, solve it again."""
        self.planes.add(cuts.rows, cuts.offsets, cuts.groups, cuts.sources)
        self.planes.prune(self.prune_after)
        self.solve()

    def solve(self) -> None:
        """Solve the problem restricted to the working set, and publish its dual solution."""
        start, record, planes = time.perf_counter(), self.record, self.planes
        solution = planes.solve()
        found = solution.dual, solution.v, planes.alpha, tuple(planes.sources)
        if record.constraints.free:
            record.publish(*found)
        else:
            terms = planes.constraint_terms(solution.v)
            record.publish(*found, planes.multipliers(), solution.size, terms)
        record.qp_rounding = solution.rounding
        record.qp_seconds += time.perf_counter() - start

    def return_to(self, w: Vector) -> None:
        self.record.return_to(w, self.cuts(w))

    # ------------------------------------------------------------------ accuracy

    @property
    def qp_failed(self) -> bool:
        """Whether the restricted optimum is too rough for the requested gap."""
        found = self.planes.solution
        allowed = max(SPARE * self.record.tolerance, QP_RTOL * abs(found.dual))
        rough = not abs(found.primal - found.dual) <= allowed
        return rough or found.violation > QP_RTOL

    @property
    def slack_tolerance(self) -> float:
        """Violations below it cannot matter: together they are a tenth of the gap allowed.

        Rounding errors do not matter either. The dual value stands for the objective, since it is
        never above it.
        """
        record = self.record
        dual = record.dual.value
        allowed = max(SPARE * max(record.atol, record.rtol * dual), 1e-10 * dual) / record.C
        return max(allowed, record.rounding.of_slack(self.planes.solution.w))
