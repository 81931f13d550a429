"""N-slack cutting planes for a dear oracle: asked in parts, the restricted problem smoothed."""

from __future__ import annotations

import math
from collections.abc import Generator

import numpy as np
from scipy import sparse

from structsvm.oracle import BoundProblem
from structsvm.outcome import Status
from structsvm.problem import Vector
from structsvm.separation import Cuts, Source, find, no_planes
from structsvm.solvers.base import Solver
from structsvm.solvers.cache import OutputCache, RestrictedObjective
from structsvm.solvers.cutting_plane import require_any_loss, require_unbeaten
from structsvm.solvers.one_slack import OneSlackCuttingPlane
from structsvm.solvers.passes import Pass
from structsvm.solvers.run import Run
from structsvm.solvers.smoothing import START, Descent, Progress

#: The examples are asked in so many chunks, and w moves after each.
CHUNKS = 16
#: Between two chunks the restricted problem is solved to this share of what the last pass added to
#: the slacks, or of the tolerance, in so many steps at most.
SHARE, TIGHT, STEPS = 0.1, 0.1, 20
#: All examples are asked at one w, which tells P, where the gap may be within so many tolerances.
NEAR = 2.0
#: Violations that differ by less, relative to what they are made of, are the same.
ROUNDING = 1e-10
#: Planes without weight for so many passes are dropped.
IDLE = 5
#: The planes that the dual solution is handed over by, after a stall.
SEEDS = 16


class CachedRun(Run):
    """The state of a training with a cache.

    Attributes
    ----------
    cache : OutputCache
    descent : Descent
        On the problem restricted to it; it is set once there are planes.
    descending : bool
        Whether it has begun, and has not stalled.
    unexplained : float
        What the oracle found in the last pass beyond what the cache told, in the objective.
    """

    descent: Descent
    descending = False

    def __init__(self, bound: BoundProblem, C: float, sizes: Vector) -> None:
        super().__init__(bound, C, sizes)
        self.cache = OutputCache(bound.size)
        self.unexplained = math.inf

    @property
    def n_planes(self) -> int:
        return len(self.cache)

    @property
    def gap(self) -> float:
        """The gap, had w stood still during the last pass."""
        return self.unexplained + self.descent.gap

    def magnitude(self, w: Vector) -> float:
        return max(super().magnitude(w), self.cache.magnitude(w))

    def known_slacks(self, w: Vector) -> Vector:
        return self.cache.slacks(w, self.bound.n).mean(keepdims=True)

    def ask(self, part: BoundProblem, w: Vector) -> tuple[Vector, float]:
        """Ask the oracle about some examples and keep what is new.

        Returns their slacks, and what of them the cache did not tell, in the objective.
        """
        known, magnitude = self.cache.slacks(w, self.bound.n)[part.index], self.magnitude(w)
        found = find(part, part.Y, w, known + ROUNDING * (1 + magnitude))
        require_unbeaten(self.bound.problem, known, found.slacks, magnitude, part.index)
        self.cache.add(part.index, found)
        slacks = np.maximum(found.slacks, known)
        return slacks, self.C / self.bound.n * float((slacks - known).sum())

    def begin(self, w: Vector) -> None:
        """Set up the descent on the restricted problem at w."""
        objective = RestrictedObjective(self.cache, self.C, self.bound.n)
        mean_loss = float(self.cache.offsets.mean()) if len(self.cache) else 1.0
        self.descent = Descent(objective, w, START * mean_loss)
        self.descending = True

    def descend(self, tolerance: float) -> None:
        """Solve the restricted problem to this gap, as far as so many steps allow."""
        descent = self.descent
        descent.go_over(RestrictedObjective(self.cache, self.C, self.bound.n))
        for _ in range(STEPS):
            if descent.gap <= tolerance:
                return
            if descent.asks_for_less(tolerance):
                descent.lower_mu(tolerance)
            descent.step()

    def prune(self) -> None:
        """Drop planes that have long had no weight."""
        self.cache.prune(IDLE)
        objective = RestrictedObjective(self.cache, self.C, self.bound.n)
        self.descent.set_dual(*objective.dual_solution())

    def seed_one_slack(self) -> None:
        """Put one-slack planes into the working set that nearly make the dual solution."""
        cache, n = self.cache, self.bound.n
        chosen = cache.labellings(SEEDS)
        sources = []
        for planes in chosen:
            weights, outputs = np.zeros(n), [self.labels[i] for i in range(n)]
            weights[cache.examples[planes]] = 1 / n
            for i, output in zip(cache.examples[planes], cache.outputs[planes], strict=True):
                outputs[i] = output
            sources.append(Source(None, outputs, weights))
        shares = sparse.csr_matrix(chosen / n)
        rows = shares @ cache.rows
        rows = rows.toarray() if sparse.issparse(rows) else rows
        groups = np.zeros(SEEDS, dtype=np.intp)
        self.working_set.add(rows, shares @ cache.offsets, groups, sources)
        self.working_set.spread()
        self.solve()

    def keep_dual(self) -> None:
        """Make the dual solution of the descent that of the run."""
        planes, share = self.cache, self.C / self.bound.n
        self.set_dual(self.descent.dual, share * planes.weights, planes.sources())


class SmoothedCuttingPlane(Solver):
    """N-slack cutting planes for a dear oracle; the restricted problem is solved by smoothing.

    Every output that the oracle finds is kept for its example. The examples are asked in 16 chunks,
    and between two of them w moves to where the problem restricted to the outputs kept is nearly
    solved, by L-BFGS on its smoothed objective. That takes few passes of the oracle, and more time
    between them than other solvers do. Only when the gap seems to be small enough are all examples
    asked at one w, which tells the objective there.

    Where the descent stalls, :class:`OneSlackCuttingPlane` goes on from the best w, with planes
    that nearly make the dual solution reached. Margin rescaling, and problems without constraints
    or bounds on w. The outputs kept take memory that grows with n and with the number of passes, up
    to what carries weight in the solution.

    Parameters
    ----------
    rtol, atol, time_limit
        As in :class:`OneSlackCuttingPlane`.
    max_iter : int, default=10000
        Passes over the data at most.

    References
    ----------
    The cache of outputs is that of Shah, Kolmogorov & Lampert, A multi-plane block-coordinate
    Frank-Wolfe algorithm for training structural SVMs with a costly max-oracle, CVPR 2015; here
    the problem restricted to it is solved anew.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import SmoothedCuttingPlane
    >>> from structsvm.problems import Multiclass
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0]])
    >>> result = SmoothedCuttingPlane().solve(Multiclass(), X, ["a", "b", "c"], C=10.0)
    >>> result.status.name
    'CONVERGED'
    """

    keeps_constraints = False
    _run_type = CachedRun

    def _passes(self, run: CachedRun, query: Vector) -> Generator[Pass, None, Status]:
        first = self._ask_all(run, query)
        require_any_loss(run, query, first)
        yield Pass(self._record(run, query, first), query, False)
        run.begin(query)
        order = np.random.default_rng(0).permutation(run.bound.n)
        chunks = np.array_split(order, min(CHUNKS, len(order)))
        parts = [run.bound.subset(np.sort(chunk)) for chunk in chunks]
        progress = Progress()
        while not progress.stalled:
            yield self._ask_in_parts(run, parts)
            if run.gap <= NEAR * self._goal(run):
                yield self._certify(run)
            progress.note(run.gap)
        yield self._certify(run)
        run.descending = False
        run.seed_one_slack()
        assert run.best is not None
        finish = OneSlackCuttingPlane(self.rtol, self.atol)
        return (yield from finish._passes(run, run.best.w))

    def _ask_in_parts(self, run: CachedRun, parts: list[BoundProblem]) -> Pass:
        """A pass with w moving on after each part."""
        tolerance = max(SHARE * run.unexplained, TIGHT * self._goal(run))
        unexplained = 0.0
        for part in parts:
            w = run.descent.point.w
            _, more = run.ask(part, w)
            unexplained += more
            run.descend(tolerance)
        run.unexplained = unexplained
        run.prune()
        run.keep_dual()
        return Pass(self._record(run, w, no_planes(run.labels, run.bound.size)), w, False)

    def _certify(self, run: CachedRun) -> Pass:
        """P where the descent is: the pass that may end the training."""
        w = run.descent.point.w
        cuts = self._ask_all(run, w)
        run.keep_dual()
        iteration = self._record(run, w, cuts)
        return Pass(iteration, w, iteration.gap <= self._tolerance(run))

    def _close(self, run: CachedRun, status: Status) -> None:
        if run.descending and status is not Status.CONVERGED:
            w = run.descent.point.w
            cuts = self._ask_all(run, w)
            run.keep_dual()
            run.consider(w, cuts)

    def _ask_all(self, run: CachedRun, w: Vector) -> Cuts:
        """A pass at one w."""
        slacks, run.unexplained = run.ask(run.bound, w)
        slack = slacks.mean(keepdims=True)
        return no_planes(run.labels, run.bound.size)._replace(
            slacks=slack, any_loss=bool(run.cache.offsets.any())
        )

    def _goal(self, run: CachedRun) -> float:
        return max(self.atol, self.rtol * abs(run.descent.estimate))
