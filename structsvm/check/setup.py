"""Checks of the class of a problem: its constructor, declarations, names and example data."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import cloudpickle
import numpy as np
from sklearn.base import clone

from structsvm.check.equality import ROUNDING, close, key, own, same
from structsvm.check.evidence import BASIC, Evidence, law
from structsvm.check.findings import Finding, attempted, describe, short
from structsvm.check.parts import NEEDED
from structsvm.contract.declarations import NUMBERS
from structsvm.contract.missing import misspelt
from structsvm.contract.problem import Problem
from structsvm.data.arrays import Vector
from structsvm.data.containers import n_examples
from structsvm.oracle.setup import copied, initialize
from structsvm.task.answers import real_array


@law(BASIC)
def constructor_keeps_parameters(evidence: Evidence) -> Iterator[Finding]:
    """The constructor stores parameters unchanged, under their names, as ``clone`` requires."""
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
        others = [inspect.signature(kind).parameters[name].default]
        if isinstance(value, (bool, int, float)):
            near = value + (1 if isinstance(value, int) else 0.5)
            others.append(not value if isinstance(value, bool) else near)
        for other in others:
            made, error = attempted(lambda own: kind(**own), {**given, name: other})
            # The constructor may refuse a value, or the parameter may have no default.
            if error or other is inspect.Parameter.empty or getattr(made, name) is other:
                continue
            yield Finding(
                "__init__",
                None,
                f"it must store {name} unchanged, as scikit-learn asks (self.{name} = {name}, and "
                f"nothing else); {short(other)} became {short(getattr(made, name))}",
            )


@law(BASIC)
def declarations_are_valid(evidence: Evidence) -> Iterator[Finding]:
    """Declared attributes have values that the contract allows."""
    assert evidence.calls  # initializes the problem, since initialize may declare attributes
    declared = evidence.problem.restricts_labels if evidence.self_labelled else False
    if declared not in (True, False):
        yield Finding("restricts_labels", None, f"it must be a bool; it is {declared!r}")
    missing = [name for name in NEEDED if getattr(evidence.problem, name) is None]
    if 0 < len(missing) < len(NEEDED):
        yield Finding(missing[0], None, f"it is missing: {', '.join(NEEDED)} need each other")


@law(BASIC)
def no_method_is_misspelt(evidence: Evidence) -> Iterator[Finding]:
    """No attribute has a name that looks like a misspelt optional method.

    A suspicious name gives a note, not an error.
    """
    kind: Any = type(evidence.problem)
    for note in misspelt(kind, frozenset(vars(evidence.problem))):
        evidence.doubt("no_method_is_misspelt", note)
    yield from ()


#: Index of the point at which answers are compared.
POINT = 3
#: The words for answers that differ in the copies that workers get.
SENT = "in a copy of the initialized problem, as other processes get it"
#: The remedy.
OVERWRITE = "a call must overwrite what earlier calls learned"


@law(BASIC)
def initialize_is_repeatable(evidence: Evidence) -> Iterator[Finding]:
    """initialize depends only on the data of its last call, and leaves parameters unchanged."""
    assert evidence.calls  # initialized
    if message := next(filter(None, _differences(evidence)), ""):
        kind: Any = type(evidence.problem)
        own = kind.__getstate__ is not Problem.__getstate__ and SENT in message
        yield Finding("__getstate__" if own else "initialize", None, message)
        return
    for name in inspect.signature(type(evidence.problem)).parameters:
        before, after = (getattr(at, name, None) for at in (evidence.untouched, evidence.problem))
        if not same(before, after):
            message = (
                f"it changed the parameter {name} from {short(before)} to {short(after)}; store "
                f"what is learned under another name, such as {name}_"
            )
            yield Finding("initialize", None, message)


def _differences(evidence: Evidence) -> Iterator[str]:
    """Yield messages about copies initialized with the same data; '' if the copies agree."""
    everything, some = range(n_examples(evidence.X)), evidence.first_half
    often, once, twice = (copied(evidence.untouched) for _ in range(3))
    for rows in (some, everything[len(some) :]):
        attempted(evidence.initialized, rows, often)
    for problem in (often, often, once, twice):
        _, error = attempted(evidence.initialized, everything, problem)
        if error:
            yield f"with all of the data {describe(error, problem, 'initialize')}"
            return
    w = evidence.visits[min(POINT, len(evidence.visits) - 1)].w
    when = "in another copy with the same data; seed what is random"
    yield _difference(evidence, (once, twice), everything, w, when)
    when = f"after earlier calls with parts of the data and all; {OVERWRITE}"
    yield _difference(evidence, (once, often), everything, w, when)
    sent, error = attempted(copied, once)
    if not error:  # some problems cannot be copied; see problem_can_be_pickled
        yield _difference(evidence, (once, sent), everything, w, SENT)
    late, error = attempted(evidence.initialized, some)
    if evidence.early is None or error or attempted(evidence.initialized, some, often)[1]:
        return
    direction = np.random.default_rng(0).standard_normal(late.size_joint_feature)
    w = float(np.linalg.norm(w)) * direction
    when = f"after an earlier call with more data; {OVERWRITE}"
    yield _difference(evidence, (late, often), some, w, when)
    when = "after calls for other copies of the problem; keep what is learned in self, not in its "
    yield _difference(evidence, (evidence.early, late), some, w, f"{when}class or module")


def _difference(
    evidence: Evidence, copies: tuple[Problem, Problem], rows: range, w: Vector, when: str
) -> str:
    """Return a message if the methods of two copies of the problem disagree, or ''."""
    for name in ("size_joint_feature", *NUMBERS):
        before, after = (getattr(copy, name, None) for copy in copies)
        if not same(before, after):
            return f"{name} was {short(before)} and is {short(after)} {when}"
    calls = list(evidence.progress.trials(_calls(evidence, rows, w)))
    ones, others = ([_answer(copy, *call) for call in calls] for copy in copies)
    differing = [calls[k][0] for k in range(len(calls)) if _differ(ones[k], others[k])]
    # A method that is random or keeps a state is no mistake of initialize.
    for copy, answers in zip(copies, (ones, others), strict=True) if differing else ():
        if any(
            _differ(before, _answer(copy, *call))
            for before, call in zip(answers, calls, strict=True)
        ):
            return ""
    return f"what {differing[0]} returns changes {when}" if differing else ""


def _answer(problem: Problem, method: str, arguments: tuple[Any, ...]) -> Any:
    """Return the value of a call, with numbers as an array.

    After an error, return the error's type.
    """

    def answer() -> Any:
        found = own(getattr(problem, method)(*own(arguments)))
        return real_array(found) if method in ("joint_feature", "loss") else found

    found, error = attempted(answer)
    return type(error) if error else found


def _calls(evidence: Evidence, rows: range, w: Vector) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield calls of the required methods at w, for the examples in ``rows``."""
    _, labels, found = evidence.visits[min(POINT, len(evidence.visits) - 1)]
    for i, (y, entry) in enumerate(zip(labels, found["decode"], strict=True)):
        if y is None or entry is None or evidence.calls.name(i) not in rows:
            continue
        x = evidence.calls.x[i]
        for z in (y, entry[1]):
            yield "joint_feature", (x, z)
            yield "loss", (y, z)
        yield "decode", (x, w)
        yield "separation_oracle", (x, y, w)


def _differ(first: Any, second: Any) -> bool:
    numbers = isinstance(first, np.ndarray) and isinstance(second, np.ndarray)
    if numbers and first.shape == second.shape and first.dtype.kind == "f":
        if np.array_equal(first, second, equal_nan=True):  # single_calls_succeed reports NaN
            return False
        return not (np.isfinite([first, second]).all() and close(first, second, ROUNDING))
    return bool(key(first) != key(second))


@law(BASIC)
def problem_can_be_pickled(evidence: Evidence) -> Iterator[Finding]:
    """A problem with parallelism = "processes" can be pickled.

    If pickling fails, a note is added, not an error.
    """
    assert evidence.calls  # initializes the problem, since what it stores is pickled too
    if evidence.problem.parallelism == "processes":
        _, error = attempted(cloudpickle.dumps, evidence.problem)
        if error:
            evidence.doubt(
                "problem_can_be_pickled",
                f"n_jobs needs a problem that can be pickled, or parallelism = 'threads', and so "
                f"does saving a fitted estimator: {type(error).__name__}: {error}",
            )
    yield from ()


@law(BASIC, "example_data")
def example_data_is_accepted(evidence: Evidence) -> Iterator[Finding]:
    """initialize accepts the data from example_data, and joint_feature accepts one example."""
    # As the command does, construct the problem without parameters.
    problem, refused = attempted(type(evidence.problem))
    _, error = attempted(lambda: initialize(problem, *problem.example_data()))
    if error and not refused:
        message = f"what it returns cannot be used: {describe(error, problem, 'example_data')}"
        yield Finding("example_data", None, message)
