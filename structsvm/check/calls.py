"""Calling a problem's methods one example at a time; a fault is noted and the rest goes on."""

from __future__ import annotations

import inspect
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from structsvm.check.copies import own, same
from structsvm.containers import take
from structsvm.exceptions import StructSVMError
from structsvm.problem import Problem, SelfLabelledProblem

#: How often x and y are compared around a call, for each method and example; w always is.
WATCHED_CALLS = 5


class Finding(NamedTuple):
    """A fault: the method, the example and what is wrong.

    Attributes
    ----------
    method : str
        Name of the method, or of the attribute, that is at fault.
    example : int or None
        Index in the X given of the first example that shows it; None where it concerns them all.
    message : str
        What was expected, what came, and the mend.
    more : int, default=0
        How many further examples show a fault of the same method.
    """

    method: str
    example: int | None
    message: str
    more: int = 0

    def __str__(self) -> str:
        if self.example is None:
            return f"{self.method}: {self.message}"
        more = f" and {self.more} more" if self.more else ""
        return f"{self.method} (example {self.example}{more}): {self.message}"


class Calls:
    """A problem's methods over some examples, each call checked.

    Parameters
    ----------
    problem : Problem
        Initialized.
    X, Y : sequences
        The user's; copied, so that a method that changes them does no harm.
    index : ndarray of int
        The examples to use. A method is called for example ``index[i]`` by its place i.

    Attributes
    ----------
    faults, changes : list of Finding
        Calls that raised or returned what they must not; calls that changed an argument.
    """

    def __init__(self, problem: Problem, X: Any, Y: Any, index: Any) -> None:
        self.problem, self.index, self.n = problem, index, len(index)
        self.size = int(problem.size_joint_feature)
        self._X, self._Y = X, Y
        self.x = [own(X[int(i)]) for i in index]
        self.y = [None] * self.n if Y is None else [own(Y[int(i)]) for i in index]
        self.faults: list[Finding] = []
        self.changes: list[Finding] = []
        self._calls: Counter = Counter()
        self._changers: set[str] = set()

    def output(self, method: str, i: int, *arguments: Any) -> Any:
        """What an oracle or the decoder returned for example i; None after a fault."""
        raised, output = self.call(method, i, *arguments)
        if not raised and output is None:
            self.fault(method, i, "it returned None; an output is expected, for every w")
        return output

    def numbers(self, method: str, i: int, shape: tuple[int, ...], *arguments: Any) -> Any:
        """What the method returned as finite float64 of this shape; None after a fault."""
        raised, value = self.call(method, i, *arguments)
        if raised:
            return None
        array, problem = as_numbers(value, shape)
        if problem:
            sized = shape == (self.size,) and "expected" in problem
            self.fault(method, i, problem + (" (size_joint_feature)" if sized else ""))
        return array

    def call(self, method: str, i: int, *arguments: Any) -> tuple[bool, Any]:
        """Whether the call raised, and what came back."""
        self._calls[method, i] += 1
        watched = self._calls[method, i] <= WATCHED_CALLS or method in self._changers
        given = [
            own(value) if watched or _is_vector(value, self.size) else value for value in arguments
        ]
        try:
            raised, value = False, getattr(self.problem, method)(*given)
        except Exception as error:
            raised, value = True, None
            self.fault(method, i, describe(error))
        self._note_changes(method, i, arguments, given)
        return raised, value

    def fault(self, method: str, i: int | None, message: str) -> None:
        self.faults.append(Finding(method, self.name(i), message))

    def name(self, i: int | None) -> int | None:
        """Where the user's X has example i."""
        return None if i is None else int(self.index[i])

    def examples(self, rows: Any) -> tuple[Any, Any]:
        """X and Y of some examples in the user's kind of container, as batch forms get them."""
        places = [int(i) for i in self.index[rows]]
        return own(take(self._X, places)), None if self._Y is None else own(take(self._Y, places))

    def _note_changes(self, method: str, i: int, before: Iterable, after: Iterable) -> None:
        for name, old, new in zip(argument_names(method), before, after, strict=False):
            if not same(old, new):
                self._changers.add(method)
                self.changes.append(
                    Finding(
                        method,
                        self.name(i),
                        f"it changed its argument {name} in place; work on a copy",
                    )
                )


def as_numbers(value: Any, shape: tuple[int, ...]) -> tuple[Any, str]:
    """The value as a finite array, or None and what is wrong with it."""
    expected = "a number" if shape == () else f"an array of shape {shape}"
    if value is None:
        return None, f"it returned None; expected {expected}"
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return None, f"it returned {short(value)}, a {type(value).__name__}; expected {expected}"
    if array.shape != shape:
        return None, f"it returned an array of shape {array.shape}; expected {expected}"
    if not np.isfinite(array).all():
        where = "" if shape == () else f" at position {np.flatnonzero(~np.isfinite(array))[0]}"
        return None, f"it returned NaN or infinity{where}; every value must be finite"
    return array, ""


def describe(error: Exception) -> str:
    """The error, and the line of the user's file that it came from."""
    if isinstance(error, (NotImplementedError, StructSVMError)) and str(error):
        return str(error)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"it raised {type(error).__name__} ({Path(frame.filename).name}:{frame.lineno}): {error}"


@cache
def argument_names(method: str) -> list[str]:
    """The names of a method's arguments in the contract."""
    return list(inspect.signature(getattr(SelfLabelledProblem, method)).parameters)[1:]


def first_of_each(findings: Iterable[Finding]) -> Iterator[Finding]:
    """One finding for every method: its first, and how many more examples are at fault."""
    by_method: dict[str, list[Finding]] = {}
    for finding in findings:
        by_method.setdefault(finding.method, []).append(finding)
    for found in by_method.values():
        examples = {finding.example for finding in found} - {None}
        yield found[0]._replace(more=max(0, len(examples) - 1))


def short(value: Any) -> str:
    """A value for a message, on one line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."


def _is_vector(value: Any, size: int) -> bool:
    return isinstance(value, np.ndarray) and value.shape == (size,)
