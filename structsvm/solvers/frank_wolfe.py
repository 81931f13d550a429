"""Block-coordinate Frank-Wolfe: Lacoste-Julien, Jaggi, Schmidt & Pletscher, ICML 2013."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Vector
from structsvm.data.containers import dense
from structsvm.data.validation import checked_generator
from structsvm.docstrings import documented
from structsvm.objective import example_cap, unbounded_dual_value
from structsvm.objective.rounding import AGREEMENT
from structsvm.oracle.cuts import one_slack_cut
from structsvm.oracle.support import example_planes
from structsvm.planes.example_planes import SHARED
from structsvm.planes.plane import Planes, Source, SupportPlane, WeightedPlanes, no_cuts
from structsvm.results.status import Status
from structsvm.solvers.one_slack import OneSlackCuttingPlane
from structsvm.solvers.shared.algorithm import Algorithm, Start
from structsvm.solvers.shared.bounds import Bounds, Step
from structsvm.solvers.shared.consistency import require_unbeaten
from structsvm.solvers.shared.program import Program
from structsvm.solvers.shared.requirements import Requirements
from structsvm.solvers.shared.schedule import Schedule
from structsvm.solvers.shared.solver import Solver
from structsvm.solvers.shared.stall import Stall

logger = logging.getLogger(__name__)

#: Largest sum of an example's dual variables, in units of C / n. Rounding cannot raise it above 1.
FULL = 1 - 2.0**-50


class Blocks(Planes):
    """The dual variables of every example, with the resulting point w and dual value.

    Attributes
    ----------
    w : ndarray of shape (size,)
        The sum of all rows, weighted by the dual variables.
    linear : float
        The linear term l of the dual.
    rows, offsets : list
        For each example, the sums of its planes' rows and offsets, weighted by the dual variables.
    outputs, weights : list of dict
        For each example, the outputs of its planes, and the dual variables divided by C / n.
    steps : int
        The number of steps so far.
    """

    def __init__(self, n: int, size: int, C: float) -> None:
        self.n, self.size, self.C, self.cap = n, size, C, example_cap(C, n)
        self.steps, self._lag = 0, np.zeros(size)
        self._probe = np.random.default_rng(0).normal(size=size)
        self.renew(())

    def __len__(self) -> int:
        return sum(map(len, self.weights))

    @property
    def value(self) -> float:
        """The dual value."""
        return unbounded_dual_value(self.w, self.linear)

    @property
    def average(self) -> Vector:
        """The weighted average of all w so far, in which w after k steps has weight k."""
        return self.w - self._lag / max(_triangular(self.steps), 1.0)

    def slacks(self, w: Vector) -> Vector:
        """The mean slack at w that the dual solution implies, shape (1,)."""
        return np.array([max(0.0, (self.linear - float(self.w @ w)) / self.C)])

    def step(self, i: int, output: Any, offset: float, row: Any) -> float:
        """Move w_i towards a plane by exact line search, and return the gap of example i."""
        own = _in_form_of(row, self.rows[i])
        direction, rise = self.cap * row - own, self.cap * offset - self.offsets[i]
        where, values = _entries(direction)
        gap, square = float(rise - values @ self.w[where]), float(values @ values)
        if gap > 0:
            length = gap / square if gap < square else 1.0
            self._weigh(i, self._key(offset, row), output, length)
            direction *= length
            where, values = _entries(direction)
            self.w[where] += values
            # The average lags behind w by each change times the weight of all earlier points.
            self._lag[where] += _triangular(self.steps) * values
            self.rows[i] = own + direction
            self.offsets[i] += length * rise
            self.linear += length * rise
        self.steps += 1
        return gap

    def _key(self, offset: float, row: Any) -> tuple[float, float]:
        """Return a key of a plane. Outputs with equal planes share a key and a dual variable.

        Rows are distinguished by their products with a random vector.
        """
        where, values = _entries(row)
        return offset, float(values @ self._probe[where])

    def _weigh(self, i: int, key: Any, output: Any, length: float) -> None:
        """Add `length` to an output's weight, after scaling all weights by 1 - `length`."""
        rest = self.weights[i] if length < 1 else {}
        weights = {known: (1 - length) * weight for known, weight in rest.items()}
        weights[key] = weights.get(key, 0.0) + length
        self.weights[i], self.outputs[i][key] = weights, output

    # ------------------------------------------------------------------ the certificate

    def support(self) -> list[SupportPlane]:
        """Return the planes with dual variables > 0; no example's sum exceeds C / n."""
        planes, one = [], np.ones(1)
        for i, own in enumerate(self.weights):
            scale = self.cap * FULL / max(math.fsum(own.values()), FULL)
            planes += [
                SupportPlane(Source(i, [self.outputs[i][key]], one), scale * weight)
                for key, weight in own.items()
                if weight > 0
            ]
        return planes

    def renew(self, rounds: Iterable[WeightedPlanes], factor: float = 1.0) -> None:
        """Recompute all attributes from the planes of a dual solution, without rounding errors."""
        n, w, linear = self.n, np.zeros(self.size), 0.0
        outputs: list[dict[Any, Any]] = [{} for _ in range(n)]
        weights: list[dict[Any, float]] = [{} for _ in range(n)]
        rows: list[Any] = [0.0] * n
        offsets = [0.0] * n
        for planes in rounds:
            numbers = (factor * planes.alpha).tolist(), planes.offsets.tolist()
            own = zip(planes.groups.tolist(), planes.rows, *numbers, planes.sources, strict=True)
            for i, row, alpha, offset, source in own:
                key = self._key(offset, row)
                outputs[i][key] = source.outputs[0]
                weights[i][key] = weights[i].get(key, 0.0) + alpha / self.cap
                where, values = _entries(row)
                w[where] += alpha * values
                linear += alpha * offset
                rows[i] = _in_form_of(row, rows[i]) + alpha * row
                offsets[i] += alpha * offset
        self.w, self.linear, self.rows, self.offsets = w, linear, rows, offsets
        self.outputs, self.weights = outputs, weights

    def shared(self, labels: Any) -> list[SupportPlane]:
        """Return planes with one slack for all examples, which nearly reproduce the dual solution.

        Each plane is computed from one output of every example. The number of planes for which an
        output is chosen is approximately proportional to the output's dual variable.
        """
        planes = []
        for level in (np.arange(SHARED) + 0.5) / SHARED:
            outputs, weights = [labels[i] for i in range(self.n)], np.zeros(self.n)
            for i, own in enumerate(self.weights):
                sums = zip(own, accumulate(own.values()), strict=True)
                key = next((key for key, total in sums if total > level), None)
                if key is not None:
                    outputs[i], weights[i] = self.outputs[i][key], 1 / self.n
            alpha = example_cap(self.C, SHARED)
            planes.append(SupportPlane(Source(None, outputs, weights), alpha))
        return planes


def _entries(row: Any) -> tuple[Any, Vector]:
    """Return the indices and the values of a dense vector or of a CSR row."""
    return (slice(None), row) if isinstance(row, np.ndarray) else (row.indices, row.data)


def _in_form_of(row: Any, own: Any) -> Any:
    """Convert `own` to the format of `row`, a dense vector or a CSR row; floats are unchanged."""
    if type(own) in (type(row), float):
        return own
    if isinstance(row, np.ndarray):
        return dense(own).ravel()
    return type(row)(own if sparse.issparse(own) else own[None])


def _by_example(plane: SupportPlane) -> list[SupportPlane]:
    """Split a plane into planes of single examples, which add up to the plane."""
    source, alpha = plane
    if not isinstance(source, Source) or source.example is not None:
        return [plane]
    pairs, one = zip(source.outputs, source.weights.tolist(), strict=True), np.ones(1)
    return [
        SupportPlane(Source(i, [output], one), alpha * weight)
        for i, (output, weight) in enumerate(pairs)
        if weight > 0
    ]


def _triangular(k: int) -> float:
    return k * (k + 1) / 2


class FrankWolfe(Algorithm):
    """The algorithm of :class:`BlockCoordinateFrankWolfe`.

    Parameters
    ----------
    program : Program
    start : Start
    random_state
        The seed of BlockCoordinateFrankWolfe.

    Attributes
    ----------
    planes : Blocks
    gaps : list of float
        The gap of every example at the example's last step.
    """

    planes: Blocks

    def __init__(self, program: Program, start: Start, random_state: Any) -> None:
        super().__init__(program, start)
        examples = program.examples
        self.planes = Blocks(examples.n, examples.size, program.C)
        self.gaps = [math.inf] * examples.n
        self._first = np.zeros(examples.size), 0.0  # the plane of the first pass, a bound as well
        self._rng = checked_generator(random_state)
        self._stall, self._schedule = Stall(), Schedule(visible=1.0)
        self._is_evaluated = True
        if start.support:
            support = [own for plane in start.support for own in _by_example(plane)]
            rounds = example_planes(examples, self.labels, support)
            self.planes.renew(rounds, start.factor)
            self._publish(self.planes.support())

    def step(self, bounds: Bounds) -> Step | Status:
        if bounds.w is None:
            first = self._first_step()
            self._first = first.cuts.rows[0], float(first.cuts.offsets[0])
            return first
        if not self._is_evaluated:
            gap = sum(self.gaps)
            self._stall.note(gap)
            # Each gap is from the last visit of its example, so the sum only estimates the gap.
            passes, allowed = len(bounds.history), self.program.allowed(self.planes.value)
            if self._schedule.is_due(passes, gap, allowed) or self._stall.is_reached:
                self._schedule.done(passes + 1)
                return self._evaluate()
        if self._stall.is_reached:
            logger.debug("the steps stalled at a gap of %.3g", bounds.gap)
            return Status.STALLED
        # Make a step for every example, in random order, without evaluating the objective.
        task = self.program.examples.task
        for i in self._rng.permutation(task.n).tolist():
            self._visit(task, i)
        self._is_evaluated = False
        return self.found(self.planes.average, no_cuts(self.labels, self.program.examples.size))

    def _visit(self, task: Any, i: int) -> None:
        """Make a step of example i towards its most violated plane."""
        blocks = self.planes
        output, offset, row = task.one(i, blocks.w)
        gap = blocks.step(i, output, offset, row)
        self.gaps[i] = max(gap, 0.0)
        if gap < 0:
            self._require_unbeaten(i, gap, output, offset, row)

    def _evaluate(self) -> Step:
        """Evaluate the objective at the average w, and recompute the dual solution from planes."""
        program, examples, w = self.program, self.program.examples, self.planes.average
        support, cuts = self.planes.support(), one_slack_cut(examples, self.labels, w)
        self.planes.renew(example_planes(examples, self.labels, support))
        self._publish(support)
        row, offset = self._first
        known = np.maximum(self.planes.slacks(w), offset - row @ w)
        require_unbeaten(examples, self.labels, w, known, cuts.slacks, program.rounding.terms.at(w))
        if program.may_miss:
            cuts = cuts._replace(slacks=np.maximum(cuts.slacks, known))
        self._is_evaluated = True
        return self.found(w, cuts)

    def _publish(self, support: list[SupportPlane]) -> None:
        blocks, alpha = self.planes, np.array([plane.alpha for plane in support])
        self.publish(blocks.value, blocks.w, alpha, tuple(plane.source for plane in support))

    def _require_unbeaten(self, i: int, gap: float, output: Any, offset: float, row: Any) -> None:
        """Raise a ProblemError if an earlier plane is violated more than the oracle's new plane."""
        program, w, (where, values) = self.program, self.planes.w, _entries(row)
        found = offset - float(values @ w[where])
        known = found - gap / self.planes.cap
        size = abs(offset) + float(np.linalg.norm(values) * np.linalg.norm(w))
        if known - found > AGREEMENT * size:
            some = program.examples.subset(np.array([i]))
            slacks = np.array([known]), np.array([max(found, 0.0)])
            error = program.error_of_one(some, [output], w)
            require_unbeaten(some, some.Y, w, *slacks, size, error)

    def complete(self, bounds: Bounds) -> Bounds:
        if not self.planes.steps:
            return bounds
        return self.program.considered(bounds, self._evaluate())[0]

    def handover(self, bounds: Bounds) -> Start:
        return Start(bounds.w, self.planes.shared(self.labels))


@documented
@dataclass(eq=False, repr=False)
class BlockCoordinateFrankWolfe(Solver):
    """The block-coordinate Frank-Wolfe method, one example at a time.

    A step calls the oracle for one example at the current w. An exact line search moves dual weight
    from earlier outputs of the example to the output that the oracle found. The point returned is
    an average over the steps, with more weight on later steps. Additional passes over all examples
    evaluate the objective at the average w, at growing intervals and once the gap seems small
    enough. The method is Algorithm 4 of Lacoste-Julien et al., except that a pass makes one step
    for every example, in random order.

    If the gap stops falling, as at a large C, :class:`OneSlackCuttingPlane` continues from the best
    w, with planes that nearly reproduce the dual solution. The first pass evaluates the objective
    at w0, if w0 is passed. The dual solution always starts at 0. The solver supports only margin
    rescaling, and only problems without constraints or bounds on w. For every example the solver
    keeps a vector of the length of w, which is sparse if joint features are sparse. Steps are made
    in one process, whatever ``n_jobs`` is.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    random_state : int or numpy.random.Generator, default=0
        Seed of the random order of the examples.

    References
    ----------
    Lacoste-Julien, Jaggi, Schmidt & Pletscher, Block-coordinate Frank-Wolfe optimization for
    structural SVMs, ICML 2013.

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

    random_state: Any = 0

    def begin(self, program: Program, start: Start) -> FrankWolfe:
        return FrankWolfe(program, start, self.random_state)
