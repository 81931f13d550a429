"""The checks of the class itself: its constructor, declarations, names and example data."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import cloudpickle
from sklearn.base import clone

from structsvm.check.evidence import Evidence
from structsvm.check.findings import Finding, short
from structsvm.check.raised import attempted, describe
from structsvm.contract.declarations import DECLARATIONS, missing_partners
from structsvm.contract.missing import misspelt
from structsvm.contract.problem import Problem
from structsvm.oracle.setup import initialize


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
    """Declared attributes have a value that the contract allows, and no method lacks its pair."""
    assert evidence.calls  # initialized: what initialize declares counts
    for name, allowed in DECLARATIONS.items():
        declared = getattr(evidence.problem, name)
        if declared not in allowed:
            yield Finding(name, None, f"it must be one of {allowed}; it is {declared!r}")
    for method, message in missing_partners(evidence.problem):
        yield Finding(method, None, f"it {message}")
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
    for note in misspelt(evidence.problem):
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
