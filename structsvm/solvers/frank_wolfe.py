"""The block-coordinate Frank-Wolfe method, with a cache of planes for every example."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.oracle import BoundProblem
from structsvm.outcome import Status
from structsvm.problem import Indices, Problem, Vector
from structsvm.separation import SPARSE, Cuts, Source, find, no_planes
from structsvm.solvers.base import Solver
from structsvm.solvers.cutting_plane import require_any_loss, require_unbeaten
from structsvm.solvers.passes import Pass
from structsvm.solvers.run import Run
from structsvm.validation import checked_generator, require_integer

#: Passes over the cache after a pass of the oracle, at most; they end where one raises the dual by
#: less than this share of what the pass of the oracle did.
CACHE_PASSES, WORTHWHILE = 30, 0.03
#: All examples are asked at one w, which tells P, where the gap may be within so many tolerances.
NEAR = 1.5
#: A plane of a smaller weight is dropped after the pass.
NEGLIGIBLE = 1e-8
#: Violations that differ by less, relative to what they are made of, are the same.
ROUNDING = 1e-10


class Plane(NamedTuple):
    """A plane of one example: the joint-feature difference where it is not 0, and the loss."""

    where: Any
    values: Vector
    loss: float
    output: Any

    def violation(self, w: Vector) -> float:
        return self.loss - float(self.values @ w[self.where])


class Block:
    """The planes of one example and their weights in the dual, which sum to 1 at most."""

    def __init__(self) -> None:
        self.planes: list[Plane] = []
        self.weights: Vector = np.empty(0)

    def add(self, plane: Plane) -> int:
        """Keep a plane, without weight; its place."""
        self.planes.append(plane)
        self.weights = np.append(self.weights, 0.0)
        return len(self.planes) - 1

    def most_violated(self, w: Vector) -> tuple[int, float]:
        """The plane of largest violation, -1 for none where no violation is above 0."""
        violations = [plane.violation(w) for plane in self.planes]
        best = int(np.argmax(violations)) if violations else -1
        return (best, violations[best]) if best >= 0 and violations[best] > 0 else (-1, 0.0)

    def sums(self, size: int) -> tuple[Vector, float]:
        """The weighted sums of the joint-feature differences and of the losses."""
        v, loss = np.zeros(size), 0.0
        for plane, weight in zip(self.planes, self.weights.tolist(), strict=True):
            v[plane.where] += weight * plane.values
            loss += weight * plane.loss
        return v, loss

    def prune(self) -> None:
        """Drop planes of next to no weight."""
        keep = np.flatnonzero(self.weights > NEGLIGIBLE)
        self.planes = [self.planes[j] for j in keep]
        self.weights = self.weights[keep]


class FrankWolfeRun(Run):
    """The state of a training by block-coordinate Frank-Wolfe steps.

    Attributes
    ----------
    blocks : list of Block
        One for each example.
    point, average : ndarray
        The w of the dual solution, and the average of the points passed, later ones weighing more.
    linear : float
        The linear term of the dual.
    gaps : ndarray of shape (n,)
        The gap of every example when it was last visited; infinite before.
    """

    def __init__(self, bound: BoundProblem, C: float, sizes: Vector) -> None:
        super().__init__(bound, C, sizes)
        self.blocks = [Block() for _ in range(bound.n)]
        self.point, self.linear, self.steps = np.zeros(bound.size), 0.0, 0
        self.average = self.point.copy()
        self.gaps: Vector = np.full(bound.n, np.inf)

    @property
    def value(self) -> float:
        """The dual."""
        return self.linear - 0.5 * float(self.point @ self.point)

    @property
    def n_planes(self) -> int:
        return sum(len(block.planes) for block in self.blocks)

    def known_slacks(self, w: Vector) -> Vector:
        return np.array([np.mean([block.most_violated(w)[1] for block in self.blocks])])

    def ask(self, part: BoundProblem, w: Vector) -> Iterator[tuple[int, Plane, float]]:
        """Ask the oracle about some examples at w: each with its plane, and its slack."""
        found = find(part, part.Y, w, np.full(part.n, -np.inf))
        for k, i in enumerate(part.index.tolist()):
            plane = _plane(found.rows, k, float(found.losses[k]), found.outputs[k])
            _, known = self.blocks[i].most_violated(w)
            size = 1 + plane.loss + float(np.linalg.norm(plane.values)) * np.linalg.norm(w)
            slack, told = found.slacks[k : k + 1], np.array([known])
            require_unbeaten(self.bound.problem, told, slack, float(size), [i])
            yield i, plane, max(float(slack[0]), known)

    def visit(self, i: int, plane: Plane | None) -> None:
        """A step of one example towards its most violated plane, a new one perhaps among them."""
        block, w = self.blocks[i], self.point
        best, violation = block.most_violated(w)
        if plane is not None:
            found = plane.violation(w)
            if found > violation + ROUNDING * (1 + abs(found)):
                best, violation = block.add(plane), found
        v, loss = block.sums(len(w))
        share = self.C / self.bound.n
        gap = share * (violation - loss + float(v @ w))
        if plane is not None:
            self.gaps[i] = max(gap, 0.0)
        if gap <= 0:
            return
        towards, rise = -v, -loss
        if best >= 0:
            towards[block.planes[best].where] += block.planes[best].values
            rise += block.planes[best].loss
        curvature = share * float(towards @ towards)
        length = min(1.0, gap / (share * curvature)) if curvature else 1.0
        block.weights *= 1 - length
        if best >= 0:
            block.weights[best] += length
        self.point = w + (share * length) * towards
        self.linear += share * length * rise
        self.steps += 1
        self.average += 2 / (self.steps + 2) * (self.point - self.average)

    def renew(self) -> None:
        """Drop what has next to no weight, and sum up the dual solution without rounding errors."""
        self.point, self.linear = np.zeros(self.bound.size), 0.0
        share = self.C / self.bound.n
        for block in self.blocks:
            block.prune()
            v, loss = block.sums(len(self.point))
            self.point += share * v
            self.linear += share * loss

    def keep_dual(self) -> None:
        """Make the dual solution of the blocks that of the run."""
        self.renew()
        one, share = np.ones(1), self.C / self.bound.n
        numbered = [(i, block) for i, block in enumerate(self.blocks)]
        sources = tuple(
            Source(i, [plane.output], one) for i, block in numbered for plane in block.planes
        )
        alpha = share * np.concatenate([block.weights for block in self.blocks])
        self.set_dual(self.value, alpha, sources)


class BlockCoordinateFrankWolfe(Solver):
    """The block-coordinate Frank-Wolfe method, one example at a time.

    An example is asked at the w of the moment and its dual variables move towards the answer, by
    exact line search. A pass of the oracle is followed by passes over the outputs that were found
    before, as long as they raise the dual. The point returned is the average over the steps, later
    ones weighing more; the objective there is known once the gap seems small enough and all
    examples are asked at it. A w0 is where all examples are asked first; the dual starts at 0 all
    the same. Margin rescaling, and problems without constraints or bounds on w.

    Parameters
    ----------
    rtol, atol, time_limit
        As in :class:`OneSlackCuttingPlane`.
    max_iter : int, default=10000
        Passes over the data at most.
    batch_size : int, default=1
        Examples that are asked at one w, >= 1: more make use of the problem's batch forms, and the
        later ones of a batch move towards answers that are a little old.
    sampling : {'permutation', 'gap'}, default='permutation'
        'gap' visits examples, in every other pass, in proportion to the gap that each had when it
        was last visited.
    random_state : int or numpy.random.Generator, default=0
        The order of the examples.

    References
    ----------
    Lacoste-Julien, Jaggi, Schmidt & Pletscher, Block-coordinate Frank-Wolfe optimization for
    structural SVMs, ICML 2013. The cache is that of Shah, Kolmogorov & Lampert, CVPR 2015, with
    another rule for its passes; sampling by gaps that of Osokin et al., ICML 2016.

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

    keeps_constraints = False
    _run_type = FrankWolfeRun

    def __init__(
        self,
        rtol: float = 1e-3,
        atol: float = 0.0,
        max_iter: int = 10_000,
        time_limit: float | None = None,
        batch_size: int = 1,
        sampling: str = "permutation",
        random_state: Any = 0,
    ) -> None:
        super().__init__(rtol, atol, max_iter, time_limit)
        self.batch_size = batch_size
        self.sampling = sampling
        self.random_state = random_state

    def _passes(self, run: FrankWolfeRun, query: Vector) -> Generator[Pass, None, Status]:
        rng = checked_generator(self.random_state)
        first = self._ask_all(run, query)
        require_any_loss(run, query, first)
        yield Pass(self._record(run, query, first), query, False)
        idle = 0
        while idle < 2:
            before = run.value
            self._ask_in_turn(run, rng)
            run.keep_dual()
            yield Pass(
                self._record(run, run.average, no_planes(run.labels, run.bound.size)),
                run.average,
                False,
            )
            goal = max(self.atol, self.rtol * abs(run.value))
            idle = idle + 1 if run.value <= before else 0
            if run.gaps.sum() <= NEAR * goal or idle:
                w = run.point if idle else run.average.copy()
                cuts = self._ask_all(run, w)
                run.keep_dual()
                iteration = self._record(run, w, cuts)
                yield Pass(iteration, w, iteration.gap <= self._tolerance(run))
        return Status.STALLED

    def _ask_in_turn(self, run: FrankWolfeRun, rng: np.random.Generator) -> None:
        """A pass of the oracle, a batch at a time, then passes over the cache."""
        before = run.value
        order = self._order(run, rng)
        for start in range(0, len(order), self.batch_size):
            part = run.bound.subset(np.sort(order[start : start + self.batch_size]))
            for i, plane, _ in list(run.ask(part, run.point)):
                run.visit(i, plane)
        gained = run.value - before
        for _ in range(CACHE_PASSES):
            before = run.value
            for i in rng.permutation(run.bound.n).tolist():
                run.visit(i, None)
            if run.value - before < WORTHWHILE * gained:
                break

    def _order(self, run: FrankWolfeRun, rng: np.random.Generator) -> Indices:
        """The examples of the next pass; every other one visits all, so that no gap grows old."""
        n, share = run.bound.n, run.gaps / max(run.gaps.sum(), np.finfo(float).tiny)
        if self.sampling == "permutation" or len(run.history) % 2 or share.sum() < 0.5:
            return rng.permutation(n)
        return rng.choice(n, n, p=share / share.sum())

    def _close(self, run: FrankWolfeRun, status: Status) -> None:
        if run.steps and status is not Status.CONVERGED:
            w = run.average.copy()
            cuts = self._ask_all(run, w)
            run.keep_dual()
            run.consider(w, cuts)

    def _ask_all(self, run: FrankWolfeRun, w: Vector) -> Cuts:
        """P at one w; what is found there is used too."""
        slacks, found = np.empty(run.bound.n), []
        for i, plane, slack in run.ask(run.bound, w):
            slacks[i] = slack
            found.append((i, plane))
        any_loss = any(plane.loss > 0 for _, plane in found)
        for i, plane in found:
            run.visit(i, plane)
        slack = slacks.mean(keepdims=True)
        return no_planes(run.labels, run.bound.size)._replace(slacks=slack, any_loss=any_loss)

    def _check_parameters(self, problem: Problem, C: float) -> None:
        super()._check_parameters(problem, C)
        require_integer("batch_size", self.batch_size, least=1)
        if self.sampling not in ("permutation", "gap"):
            raise ValueError(f"sampling must be 'permutation' or 'gap'; got {self.sampling!r}")


def _plane(rows: Any, k: int, loss: float, output: Any) -> Plane:
    """The k-th of some rows, dense or CSR, without its zeros where that is smaller."""
    if sparse.issparse(rows):
        part = slice(rows.indptr[k], rows.indptr[k + 1])
        return Plane(rows.indices[part].copy(), rows.data[part].copy(), loss, output)
    where = np.flatnonzero(rows[k])
    if len(where) > SPARSE * rows.shape[1]:
        return Plane(slice(None), rows[k].copy(), loss, output)
    return Plane(where, rows[k][where], loss, output)
