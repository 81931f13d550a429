"""The block-coordinate Frank-Wolfe method, with a cache of planes for every example."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from structsvm.contract.problem import Problem
from structsvm.data.arrays import Indices, Vector
from structsvm.data.validation import checked_generator, require_integer, require_option
from structsvm.docstrings import documented
from structsvm.objective import example_cap, unbounded_dual_value
from structsvm.objective.rounding import NEGLIGIBLE
from structsvm.oracle.cuts import find_violated
from structsvm.oracle.examples import Examples
from structsvm.oracle.support import example_planes
from structsvm.planes.example_planes import ListedPlanes, OwnPlane, OwnPlanes
from structsvm.planes.plane import ROUNDING, Cuts, longest_row, magnitude, no_cuts
from structsvm.results.status import Status
from structsvm.solvers.averaged_point import AveragedPoint
from structsvm.solvers.one_slack import OneSlackCuttingPlane
from structsvm.solvers.shared.algorithm import Algorithm, Start
from structsvm.solvers.shared.consistency import require_any_loss, require_unbeaten
from structsvm.solvers.shared.loop import Pass, Passes
from structsvm.solvers.shared.record import Record
from structsvm.solvers.shared.requirements import Requirements
from structsvm.solvers.shared.schedule import NEAR
from structsvm.solvers.shared.solver import Solver
from structsvm.solvers.shared.stall import Stall
from structsvm.solvers.thresholds import FRANK_WOLFE_PATIENCE

logger = logging.getLogger(__name__)

#: Largest number of passes over the cache after a pass of the oracle.
CACHE_PASSES = 30
#: They end when a pass raises the dual by less than this fraction of the oracle pass's gain.
WORTHWHILE = 0.03

Sampling = Literal["permutation", "gap"]


class FrankWolfe(Algorithm):
    """Passes that visit the examples one after another; P is evaluated where the gap may be small.

    Parameters
    ----------
    record : Record
    start : Start
    batch_size, sampling, random_state
        As in :class:`BlockCoordinateFrankWolfe`.

    Attributes
    ----------
    planes : ListedPlanes
        The cache.
    path : AveragedPoint
        The w of the dual solution, and the weighted average of the points passed.
    linear : float
        The linear term of the dual.
    gaps : ndarray of shape (n,)
        The gap of every example when it was last visited; infinite before.
    longest : float
        The norm of the longest row found.
    """

    def __init__(
        self, record: Record, start: Start, batch_size: int, sampling: Sampling, random_state: Any
    ) -> None:
        super().__init__(record)
        self._batch_size, self._sampling = batch_size, sampling
        n, size = record.examples.n, record.examples.size
        self._cap = example_cap(record.C, n)
        self._point = np.zeros(size) if start.point is None else start.point
        self.planes = record.planes = ListedPlanes(n)
        self.path, self.linear = AveragedPoint(size), 0.0
        self.gaps: Vector = np.full(n, np.inf)
        self.longest = 0.0
        self._rng = checked_generator(random_state)
        # Passes in a row that did not raise the dual: one may be bad luck of the order.
        self._idle, self._stall = 0, Stall(FRANK_WOLFE_PATIENCE)
        self._add_start(start)

    def _add_start(self, start: Start) -> None:
        """Add the planes of the dual solution to start with."""
        for planes in example_planes(self.record.examples, self.record.labels, start.support):
            weights = start.factor * planes.alpha / self._cap
            for k, (i, source) in enumerate(
                zip(planes.groups.tolist(), planes.sources, strict=True)
            ):
                own, offset = self.planes[i], float(planes.offsets[k])
                place = own.add(OwnPlane.of(planes.rows, k, offset, source.outputs[0]))
                own.weights[place] = weights[k]
        if len(self.planes):
            self._publish()

    @property
    def value(self) -> float:
        """The dual value."""
        return unbounded_dual_value(self.path.w, self.linear)

    # ------------------------------------------------------------------ the passes

    def passes(self) -> Passes:
        record = self.record
        if np.isinf(self.gaps).all():  # no example was visited yet
            first = self._evaluate(self._point)
            require_any_loss(record, self._point, first.any_loss)
            yield Pass(record.add_pass(self._point, first), self._point, False)
        while self._idle < 2 and not self._stall.is_reached:
            yield None
            before = self.value
            self._visit_all()
            self._publish()
            w = self.path.average
            unknown = no_cuts(record.labels, record.examples.size)
            yield Pass(record.add_pass(w, unknown), w, False)
            self._idle = self._idle + 1 if self.value <= before else 0
            self._stall.note(float(self.gaps.sum()))
            # The gaps are as of each example's last visit, so their sum only estimates the gap.
            if self.gaps.sum() <= NEAR * record.allowed(self.value) or self._idle:
                # Where steps no longer rise, the dual solution's own w is the better of the two.
                w = self.path.w.copy() if self._idle else self.path.average
                cuts = self._evaluate(w)
                self._publish()
                yield Pass(record.add_pass(w, cuts), w, record.is_small)
        logger.debug("the steps stalled at a gap of %.3g", record.found.gap)
        return Status.STALLED

    def _visit_all(self) -> None:
        """A pass of the oracle, some examples at a time, then passes over the cache."""
        before, examples = self.value, self.record.examples
        order = self._order()
        for start in range(0, len(order), self._batch_size):
            some = examples.subset(np.sort(order[start : start + self._batch_size]))
            rows, _ = self._query(some, self.path.w)
            for i, row in zip(some.index.tolist(), rows, strict=True):
                self._visit(i, row)
        gained = self.value - before
        for _ in range(CACHE_PASSES):
            before = self.value
            for i in self._rng.permutation(examples.n).tolist():
                self._visit(i, None)
            if self.value - before < WORTHWHILE * gained:
                break

    def _order(self) -> Indices:
        """The examples of the next pass; every other one visits all, so that no gap is outdated."""
        n = self.record.examples.n
        fraction = self.gaps / max(self.gaps.sum(), np.finfo(float).tiny)
        every = (
            self._sampling == "permutation" or len(self.record.history) % 2 or fraction.sum() < 0.5
        )
        if every:
            return self._rng.permutation(n)
        return self._rng.choice(n, n, p=fraction / fraction.sum())

    def _query(self, some: Examples, w: Vector) -> tuple[list[OwnPlane], Vector]:
        """Call the oracle for some examples at w.

        Returns their planes, and their slacks as far as these and earlier planes imply.
        """
        own = [self.planes[i] for i in some.index.tolist()]
        known = np.array([planes.most_violated(w)[1] for planes in own])
        found = find_violated(some, some.Y, w, np.full(some.n, -np.inf))
        self.longest = max(self.longest, longest_row(found.rows))
        offsets = some.offsets(found.losses, found.rows)
        size = magnitude(offsets, self.longest, w)
        error = self.record.error_of_one(some, found.outputs, w)
        require_unbeaten(some, some.Y, w, known, found.slacks, size, error)
        rows = [
            OwnPlane.of(found.rows, k, float(offsets[k]), found.outputs[k]) for k in range(some.n)
        ]
        return rows, np.maximum(found.slacks, known)

    def _evaluate(self, w: Vector) -> Cuts:
        """P at w by a pass over all examples; the outputs found there are used too."""
        record = self.record
        rows, slacks = self._query(record.examples, w)
        mean, any_loss = slacks.mean(keepdims=True), any(row.offset > 0 for row in rows)
        outputs = [row.output for row in rows]
        cuts = no_cuts(record.labels, record.examples.size, mean, any_loss, outputs)
        record.measure_terms(cuts)  # before steps, whose squares may overflow
        for i, row in enumerate(rows):
            self._visit(i, row)
        return cuts

    # ------------------------------------------------------------------ a step

    def _visit(self, i: int, row: OwnPlane | None) -> None:
        """A step of example i towards its most violated plane; a new one may be among them."""
        planes, w = self.planes[i], self.path.w
        best, violation = planes.most_violated(w)
        if row is not None:
            found = row.violation(w)
            if found > violation + ROUNDING * (abs(row.offset) + abs(row.offset - found)):
                best, violation = planes.add(row), found
        # The example's term of the duality gap: its slack less what its dual variables attain.
        gap = self._cap * (violation - planes.mean_violation(w))
        if row is not None:
            self.gaps[i] = max(gap, 0.0)
        if gap > 0:
            self._move(planes, best, violation)

    def _move(self, planes: OwnPlanes, best: int, violation: float) -> None:
        """Move weight from the least violated plane with weight to the most violated plane."""
        worst, least = planes.least_violated(self.path.w)
        # The place -1 stands for the true output, whose plane is 0.
        moved = [(place, sign) for place, sign in ((best, 1.0), (worst, -1.0)) if place >= 0]
        direction = [(planes.rows[place], sign) for place, sign in moved]
        # The dual is quadratic on the way, so the best step has a closed form.
        curvature = self._cap * self.path.squared_norm(direction)
        most = planes.weights[worst] if worst >= 0 else max(0.0, 1 - float(planes.weights.sum()))
        length = min(most, (violation - least) / curvature) if curvature else most
        for place, sign in moved:
            planes.weights[place] += sign * length
        self.path.step(direction, self._cap * length)
        self.linear += self._cap * length * sum(sign * row.offset for row, sign in direction)

    # ------------------------------------------------------------------ the certificate

    def _renew(self) -> None:
        """Drop planes of negligible weight, and recompute the dual solution: steps add rounding."""
        v, linear = np.zeros(self.record.examples.size), 0.0
        negligible = NEGLIGIBLE * self.planes.weights.max(initial=0.0)
        for i in range(self.record.examples.n):
            self.planes[i].prune(negligible)
            linear += self.planes[i].add_sums(v)
        self.path.w, self.linear = self._cap * v, self._cap * linear

    def _publish(self) -> None:
        """Publish the dual solution of the planes as the run's."""
        self._renew()
        alpha = self._cap * self.planes.weights
        self.record.publish(self.value, self.path.w, alpha, self.planes.sources())

    def complete(self) -> None:
        if self.path.steps:
            w = self.path.average
            cuts = self._evaluate(w)
            self._publish()
            self.record.consider(w, cuts)

    def handover(self) -> Start:
        record = self.record
        planes = self.planes.shared(record.labels, record.examples.size, record.C)
        return Start(record.found.w, planes=planes)


@documented
@dataclass(eq=False, repr=False)
class BlockCoordinateFrankWolfe(Solver):
    """The block-coordinate Frank-Wolfe method, one example at a time.

    The oracle is called for one example at the current w. Dual weight then moves from the least to
    the most violated output of this example, by exact line search (a pairwise step). A pass of the
    oracle is followed by passes over the outputs found before, as long as they raise the dual. The
    point returned is the average over the steps, with more weight on later ones; its objective is
    evaluated, by a pass over all examples, once the gap seems small enough.

    If the steps no longer lower the gap, as at a large C, :class:`OneSlackCuttingPlane` goes on
    from the best w, with planes that nearly make the dual solution reached. A w0 is used for the
    first pass; the dual starts at 0 all the same. For margin rescaling, and problems without
    constraints or bounds on w. A step costs the entries of two sparse joint-feature differences,
    whatever the length of w; a call of the oracle costs a few sums of w's length.

    Shared parameters and attributes are added at import: see ``help``.

    Parameters
    ----------
    batch_size : int, default=1
        Number of examples for which the oracle is called at one w, >= 1. Larger batches use the
        problem's batch forms and take fewer sums of w's length, but later examples of a batch get
        slightly outdated outputs. On text, 20 save most of the time of a pass.
    sampling : {'permutation', 'gap'}, default='permutation'
        The order of the examples. 'gap' visits them, in every other pass, in proportion to their
        gaps at the last visit.
    random_state : int or numpy.random.Generator, default=0
        Seeds the order of the examples.

    References
    ----------
    Lacoste-Julien, Jaggi, Schmidt & Pletscher, Block-coordinate Frank-Wolfe optimization for
    structural SVMs, ICML 2013. The cache follows Shah, Kolmogorov & Lampert, CVPR 2015, with
    another rule for its passes; sampling by gaps and pairwise steps follow Osokin et al.,
    Minding the gaps for block Frank-Wolfe optimization of structured SVMs, ICML 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import BlockCoordinateFrankWolfe
    >>> from structsvm.problems import Multiclass
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0]])
    >>> result = BlockCoordinateFrankWolfe().solve(Multiclass(), X, ["a", "b", "c"], C=10.0)
    >>> result.status.name
    'CONVERGED'
    """

    requires = Requirements(unconstrained=True)
    then = OneSlackCuttingPlane

    batch_size: int = 1
    sampling: Sampling = "permutation"
    random_state: Any = 0

    def begin(self, record: Record, start: Start) -> FrankWolfe:
        return FrankWolfe(record, start, self.batch_size, self.sampling, self.random_state)

    def check_parameters(self, problem: Problem, C: float) -> None:
        super().check_parameters(problem, C)
        require_integer("batch_size", self.batch_size, least=1)
        require_option("sampling", self.sampling, ("permutation", "gap"))
