"""A problem and all examples, in blocks that may be evaluated at the same time."""

from __future__ import annotations

import functools
import operator
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from structsvm.contract.capabilities import computes_with_arrays
from structsvm.contract.constraints import constraints_of
from structsvm.contract.problem import Problem
from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.contract.soft_oracle import Axes
from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import in_double, in_single, joined, require_examples, take
from structsvm.exceptions import ProblemError, warn_user
from structsvm.objective.rounding import unit_roundoff
from structsvm.objective.surrogate import HINGE, Surrogate
from structsvm.oracle.minibatches import SubBlock, minibatches_of
from structsvm.oracle.remote import one_blas_thread, run_here
from structsvm.oracle.setup import initialize
from structsvm.oracle.tasks import BlockHandle, Key, Task
from structsvm.oracle.violated import weighted_planes
from structsvm.oracle.workers import Workers
from structsvm.planes.constraints import Constraints
from structsvm.task.bound import bound
from structsvm.task.call import Call, Tally
from structsvm.task.watched import watched

#: Largest number of blocks. It is fixed, so that results do not depend on the number of jobs.
MOST_BLOCKS = 32
#: Least number of multiplications in a block of a task with arrays: fewer are not worth it.
LEAST_WORK = 16_000_000
#: The same for each entry of w: a block also makes vectors as long as w.
WORK_PER_WEIGHT = 64
#: Least number of calls in a block of a cheap oracle that takes one example at a time: they take a
#: millisecond or two, as long as a task; and a sixteenth of the examples still has 25 in a block.
CHEAP_CALLS = 400
#: Largest number of examples that suggest axes.
SUGGESTING = 1000


def workers_for(n_jobs: int | None, problem: Problem) -> AbstractContextManager[Workers | None]:
    """The threads or processes of several jobs; None for one."""
    if effective_n_jobs(n_jobs) == 1:
        return nullcontext()
    return Workers(n_jobs, problem.parallelism)


class Examples:
    """An initialized problem and its data, in blocks.

    Attributes
    ----------
    problem : Problem
    X, Y : sequences
        As given; Y may be None.
    n : int
        Number of examples.
    index : ndarray of shape (n,)
        Their numbers, rising.
    weights : ndarray of shape (n,) or None
        The factors of their slacks: the weights given, divided by their mean; None if all are 1.
    size : int
        Length of w.
    temperature : float
        The temperature that is kept; 0 for the hinge.
    prior : ndarray of shape (size,) or None
        w_0 of :mod:`structsvm.objective`: points given to the methods are relative to it, and the
        offsets of planes too.
    doubled : bool
        Whether inputs of less precision were converted to double.
    tally : Tally
        Counts the calls of all blocks; shared with all subsets.
    first : Task or Wrapper
        The task of the first block, which has the same methods as the others.
    """

    def __init__(
        self,
        problem: Problem,
        X: Any,
        Y: Any = None,
        surrogate: Surrogate = HINGE,
        workers: Workers | None = None,
        weights: Vector | None = None,
        prior: Vector | None = None,
    ) -> None:
        # In half precision, the rounding of most results is larger than the gap wanted.
        X = in_single(X)
        self.problem, self.X, self.Y, self.prior = problem, X, Y, prior
        self._whole = self
        self.n, self.size = require_examples(X), int(problem.size_joint_feature)
        self.index: Indices = np.arange(self.n)
        self.surrogate = surrogate
        self.temperature = 0.0 if surrogate == HINGE else surrogate.temperature
        self.weights = None if weights is None or not np.ptp(weights) else _relative(weights)
        self.tally = Tally()
        self._workers = workers
        self._blocks = _block_ends(self.n, problem.block_size or _least_size(problem))
        self.doubled = False
        self._divide()

    def _divide(self) -> None:
        """Make the blocks; one task for all where examples are asked one by one, in this process.

        Its sums are those of the blocks.
        """
        problem, X, Y = self.problem, self.X, self.Y
        together = self._workers is None and not computes_with_arrays(problem)
        self._ends = self._blocks[-1:] if together else self._blocks
        if len(self._ends) == 1:
            own = self.index, self.surrogate, self.weights, self.prior
            self._use(bound(problem, X, Y, *own))
            return
        run, self._handles = uuid.uuid4().hex, []
        for number, places in enumerate(self._places()):
            y = None if Y is None else take(Y, places)
            weights = None if self.weights is None else self.weights[places]
            own = self.index[places], self.surrogate, weights, self.prior
            block = bound(problem, take(X, places), y, *own)
            self._handles.append(BlockHandle(Key(run, number), block))
        self.first, self._one = self._handles[0].block, None
        if self._workers is not None:
            self._workers.hold(self._handles)

    def _use(self, task: Any) -> None:
        """Use one task for all examples, which adds up blocks, and counts its calls here."""
        self.first = self._one = task
        inside = watched(task)
        inside.tally, inside.task.ends = self.tally, self._blocks.tolist()

    @property
    def may_double(self) -> bool:
        """Whether the inputs are numbers of less than double precision."""
        first = take(self.X, slice(0, 1))
        return unit_roundoff(in_double(first)) < unit_roundoff(first)

    @property
    def curvature_axes(self) -> Axes | None:
        """The axes that the problem suggests, from examples spread evenly; None for w's entries."""
        return self._whole._axes

    @functools.cached_property
    def _axes(self) -> Axes | None:
        if self.Y is None or self.first.axes is None:
            return None
        places = np.unique(np.linspace(0, self.n - 1, min(self.n, SUGGESTING)).astype(np.intp))
        found: Axes | None = bound(
            self.problem, take(self.X, places), take(self.Y, places), places
        ).axes()
        return found

    @functools.cached_property
    def here(self) -> Examples:
        """All examples for functions that take less time than sending their arguments would.

        They run in this process, in blocks as large as those of a cheap oracle.
        """
        if self._workers is None:
            return self
        found = object.__new__(Examples)
        ends = _block_ends(self.n, _size_by_work(self.problem))
        vars(found).update(vars(self), _workers=None, _blocks=ends)
        found._divide()
        return found

    @property
    def one_block(self) -> Any:
        """All examples as one task in this process, for pairs of them, or one after another."""
        if self._one is not None:
            return self._one
        own = self.index, self.surrogate, self.weights, self.prior
        task = bound(self.problem, self.X, self.Y, *own)
        watched(task).tally = self.tally
        return task

    def use_double(self) -> None:
        """Convert the inputs to double precision; subsets made before do not follow."""
        vars(self).pop("_axes", None)
        vars(self).pop("here", None)
        self.X, self.doubled = in_double(self.X), True
        initialize(self.problem, self.X, self.Y)
        self._divide()

    def subset(self, places: Indices) -> Examples:
        """Some of the examples, by their positions in rising order; X and Y are left out."""
        subset = object.__new__(Examples)
        vars(subset).update(vars(self))
        subset.X = subset.Y = None
        subset.n, subset.index = len(places), self.index[places]
        subset.weights = None if self.weights is None else self.weights[places]
        ends = np.unique(np.searchsorted(places, self._blocks))
        subset._blocks = ends[ends > 0]
        if self._one is not None:
            subset._ends = subset._blocks[-1:]
            subset._use(self._one.part(places))
            return subset
        homes = np.searchsorted(self._ends, places, side="right")
        numbers, firsts = np.unique(homes, return_index=True)
        starts = np.concatenate([[0], self._ends])[numbers]
        by_block = np.split(places, firsts[1:])
        subset._ends = np.append(firsts[1:], len(places))
        subset._handles = [
            self._handles[number].subset(own - start)
            for number, own, start in zip(numbers.tolist(), by_block, starts, strict=True)
        ]
        subset.first = subset._handles[0].block
        return subset

    def __getstate__(self) -> dict[str, Any]:
        """All examples, and which of them these are."""
        return {"whole": self._whole, "index": self.index}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(vars(state["whole"].subset(state["index"])))

    def labelled_subset(self, places: Indices | None, labels: Any) -> tuple[Examples, Any]:
        """The examples at these positions, None for all, and their labels, None for their own."""
        if places is None:
            return self, labels
        own = labels is None or labels is self.Y
        return self.subset(places), None if own else take(labels, places)

    def reproducible(self) -> AbstractContextManager[Any]:
        """A context in which all products take one thread of the BLAS, unless there is one block.

        Then results do not depend on the number of threads. A single block may use all of them.
        """
        return one_blas_thread() if len(self._ends) > 1 else nullcontext()

    def ask(self, method: str, labels: Any, *shared: Any, **how: Any) -> list[Any]:
        """The answers of a method of every block's task: see :meth:`map`."""
        return self.map(functools.partial(_answer, method), labels, *shared, **how)

    def map(
        self,
        function: Callable[..., Any],
        labels: Any,
        *shared: Any,
        divided: tuple[Any, ...] = (),
        keep: Callable[[Any], Any] | None = None,
    ) -> list[Any]:
        """The values of ``function(block, *shared, *divided)`` for every block, in order.

        Parameters
        ----------
        function : callable
            A picklable one.
        labels : sequence or None
            The outputs that the blocks hold during the call, one for each example; None for Y.
        *shared : object
            The same for all blocks.
        divided : tuple of sequences
            With an element for each example; a block gets the elements of its examples.
        keep : callable, optional
            ``keep(value)`` takes its place in the list. It is called in order and as soon as the
            value is there, so that vectors as long as w of all blocks need not exist at once.
        """
        # Blocks hold their own labels: they need not be sent.
        given = None if labels is None or labels is self.Y else labels
        if self._one is not None:
            task = self._one if given is None else self._one.with_labels(given)
            value = function(task, *shared, *divided)
            return [value if keep is None else keep(value)]
        tasks = [
            Task(
                handle,
                None if given is None else take(given, places),
                tuple(take(data, places) for data in divided),
            )
            for handle, places in zip(self._handles, self._places(), strict=True)
        ]
        started, values, tallies = time.perf_counter(), [], []
        answers = (
            run_here(function, shared, tasks)
            if self._workers is None
            else self._workers.run(function, shared, tasks)
        )
        for value, tally in answers:
            values.append(value if keep is None else keep(value))
            tallies.append(tally)
        self._count(tallies, time.perf_counter() - started)
        return values

    def minibatches(self) -> Sequence[SubBlock]:
        """The mini-batches of all blocks; empty if the problem does not offer them."""
        if self.first.minibatches is None:
            return []
        tasks = [self._one] if self._one is not None else [h.block for h in self._handles]
        return [batch for task in tasks for batch in minibatches_of(task)]

    def _count(self, tallies: Sequence[Tally], wall: float) -> None:
        """Add the blocks' tallies; if they ran at the same time, their seconds as wall time."""
        scale = 1.0  # the seconds of blocks evaluated at the same time would add up to more
        if self._workers is not None and self._workers.parallel:
            spent = sum(sum(tally.seconds.values()) for tally in tallies)
            scale = wall / spent if spent else 1.0
        for tally in tallies:
            self.tally.add(tally, scale)

    # ------------------------------------------------------------------ all examples

    def evaluation_losses(self, outputs: Sequence[Any]) -> Vector:
        """The weighted loss of every prediction where Y may hold annotations, shape (n,)."""
        return joined(self.ask("evaluation_losses", None, divided=(outputs,)))

    def score(self, w: Vector) -> float:
        """1 - the mean loss of the predictions at w, the loss divided by ``max_loss`` if known."""
        loss, highest = np.mean(self.evaluation_losses(self.decode(w))), self.problem.max_loss
        if highest and loss > highest:
            warn_user(
                f"the score is below 0: the mean loss, {loss:.6g}, is above max_loss, {highest:g}; "
                "set max_loss to the largest value that the loss can take, or to None"
            )
        return float(1 - loss / (highest or 1.0))

    def decode(self, w: Vector) -> Sequence[Any]:
        """The prediction for every example."""
        return joined(self.ask("decode", None, w))

    def impute(self, w: Vector) -> Sequence[Any]:
        """Labels of a self-labelled problem at w."""
        return joined(self.ask("impute", None, w))

    def refine(self, labels: Any, w: Vector, outputs: Sequence[Any]) -> Sequence[Any]:
        """A more violated output near the given one, for every example."""
        return joined(self.ask("refine", labels, w, divided=(outputs,)))

    def planes(
        self, labels: Any, passes: Sequence[Sequence[Any]], weights: Vector
    ) -> tuple[Vector, Vector]:
        """The planes of m passes with their weights (m, n): rows (m, size), offsets (m,)."""
        divided = (np.transpose(weights), *passes)
        rows, losses = zip(*self.map(weighted_planes, labels, divided=divided), strict=True)
        return total(rows), self.first.offsets(total(losses), total(rows))

    def relabelled_planes(
        self,
        labels: Any,
        passes: Sequence[Sequence[Any]],
        weights: Vector,
        previous: tuple[Any, Vector, Vector] | None = None,
    ) -> tuple[Vector, Vector]:
        """The planes of m earlier passes against new labels: rows (m, size), offsets (m,)."""
        if self.first.relabelled is None:
            return self.planes(labels, passes, weights)
        if previous is not None:
            previous = (*previous[:2], self.first.losses_of(previous[2], previous[1]))
        whole = self._one_block.with_labels(labels)
        rows, losses = whole.relabelled(passes, weights, previous)
        return rows, self.first.offsets(losses, rows)

    @functools.cached_property
    def _one_block(self) -> Any:
        return self.one_block

    # ------------------------------------------------------------------ the problem

    @property
    def may_search(self) -> bool:
        """Whether any cheaper search may take the place of the separation oracle."""
        return self.may_search_by("search_pool") or self.may_search_by("refine")

    def may_search_by(self, method: str) -> bool:
        """Whether a cheaper search of the problem may take the place of the separation oracle.

        A ProblemError where the task searches a pool that it cannot make, or the other way round.
        """
        pair = ("pool_outputs", "search_pool")
        missing = [name for name in pair if getattr(self.first, name) is None]
        if len(missing) == 1:
            (lacks,), kind = missing, type(watched(self.first).task).__name__
            (has,) = {*pair} - {lacks}
            raise ProblemError(
                f"{kind}.{lacks} is missing, without which {has} has no use: define both, or "
                "neither"
            )
        replaceable = (
            self.problem.oracle_quality != "overgenerating"
            and self.surrogate == HINGE
            and not isinstance(self.problem, SelfLabelledProblem)
        )
        return replaceable and getattr(self.first, method) is not None

    def initial_w(self, rng: np.random.Generator) -> Any:
        """A self-labelled problem's w to start from."""
        assert isinstance(self.problem, SelfLabelledProblem)
        with Call(self.problem, "initial_w"):
            return self.problem.initial_w(self.X, rng)

    def constraints(self) -> Constraints:
        """The problem's constraints and bounds, for points of solvers."""
        if self.problem.constraints is None:
            return Constraints(None, self.size)
        with Call(self.problem, "constraints"):
            given = constraints_of(self.problem)
        return self.first.moved(Constraints(given.rows, self.size, given.lower))

    # ------------------------------------------------------------------ the blocks

    def _places(self) -> Iterator[slice]:
        """The places of each block's examples."""
        start = 0
        for end in self._ends.tolist():
            yield slice(start, end)
            start = end

    def warn_of_one_block(self) -> None:
        """Warn where several jobs are requested and there is only one block for them."""
        one = len(self._ends) == 1 < self.n and self.problem.block_size is None
        if one and self._workers is not None:
            jobs = self._workers.jobs
            name = type(self.problem).__name__
            warn_user(
                f"{jobs} jobs have no effect: {name} has a task or a cheap oracle, and its "
                f"{self.n} examples are one block. If the oracle is expensive, set the attribute "
                f"block_size of {name} to the least number of examples that are worth a call"
            )


def _answer(method: str, task: Any, *arguments: Any) -> Any:
    """The answer of a method of a task."""
    return getattr(task, method)(*arguments)


def _relative(weights: Vector) -> Vector:
    """The weights divided by their mean."""
    weights = weights / weights.max()  # the sum of large ones may overflow
    return weights * (len(weights) / weights.sum())


def total(terms: Sequence[Any]) -> Any:
    """The sum, in order."""
    return functools.reduce(operator.add, terms)


def _block_ends(n: int, least: float) -> Indices:
    """The ends of blocks of at least ``least`` examples each, as even as possible."""
    count = max(1, min(n, int(n / max(n / MOST_BLOCKS, least))))
    return n * np.arange(1, count + 1) // count


def _least_size(problem: Problem) -> float:
    """Number of examples whose work is worth a block."""
    if not computes_with_arrays(problem):
        return CHEAP_CALLS if problem.oracle_cost == "cheap" else 1
    return _size_by_work(problem)


def _size_by_work(problem: Problem) -> float:
    """Number of examples that a task with arrays takes a while for."""
    length = problem.size_joint_feature
    return max(LEAST_WORK, WORK_PER_WEIGHT * length) / max(problem.work or length, 1)
