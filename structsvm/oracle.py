"""A problem and all examples of a training, in parts that may be asked side by side."""

from __future__ import annotations

import copy
import functools
import math
import operator
import time
import uuid
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from structsvm.calls import call, checked
from structsvm.containers import joined, require_examples, take
from structsvm.part import Answer, Part
from structsvm.problem import Indices, Problem, SelfLabelledProblem, Vector, offers
from structsvm.shards import Shard
from structsvm.workers import Slot, Workers

#: The examples are divided into so many parts at most.
PARTS = 32
#: A part that batch forms are asked about holds so many numbers of joint features at least.
LEAST = 16_000_000


class Each(NamedTuple):
    """An argument of which every part is given what belongs to its examples."""

    data: Any


class Tally:
    """What was asked so far, of all examples or some.

    Attributes
    ----------
    calls : int
        Of the separation oracle or the soft one, one per example and pass that does not only
        refine.
    seconds : dict of str to float
        Wall time spent in 'oracle' (oracles, losses, imputation) and 'joint_feature'.
    """

    def __init__(self) -> None:
        self.calls, self.seconds = 0, {"oracle": 0.0, "joint_feature": 0.0}

    def add(self, answers: Sequence[Answer], wall: float | None) -> None:
        """Count what was asked; ``wall`` is the time it took where parts were asked at once."""
        share = 1.0
        if wall is not None:
            spent = sum(sum(answer.seconds.values()) for answer in answers)
            share = wall / spent if spent else 1.0
        for answer in answers:
            self.calls += answer.calls
            for what, seconds in answer.seconds.items():
                self.seconds[what] += share * seconds


class BoundProblem:
    """An initialized problem and data, ready to be asked.

    Attributes
    ----------
    problem : Problem
    X, Y : sequences
        As given; Y may be None.
    n : int
        Number of examples.
    index : ndarray of shape (n,)
        Their numbers, rising.
    size : int
        Length of w.
    tally : Tally
        Shared with all subsets.
    """

    def __init__(
        self,
        problem: Problem,
        X: Any,
        Y: Any = None,
        rescaling: str = "margin",
        use_batch_forms: bool = True,
        workers: Workers | None = None,
    ) -> None:
        self.problem, self.X, self.Y = problem, X, Y
        self.n, self.size = require_examples(X), int(problem.size_joint_feature)
        self.index: Indices = np.arange(self.n)
        self.rescaling = rescaling
        self.tally = Tally()
        self._workers = workers or Workers()
        self._ends = _ends(problem, self.n, use_batch_forms)
        name, self._shards = uuid.uuid4().hex, []
        for number, rows in enumerate(self._slices()):
            y = None if Y is None else take(Y, rows)
            part = Part(problem, take(X, rows), y, self.index[rows], rescaling, use_batch_forms)
            self._shards.append(Shard(name, number, part))
        self._workers.hold(self._shards)
        self._warn_of_one_part()

    def subset(self, examples: Indices) -> BoundProblem:
        """Some of the examples, given by their place in rising order; X and Y are left out."""
        homes = np.searchsorted(self._ends, examples, side="right")
        numbers, firsts = np.unique(homes, return_index=True)
        starts = np.concatenate([[0], self._ends])[numbers]
        places = np.split(examples, firsts[1:])
        subset = copy.copy(self)
        subset.X = subset.Y = None
        subset.n, subset.index = len(examples), self.index[examples]
        subset._ends = np.append(firsts[1:], len(examples))
        subset._shards = [
            self._shards[number].some(rows - start)
            for number, rows, start in zip(numbers.tolist(), places, starts, strict=True)
        ]
        return subset

    # ------------------------------------------------------------------ the examples

    def map(self, function: Callable[..., Any], labels: Any, *arguments: Any) -> list[Any]:
        """``function(part, labels, *arguments)`` of every part, in order.

        Parameters
        ----------
        function : callable
            One that can be pickled.
        labels : sequence or None
            One for each example; None for Y.
        *arguments : object
            An :class:`Each` is divided among the parts.
        """
        labels = None if labels is self.Y else labels
        given = (labels if labels is None else Each(labels), *arguments)
        each = [argument.data for argument in given if isinstance(argument, Each)]
        own: list[tuple[Any, ...]] = [()] * len(self._shards)
        if each:
            own = [tuple(take(data, rows) for data in each) for rows in self._slices()]
        shared = tuple(Slot.OWN if isinstance(argument, Each) else argument for argument in given)
        started = time.perf_counter()
        answers = self._workers.ask(function, shared, self._shards, own)
        wall = time.perf_counter() - started if self._workers.parallel else None
        self.tally.add(answers, wall)
        return [answer.found for answer in answers]

    def losses(self, labels: Any, outputs: Sequence[Any]) -> Vector:
        """The loss of every example's output, shape (n,)."""
        return joined(self.map(Part.losses, labels, Each(outputs)))

    def decode(self, w: Vector) -> Sequence[Any]:
        """The prediction for every example."""
        return joined(self.map(Part.decode, None, w))

    def impute(self, w: Vector) -> Sequence[Any]:
        """Labels of a self-labelled problem at w."""
        return joined(self.map(Part.impute, None, w))

    def refine(self, labels: Any, w: Vector, outputs: Sequence[Any]) -> Sequence[Any]:
        """A more violated output near the given one, for every example."""
        return joined(self.map(Part.refine, labels, w, Each(outputs)))

    def planes(
        self, labels: Any, passes: Sequence[Sequence[Any]], weights: Vector
    ) -> tuple[Vector, Vector]:
        """The planes of m passes with their weights (m, n): rows (m, size), offsets (m,)."""
        found = self.map(_planes, labels, Each(np.transpose(weights)), *map(Each, passes))
        rows, offsets = zip(*found, strict=True)
        return total(rows), total(offsets)

    def relabelled_planes(
        self,
        labels: Any,
        passes: Sequence[Sequence[Any]],
        weights: Vector,
        previous: tuple[Any, Vector, Vector] | None = None,
    ) -> tuple[Vector, Vector]:
        """The planes of m earlier passes against new labels: rows (m, size), offsets (m,)."""
        if offers(self.problem, "relabelled_planes"):
            started = time.perf_counter()
            rows, offsets = call(
                self.problem, "relabelled_planes", self.X, labels, passes, weights, previous
            )
            self.tally.seconds["joint_feature"] += time.perf_counter() - started
            return (
                checked("relabelled_planes", rows, (len(passes), self.size)),
                checked("relabelled_planes", offsets, (len(passes),)),
            )
        return self.planes(labels, passes, weights)

    def _warn_of_one_part(self) -> None:
        """Say so where several jobs are asked for and there is nothing to divide among them."""
        one = len(self._shards) == 1 < self.n and self.problem.block_size is None
        if one and (jobs := self._workers.jobs) > 1:
            name = type(self.problem).__name__
            warnings.warn(
                f"{jobs} jobs have no effect: {name} offers batch forms, and its "
                f"{self.n} examples are asked in one call. If the oracle is dear, set block_size "
                f"in {name} to the least number of examples that are worth a call",
                stacklevel=4,
            )

    def _slices(self) -> Iterator[slice]:
        """The places of each part's examples."""
        start = 0
        for end in self._ends.tolist():
            yield slice(start, end)
            start = end

    # ------------------------------------------------------------------ the problem

    @property
    def may_refine(self) -> bool:
        """Whether earlier outputs can be refined in place of a full search."""
        return (
            self.problem.oracle_quality == "undergenerating"
            and self.rescaling == "margin"
            and not isinstance(self.problem, SelfLabelledProblem)
            and offers(self.problem, "refine")
        )

    def constraints(self) -> Any:
        """The problem's A and b, or None."""
        return call(self.problem, "constraints")

    def lower_bounds(self) -> Any:
        """The problem's lower bounds on w, or None."""
        return call(self.problem, "lower_bounds")


def total(terms: Sequence[Any]) -> Any:
    """The sum, in order."""
    return functools.reduce(operator.add, terms)


def _planes(part: Part, labels: Any, weights: Vector, *passes: Any) -> tuple[Vector, Vector]:
    rows, offsets = np.empty((len(passes), part.size)), np.empty(len(passes))
    for j, outputs in enumerate(passes):
        losses, weight = part.losses(labels, outputs), weights[:, j]
        rows[j] = part.sum_difference(labels, outputs, part.rescaled(weight, losses))
        offsets[j] = weight @ losses
    return rows, offsets


def _ends(problem: Problem, n: int, use_batch_forms: bool) -> Indices:
    """Where the parts end: as even as can be, by the number of examples and the problem alone."""
    size = n / PARTS
    if use_batch_forms and offers(problem, "batch_separation_oracle"):
        size = max(size, problem.block_size or LEAST / problem.size_joint_feature)
    count = min(n, math.ceil(n / size))
    return n * np.arange(1, count + 1) // count
