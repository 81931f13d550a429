"""A problem and its examples, divided into blocks for parallel evaluation."""

from __future__ import annotations

import functools
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
from structsvm.data.blocks import Stored
from structsvm.data.containers import in_double, in_single, joined, require_examples, take
from structsvm.exceptions import ProblemError, warn_user
from structsvm.objective.rounding import unit_roundoff
from structsvm.objective.surrogate import HINGE, Surrogate
from structsvm.oracle.remote import one_blas_thread
from structsvm.oracle.setup import initialize
from structsvm.oracle.workers import Workers
from structsvm.planes.constraints import Constraints
from structsvm.task.advice import is_own
from structsvm.task.bound import bound
from structsvm.task.call import Call, Tally
from structsvm.task.sums import ends_within, spans
from structsvm.task.watched import watched

#: Largest number of blocks. It is fixed so that results do not depend on the number of jobs.
MOST_BLOCKS = 1024
#: Number of blocks up to which the smallest number of examples is enough. More blocks cost every
#: run some time and help only many jobs: then each block has at least MORE times as many examples.
FEW_BLOCKS, MORE = 32, 8
#: Smallest number of multiplications in a block of a task with arrays, to be worth a call.
LEAST_WORK = 16_000_000
#: Smallest number of multiplications for each entry of w, since a block makes vectors like w.
WORK_PER_WEIGHT = 64
#: Smallest number of calls in a block of a cheap oracle for single examples. They take a
#: millisecond or two, like a call of a task. A sixteenth of the examples still has 25 in a block.
CHEAP_CALLS = 400
#: Smallest number of calls in a block of an expensive oracle if there are more than FEW_BLOCKS,
#: since a block sends a vector as long as w, also after a sixteenth of its calls.
MANY_CALLS = 100
#: Largest number of entries of these vectors if there are more than FEW_BLOCKS. They take 1 GB.
ENTRIES = 2**27
#: Largest number of examples from which axes are computed.
SUGGESTING = 1000


def workers_for(n_jobs: int | None, problem: Problem) -> AbstractContextManager[Workers | None]:
    """Return a context with the Workers of several jobs, or with None for one job."""
    several = effective_n_jobs(n_jobs) > 1
    return Workers(n_jobs, problem.parallelism) if several else nullcontext()


class Examples:
    """An initialized problem and its examples, divided into blocks.

    Attributes
    ----------
    problem : Problem
    X, Y : sequences
        The inputs and outputs. Y may be None.
    n : int
        Number of examples.
    index : ndarray of shape (n,)
        The indices of the examples of this object among all examples, in rising order.
    size : int
        Length of w.
    task : Wrapper
        The wrapped task of the examples in this process.
    surrogate : Surrogate
    temperature : float
        The fixed temperature of the surrogate. 0 for the hinge loss.
    prior : ndarray of shape (size,) or None
        The prior weights w_0, which a wrapper of the task applies (see :mod:`structsvm.objective`).
    doubled : bool
        Whether the inputs were converted to double precision.
    tally : Tally
        The count of oracle calls of all blocks. Subsets of the examples add their calls to the same
        tally.
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
        # In half precision, rounding errors would exceed the desired gap.
        X = in_single(X)
        self.problem, self.X, self.Y, self.prior = problem, X, Y, prior
        self.n, self.size = require_examples(X), int(problem.size_joint_feature)
        self.index: Indices = np.arange(self.n)
        self.surrogate = surrogate
        self.temperature = 0.0 if surrogate == HINGE else surrogate.temperature
        self.tally, self.doubled = Tally(), False
        self._whole, self._workers = self, workers
        self._weights = None if weights is None or not np.ptp(weights) else _relative(weights)
        stored = isinstance(X, Stored)
        self._ends = X.files.ends if stored else _block_ends(problem, self.n, problem.block_size)
        self._bind()

    def _bind(self) -> None:
        """Make the task, and divide it into blocks."""
        problem, given = self.problem, (self.surrogate, self._weights, self.prior)
        self.task = bound(problem, self.X, self.Y, self.index, *given)
        watched(self.task).tally = self.tally
        if not computes_with_arrays(problem):
            watched(self.task).task.ends = self._ends
        workers = None if len(self._ends) == 1 else self._workers
        self._remote = None if workers is None else workers.blocks(self.task, self._ends)
        if workers is None:
            self._cut()

    def _cut(self) -> None:
        """Divide the task into blocks in this process, if the task computes with arrays."""
        one = len(self._ends) == 1 or not computes_with_arrays(self.problem)
        self._blocks = [self.task] if one else [self.task.part(own) for own in spans(self._ends)]

    @property
    def may_double(self) -> bool:
        """Whether the inputs are numbers of a lower precision than double precision."""
        first = take(self.X, slice(0, 1))
        return unit_roundoff(in_double(first)) < unit_roundoff(first)

    def use_double(self) -> None:
        """Convert the inputs to double precision, except in subsets that already exist."""
        for name in ("curvature_axes", "here"):
            vars(self).pop(name, None)
        self.X, self.doubled = in_double(self.X), True
        initialize(self.problem, self.X, self.Y)
        self._bind()

    @functools.cached_property
    def here(self) -> Examples:
        """The same examples without workers: functions on the examples run in this process."""
        if self._remote is None:
            return self
        here = object.__new__(Examples)
        stored = isinstance(self._whole.X, Stored)
        ends = self._ends if stored else _block_ends(self.problem, self.n, None)
        vars(here).update(vars(self), _remote=None, _ends=ends)
        here._cut()
        return here

    def subset(self, places: Indices) -> Examples:
        """Return the examples at positions in rising order, without X and Y."""
        subset = object.__new__(Examples)
        vars(subset).update(vars(self), X=None, Y=None, n=len(places), index=self.index[places])
        vars(subset).pop("here", None)
        subset._ends = ends_within(places, self._ends)
        subset.task = self.task.part(places)
        if self._remote is None:
            subset._cut()
        else:
            subset._remote = self._remote.part(places)
        return subset

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to pickle, with all examples and with ``index``."""
        return {"whole": self._whole, "index": self.index}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(vars(state["whole"].subset(state["index"])))

    def labelled_subset(self, places: Indices | None, labels: Any) -> tuple[Examples, Any]:
        """Return the examples at ``places``, by default all, with their labels from ``labels``."""
        if places is None:
            return self, labels
        own = labels is None or labels is self.Y
        return self.subset(places), None if own else take(labels, places)

    def reproducible(self) -> AbstractContextManager[Any]:
        """Return a context in which products use one BLAS thread if there are several blocks.

        The rounding errors of products depend on the number of BLAS threads.
        """
        one = self._remote is None and len(self._blocks) == 1
        return nullcontext() if one else one_blas_thread()

    def ask(self, method: str, labels: Any, *shared: Any, divided: Any = ()) -> Sequence[Any]:
        """Call a method of every block's task, as ``map`` does, and return the joined answers."""
        answered = functools.partial(_answer, method)
        found: Sequence[Any] = joined([*self.map(answered, labels, *shared, divided=divided)])
        return found

    def map(
        self,
        function: Callable[..., Any],
        labels: Any,
        *shared: Any,
        divided: tuple[Any, ...] = (),
    ) -> Iterator[Any]:
        """Yield the values of ``function(block, *shared, *divided)`` for every block, in order.

        Blocks in this process are evaluated one after another, to hold vectors of the length of w
        for only one block at a time.

        Parameters
        ----------
        function : callable
            A picklable function.
        labels : sequence or None
            The outputs that replace Y during the call, one for each example. None for Y.
        *shared : object
            Arguments that are the same for all blocks.
        divided : tuple of sequences
            Arguments with an element for each example, which are divided among the blocks.
        """
        # Blocks hold Y, so it need not be sent.
        parts = self._parts(None if labels is self.Y else labels, *divided)
        if self._remote is not None:
            yield from self._remote.run(function, shared, parts, self.tally)
            return
        with self.reproducible():
            for block, (own, *rest) in zip(self._blocks, parts, strict=True):
                yield function(block.with_labels(own), *shared, *rest)

    def _parts(self, *divided: Any) -> Iterator[tuple[Any, ...]]:
        """Divide the arguments among the blocks, and yield the arguments of each block."""
        if self._remote is None and len(self._blocks) == 1:
            yield divided
            return
        for places in spans(self._ends):
            yield tuple(None if data is None else take(data, places) for data in divided)

    @functools.cached_property
    def curvature_axes(self) -> Axes | None:
        """The axes along which w is scaled, found from some examples; None to scale each entry."""
        whole = self._whole
        if self is not whole:
            return whole.curvature_axes
        if self.Y is None or self.task.axes is None:
            return None
        places = np.unique(np.linspace(0, self.n - 1, min(self.n, SUGGESTING)).astype(np.intp))
        found: Axes | None = self.task.part(places).axes()
        return found

    # ------------------------------------------------------------------ all examples

    def evaluation_losses(self, outputs: Sequence[Any]) -> Vector:
        """Return the weighted loss of every prediction, shape (n,); Y may hold annotations."""
        return np.asarray(self.ask("evaluation_losses", None, divided=(outputs,)))

    def score(self, w: Vector) -> float:
        """Return 1 minus the mean loss of the predictions.

        If ``max_loss`` is set, the mean loss is divided by ``max_loss``.
        """
        loss, highest = np.mean(self.evaluation_losses(self.decode(w))), self.problem.max_loss
        if highest and loss > highest:
            warn_user(
                f"the score is below 0: the mean loss, {loss:.6g}, is above max_loss, {highest:g}; "
                "set max_loss to the largest value that the loss can take, or to None"
            )
        return float(1 - loss / (highest or 1.0))

    def decode(self, w: Vector) -> Sequence[Any]:
        """Return the prediction for every example."""
        return self.ask("decode", None, w)

    def impute(self, w: Vector) -> Sequence[Any]:
        """Return the labels that a self-labelled problem imputes at w."""
        return self.ask("impute", None, w)

    # ------------------------------------------------------------------ the problem

    @property
    def cheap_searches(self) -> list[str]:
        """The task's cheap searches, which may replace calls of the separation oracle.

        Raises a ProblemError if the task defines only one of ``pool_outputs`` and ``search_pool``.
        """
        task, problem = self.task, self.problem
        if (task.pool_outputs is None) != (task.search_pool is None):
            lacks, has = "pool_outputs", "search_pool"
            if task.search_pool is None:
                lacks, has = has, lacks
            raise ProblemError(
                f"{type(watched(task).task).__name__}.{lacks} is missing, without which {has} has "
                "no use: define both, or neither"
            )
        if (
            problem.oracle_quality == "overgenerating"
            or self.surrogate != HINGE
            or isinstance(problem, SelfLabelledProblem)
        ):
            return []
        return [name for name in ("search_pool", "refine") if getattr(task, name) is not None]

    def initial_w(self, rng: np.random.Generator) -> Any:
        """Return the w from which a self-labelled problem starts."""
        assert isinstance(self.problem, SelfLabelledProblem)
        with Call(self.problem, "initial_w"):
            return self.problem.initial_w(self.X, rng)

    def constraints(self) -> Constraints:
        """Return the problem's constraints and bounds, as conditions on w minus the prior."""
        if self.problem.constraints is None:
            return Constraints(None, self.size)
        with Call(self.problem, "constraints"):
            given = constraints_of(self.problem)
        moved: Constraints = self.task.moved(Constraints(given.rows, self.size, given.lower))
        return moved

    def warn_of_one_block(self) -> None:
        """Warn if several jobs were requested but all examples are in one block."""
        one = self._remote is None and self.n > 1 and self.problem.block_size is None
        if one and self._workers is not None:
            jobs, kind = self._workers.jobs, type(self.problem)
            advice = (
                "If the oracle is expensive, set the attribute block_size of "
                f"{kind.__name__} to the least number of examples that are worth a call"
            )
            warn_user(
                f"{jobs} jobs have no effect: {kind.__name__} has a task or a cheap oracle, and "
                f"its {self.n} examples are one block. "
                f"{'Leave n_jobs out: one job is as fast' if is_own(kind) else advice}"
            )


def _answer(method: str, task: Any, *arguments: Any) -> Any:
    """Call a method of a task, and return its answer."""
    return getattr(task, method)(*arguments)


def _relative(weights: Vector) -> Vector:
    """Return the weights divided by their mean."""
    weights = weights / weights.max()  # the sum of large weights may overflow
    return weights * (len(weights) / float(weights.sum()))


def _block_ends(problem: Problem, n: int, least: float | None) -> list[int]:
    """Return the ends of blocks of nearly equal size, with at least ``least`` examples each.

    The default ``least`` makes blocks so large that evaluating a block takes longer than the
    overhead of the call.
    """
    length, many = problem.size_joint_feature, 0.0
    if least is None and computes_with_arrays(problem):
        least = max(LEAST_WORK, WORK_PER_WEIGHT * length) / max(problem.work or length, 1)
    elif least is None:
        least, many = (CHEAP_CALLS, 0.0) if problem.oracle_cost == "cheap" else (1, MANY_CALLS)
    most = max(FEW_BLOCKS, min(n / max(many, MORE * least), ENTRIES / length, MOST_BLOCKS))
    count = max(1, int(min(n, n / least, most)))
    return [n * number // count for number in range(1, count + 1)]
