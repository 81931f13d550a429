"""The check that initialize overwrites what it learned from earlier data, and nothing else."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from structsvm.check.closeness import ROUNDING, close
from structsvm.check.copies import key, own, same
from structsvm.check.evidence import Evidence
from structsvm.check.findings import Finding, short
from structsvm.check.raised import attempted, describe
from structsvm.contract.declarations import NUMBERS
from structsvm.contract.problem import Problem
from structsvm.data.arrays import Vector
from structsvm.data.containers import n_examples, take
from structsvm.oracle.setup import copied, set_sizes
from structsvm.task.call import real_array

#: A call: the place of the example, the method and its arguments.
Call = tuple[int, str, tuple[Any, ...]]
#: The point at which answers are compared.
POINT = 3
#: The place of answers that differ in the copies that workers get.
SENT = "in a copy of the initialized problem, as other processes get it"
#: The remedy.
OVERWRITE = "a call must overwrite what earlier calls learned"


def initialize_is_repeatable(evidence: Evidence) -> Iterator[Finding]:
    """Its result depends on the data of the last call alone, and parameters are kept."""
    assert evidence.calls  # initialized
    if message := next(filter(None, _differences(evidence)), ""):
        own = type(evidence.problem).__getstate__ is not Problem.__getstate__ and SENT in message
        yield Finding("__getstate__" if own else "initialize", None, message)
        return
    for name in inspect.signature(type(evidence.problem)).parameters:
        before, after = (getattr(at, name, None) for at in (evidence.untouched, evidence.problem))
        if not same(before, after):
            yield Finding(
                "initialize",
                None,
                f"it changed the parameter {name} from {short(before)} to {short(after)}; store "
                f"what is learned under another name, such as {name}_",
            )


def _differences(evidence: Evidence) -> Iterator[str]:
    """Yield what differs between copies of the problem with the same data, or ''."""
    everything, some = range(n_examples(evidence.X)), evidence.first_half
    often, once, twice = (copied(evidence.untouched) for _ in range(3))
    for rows in (some, everything[len(some) :]):
        _learned(evidence, often, rows)
    for problem, times in ((often, 2), (once, 1), (twice, 1)):
        for _ in range(times):
            if message := _learned(evidence, problem, everything):
                yield f"with all of the data {message}"
                return
    w = evidence.visits[min(POINT, len(evidence.visits) - 1)].w
    calls = list(evidence.progress.trials(_calls(evidence, everything, w)))
    one, two, later = (_Copy(problem, calls) for problem in (once, twice, often))
    yield one.difference(two, "in another copy with the same data; seed what is random")
    yield one.difference(later, f"after earlier calls with parts of the data and all; {OVERWRITE}")
    sent, error = attempted(copied, once)
    if not error:  # what initialize learned need not allow copies; see problem_can_be_pickled
        yield one.difference(_Copy(sent, calls), SENT)
    if evidence.early is None or _learned(evidence, often, some):
        return
    late = copied(evidence.untouched)
    _learned(evidence, late, some)
    direction = np.random.default_rng(0).standard_normal(late.size_joint_feature)
    w = float(np.linalg.norm(w)) * direction
    calls = list(evidence.progress.trials(_calls(evidence, some, w)))
    first, last, later = (_Copy(problem, calls) for problem in (evidence.early, late, often))
    yield last.difference(later, f"after an earlier call with more data; {OVERWRITE}")
    yield first.difference(
        last,
        "after calls for other copies of the problem; keep what is learned in self, not in its "
        "class or module",
    )


class _Copy:
    """A copy of the problem, initialized, and its answers to calls, which are asked once."""

    def __init__(self, problem: Problem, calls: list[Call]) -> None:
        self.problem, self.calls, self.answers = problem, calls, _answers(problem, calls)

    def difference(self, other: _Copy, when: str) -> str:
        """Return what differs in another copy with the same data, or ''."""
        for name in ("size_joint_feature", *NUMBERS):
            before, after = (getattr(copy.problem, name, None) for copy in (self, other))
            if not same(before, after):
                return f"{name} was {short(before)} and is {short(after)} {when}"
        answers = zip(self.calls, self.answers, other.answers, strict=True)
        differing = [call for call, *both in answers if _differ(*both)]
        # A method that is random from elsewhere, or keeps a state, is no mistake of initialize.
        if not differing or self.is_inconstant or other.is_inconstant:
            return ""
        _, method, _ = differing[0]
        return f"what {method} returns changes {when}"

    @property
    def is_inconstant(self) -> bool:
        """Whether the copy answers the same calls in another way now."""
        return any(map(_differ, self.answers, _answers(self.problem, self.calls)))


def _learned(evidence: Evidence, problem: Problem, rows: range) -> str:
    """Initialize a problem with some examples; return what that raised, or ''."""
    part = [None if data is None else own(take(data, list(rows)))
            for data in (evidence.X, evidence.Y)]  # fmt: skip
    with warnings.catch_warnings():  # so few examples need not fit the problem
        warnings.simplefilter("ignore")
        _, error = attempted(set_sizes, problem, *part)
    return describe(error, problem, "initialize") if error else ""


def _calls(evidence: Evidence, rows: range, w: Vector) -> Iterator[Call]:
    """Yield calls of the required methods at w, for the examples in ``rows``."""
    _, labels, found = evidence.visits[min(POINT, len(evidence.visits) - 1)]
    for i, (y, entry) in enumerate(zip(labels, found["decode"], strict=True)):
        if y is None or entry is None or evidence.calls.name(i) not in rows:
            continue
        x = evidence.calls.x[i]
        for z in (y, entry[1]):
            yield i, "joint_feature", (x, z)
            yield i, "loss", (y, z)
        yield i, "decode", (x, w)
        yield i, "separation_oracle", (x, y, w)


def _answers(problem: Problem, calls: list[Call]) -> list[Any]:
    return [_answer(problem, method, arguments) for _, method, arguments in calls]


def _answer(problem: Problem, method: str, arguments: tuple[Any, ...]) -> Any:
    """The value of a call, numbers as an array; the type of the error that it raises."""

    def answer() -> Any:
        found = own(getattr(problem, method)(*own(arguments)))
        return real_array(found) if method in ("joint_feature", "loss") else found

    found, error = attempted(answer)
    return type(error) if error else found


def _differ(first: Any, second: Any) -> bool:
    numbers = isinstance(first, np.ndarray) and isinstance(second, np.ndarray)
    if numbers and first.shape == second.shape and first.dtype.kind == "f":
        if np.array_equal(first, second, equal_nan=True):  # single_calls_succeed reports infinity
            return False
        return not (np.isfinite([first, second]).all() and close(first, second, ROUNDING))
    return bool(key(first) != key(second))
