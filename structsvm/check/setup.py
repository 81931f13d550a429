"""The checks of the class itself: its constructor, declarations, names and example data."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from typing import Any

import cloudpickle
import numpy as np
from sklearn.base import clone

from structsvm.check.equality import ROUNDING, close, key, own, same
from structsvm.check.evidence import Evidence
from structsvm.check.findings import Finding, attempted, describe, short
from structsvm.contract.declarations import NUMBERS
from structsvm.contract.missing import misspelt
from structsvm.contract.problem import Problem
from structsvm.data.arrays import Vector
from structsvm.data.containers import n_examples, take
from structsvm.oracle.setup import copied, initialize, set_sizes
from structsvm.task.answers import real_array


def constructor_keeps_parameters(evidence: Evidence) -> Iterator[Finding]:
    """The constructor stores parameters unchanged under their names, for clone and GridSearchCV."""
    _, error = attempted(clone, evidence.problem)
    if error:
        yield Finding(
            "__init__",
            None,
            "every parameter must be stored unchanged under its own name, as scikit-learn asks "
            f"(self.name = name, and nothing else): {error}",
        )
        return
    kind, given = type(evidence.problem), evidence.problem.get_params(deep=False)
    for name, value in given.items():
        for other in _other_values(kind, name, value):
            made, error = attempted(lambda own: kind(**own), {**given, name: other})
            if error:  # it may refuse a value
                continue
            stored = getattr(made, name)
            if stored is not other:
                yield Finding(
                    "__init__",
                    None,
                    f"it must store {name} unchanged, as scikit-learn asks (self.{name} = {name}, "
                    f"and nothing else); {short(other)} became {short(stored)}",
                )


def _other_values(kind: type, name: str, value: Any) -> Iterator[Any]:
    """Yield the default of a parameter, and a value near the present one, if it is a number."""
    default = inspect.signature(kind).parameters[name].default
    if default is not inspect.Parameter.empty:
        yield default
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, (int, float)):
        yield value + (1 if isinstance(value, int) else 0.5)


def declarations_are_valid(evidence: Evidence) -> Iterator[Finding]:
    """Declared attributes have a value that the contract allows."""
    assert evidence.calls  # initialized: what initialize declares counts
    if evidence.self_labelled and evidence.problem.restricts_labels not in (True, False):
        declared = evidence.problem.restricts_labels
        yield Finding("restricts_labels", None, f"it must be a bool; it is {declared!r}")


def problem_can_be_pickled(evidence: Evidence) -> Iterator[Finding]:
    """A problem that is to run in other processes can be sent there; else a note, no error."""
    assert evidence.calls  # initialized: what initialize stores is pickled too
    if evidence.problem.parallelism == "processes":
        _, error = attempted(cloudpickle.dumps, evidence.problem)
        if error:
            evidence.doubt(
                "problem_can_be_pickled",
                f"n_jobs needs a problem that can be pickled, or parallelism = 'threads', and so "
                f"does saving a fitted estimator: {type(error).__name__}: {error}",
            )
    yield from ()


def no_method_is_misspelt(evidence: Evidence) -> Iterator[Finding]:
    """No name of the class looks like a misspelt optional method; else a note, no error."""
    kind: Any = type(evidence.problem)
    for note in misspelt(kind, frozenset(vars(evidence.problem))):
        evidence.doubt("no_method_is_misspelt", note)
    yield from ()


def example_data_is_accepted(evidence: Evidence) -> Iterator[Finding]:
    """initialize accepts what example_data returns, and joint_feature its first example."""
    # As for the command, which knows no parameters.
    problem, refused = attempted(type(evidence.problem))
    if refused:
        return
    _, error = attempted(_use_example_data, problem)
    if error:
        message = f"what it returns cannot be used: {describe(error, problem, 'example_data')}"
        yield Finding("example_data", None, message)


def _use_example_data(problem: Problem) -> None:
    X, Y = problem.example_data()
    initialize(problem, X, Y)


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
