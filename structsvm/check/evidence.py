"""What the checks look at: points w, and every output that any call returned for an example."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import joblib
import numpy as np

from structsvm.exceptions import ProblemError
from structsvm.oracle import BoundProblem, initialize, n_examples, take
from structsvm.problem import Problem, SelfLabelledProblem, Vector, offers

#: An enumeration longer than this is not used.
MAX_OUTPUTS = 5000


class Finding(NamedTuple):
    """A fault: the method, the example (None where it concerns all) and what is wrong."""

    method: str
    example: int | None
    message: str

    def __str__(self) -> str:
        where = "" if self.example is None else f" for example {self.example}"
        return f"{self.method}: {self.message}{where}"


class Candidate(NamedTuple):
    """An output of one example, where it came from, and its loss and joint-feature difference."""

    origin: str
    output: Any
    loss: float
    difference: Vector

    def value(self, w: Vector) -> float:
        """The loss-augmented score, less the score of the truth."""
        return self.loss - float(self.difference @ w)

    def slack_value(self, w: Vector) -> float:
        return self.loss * (1 - float(self.difference @ w))

    def score(self, w: Vector) -> float:
        return -float(self.difference @ w)

    def scale(self, w: Vector) -> float:
        """The size of the terms that ``value`` adds, for tolerances."""
        return 1 + self.loss + float(np.linalg.norm(self.difference) * np.linalg.norm(w))


class Evidence:
    """A problem, some of its examples, and what its methods return at a set of points.

    Single forms only: the batch forms are compared with them. The index that findings name is the
    example's place in the user's X.
    """

    def __init__(
        self, problem: Problem, X: Any, Y: Any, max_examples: int, random_state: int
    ) -> None:
        self.rng = np.random.default_rng(random_state)
        self.problem, self.notes = copy.deepcopy(problem), list[str]()
        self.all_X, self.all_Y = X, Y
        n = n_examples(X)
        chosen = self.rng.permutation(n)[:max_examples] if n > max_examples else np.arange(n)
        self.index = np.sort(chosen)
        self.data_before = self.data_fingerprint()

    @cached_property
    def bound(self) -> BoundProblem:
        """The problem over the examples chosen, its sizes learnt from all of them."""
        try:
            initialize(self.problem, self.all_X, self.all_Y)
        except ProblemError:
            raise
        except Exception as error:
            raise ProblemError(f"initialize raised {type(error).__name__}: {error}") from error
        X = take(self.all_X, self.index)
        Y = None if self.all_Y is None else take(self.all_Y, self.index)
        bound = BoundProblem(self.problem, X, Y, use_batch_forms=False)
        bound.index = self.index
        return bound

    def data_fingerprint(self) -> tuple[str, str]:
        """Of the chosen inputs and outputs, to see whether a method changed them."""
        Y = None if self.all_Y is None else take(self.all_Y, self.index)
        return fingerprint(take(self.all_X, self.index)), fingerprint(Y)

    @property
    def self_labelled(self) -> bool:
        return isinstance(self.problem, SelfLabelledProblem)

    def labels(self, w: Vector) -> Any:
        return self.bound.impute(w) if self.self_labelled else self.bound.Y

    @cached_property
    def points(self) -> list[Vector]:
        """w = 0 (not for self-labelled problems), random ones of three sizes, trained ones."""
        size, scale = self.bound.size, self._natural_scale
        random = [
            factor * scale * self.rng.standard_normal(size) / np.sqrt(size)
            for factor in (0.1, 1.0, 1.0, 10.0)
        ]
        zero = [] if self.self_labelled else [np.zeros(size)]
        return zero + random + self._subgradient_points(random[0])

    @cached_property
    def oracle_outputs(self) -> list[Sequence[Any]]:
        """What the separation oracle returned, by point and example."""
        outputs = [self.bound.separate(self.labels(w), w) for w in self.points]
        self.outputs_before = [[fingerprint(output) for output in found] for found in outputs]
        return outputs

    @cached_property
    def decoded(self) -> list[Sequence[Any]]:
        """What the decoder returned, by point and example."""
        return [self.bound.decode(w) for w in self.points]

    @cached_property
    def enumerated(self) -> list[list[Any]]:
        """All outputs by example; an empty list where they are too many or not offered."""
        if not offers(self.problem, "outputs"):
            self.notes.append(
                "outputs(x) is not offered, so the oracle was compared only with what calls "
                "returned; offer it for a sharper test on small inputs"
            )
            return [[] for _ in range(self.bound.n)]
        lists = [list(islice(self.problem.outputs(x), MAX_OUTPUTS + 1)) for x in self._inputs()]
        if any(len(found) > MAX_OUTPUTS for found in lists):
            self.notes.append(f"some examples have over {MAX_OUTPUTS} outputs: not enumerated")
        return [found if len(found) <= MAX_OUTPUTS else [] for found in lists]

    def candidates(self, i: int, labels: Any) -> Iterator[Candidate]:
        """Every output known for example i, measured against its label."""
        yield self.candidate("the truth", i, labels, labels[i])
        for outputs in self.oracle_outputs:
            yield self.candidate("an output of separation_oracle at another w", i, labels, outputs[i])
        for outputs in self.decoded:
            yield self.candidate("an output of decode", i, labels, outputs[i])
        for output in self.enumerated[i]:
            yield self.candidate("one of outputs(x)", i, labels, output)

    def candidate(self, origin: str, i: int, labels: Any, output: Any) -> Candidate:
        """Measure one output; a fault in the measuring names the example."""
        one, truth = self.bound.subset([i]), [labels[i]]
        loss = float(one.losses(truth, [output])[0])
        return Candidate(origin, output, loss, one.sum_difference(truth, [output], np.ones(1)))

    @cached_property
    def known(self) -> list[list[Candidate]]:
        """Candidates of every example of a supervised problem, whose labels never change."""
        return [list(self.candidates(i, self.bound.Y)) for i in range(self.bound.n)]

    def known_at(self, w: Vector) -> list[list[Candidate]]:
        if not self.self_labelled:
            return self.known
        labels = self.labels(w)
        return [list(self.candidates(i, labels)) for i in range(self.bound.n)]

    @cached_property
    def _natural_scale(self) -> float:
        """The norm of w at which scores are about as large as losses."""
        x, size = self.bound.X[0], self.bound.size
        w = self.rng.standard_normal(size)
        y = self.problem.decode(x, w) if self.all_Y is None else self.bound.Y[0]
        norm = np.linalg.norm(self.bound.joint_feature(0, y))
        return float(np.sqrt(size) / norm) if norm > 0 else 1.0

    def _subgradient_points(self, start: Vector) -> list[Vector]:
        """Where a few steps of subgradient descent lead: points like those of a training."""
        points, w = [], start if self.self_labelled else np.zeros_like(start)
        weights = np.full(self.bound.n, 1 / self.bound.n)
        for step in range(1, 5):
            labels = self.labels(w)
            row = self.bound.sum_difference(labels, self.bound.separate(labels, w), weights)
            norm = float(np.linalg.norm(row))
            if norm > 0:
                w = w + (self._natural_scale / norm) * row / step
                points.append(w)
        return points

    def _inputs(self) -> Iterator[Any]:
        return (self.bound.X[i] for i in range(self.bound.n))


def fingerprint(value: Any) -> str:
    """A hash of any value, to see whether it was changed."""
    return str(joblib.hash(value))
