"""Call a problem's methods one example at a time; an error is recorded and the checks go on."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.check.copies import own, same
from structsvm.check.progress import Progress
from structsvm.check.raised import describe, pass_on
from structsvm.contract.problem import Problem
from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.data.containers import take
from structsvm.objective.rounding import LARGEST
from structsvm.oracle.call import real_array

#: Characters of a value that a message shows.
SHORT_LENGTH = 60


class Finding(NamedTuple):
    """An error in a problem: the method, the example and what is wrong.

    Attributes
    ----------
    method : str
        Name of the method or attribute that is wrong.
    example : int or None
        Index in X of the first example that shows it; None if it concerns all of them.
    message : str
        What was expected, what was found, and what to do.
    more : int, default=0
        Number of further examples that show an error of the same method.
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
        The user's data; examples are copied, so that a method that changes them does no harm.
    index : ndarray of int
        The examples to use. Methods below take the position i of an example in ``index``.
    progress : Progress
        Counts the calls.

    Attributes
    ----------
    errors : list of Finding
        Calls that raised or returned an invalid value.
    changes : list of Finding
        Calls that changed an argument in place.
    """

    def __init__(self, problem: Problem, X: Any, Y: Any, index: Any, progress: Progress) -> None:
        self.problem, self.index, self.n = problem, index, len(index)
        self.progress = progress
        self.size = int(problem.size_joint_feature)
        self._X, self._Y = X, Y
        self.x = [own(X[int(i)]) for i in index]
        self.y = [None] * self.n if Y is None else [own(Y[int(i)]) for i in index]
        self.errors: list[Finding] = []
        self.changes: list[Finding] = []
        self.kinds: dict[str, set[bool]] = {}
        self._calls: Counter = Counter()
        self._returned: dict[str, tuple[Any, Any]] = {}
        self._changers: set[str] = set()

    def output(self, method: str, i: int, *arguments: Any) -> Any:
        """Return the output that a search finds for example i; None after an error."""
        raised, output = self.call(method, i, *arguments)
        if not raised and output is None:
            self.report(method, i, "it returned None; an output is expected, for every w")
        if isinstance(output, Iterator):
            kind = type(output).__name__
            self.report(
                method, i, f"it returned a {kind}, which can be read only once; return a list of it"
            )
            return None
        return output

    def numbers(self, method: str, i: int, shape: tuple[int, ...], *arguments: Any) -> Any:
        """Return the method's value as finite float64 of this shape; None after an error."""
        raised, value = self.call(method, i, *arguments)
        if raised:
            return None
        self.kinds.setdefault(method, set()).add(sparse.issparse(value))
        array, message = as_numbers(value, shape)
        if message:
            sized = shape == (self.size,) and "expected" in message
            self.report(method, i, message + (" (size_joint_feature)" if sized else ""))
        return array

    def call(self, method: str, i: int, *arguments: Any) -> tuple[bool, Any]:
        """Return whether the call raised, and its value."""
        self._calls[method, i] += 1
        # Copies of x and y are compared with them around ever fewer calls, since that is slow.
        count = self._calls[method, i]
        watched = count & (count - 1) == 0 or method in self._changers
        given = [
            own(value) if watched or _is_vector(value, self.size) else value for value in arguments
        ]
        value, error = self.attempt(method, *given)
        if error:
            self.report(method, i, error)
        self._note_changes(method, i, arguments, given)
        if watched and (message := self.reused(method, value)):
            self.changes.append(Finding(method, self.name(i), message))
        return bool(error), value

    def attempt(self, method: str, *given: Any) -> tuple[Any, str]:
        """Return the method's value and '', or None and what it raised."""
        self.progress.call(method)
        try:
            return getattr(self.problem, method)(*given), ""
        except Exception as error:
            pass_on(error)
            return None, describe(error, self.problem, method)

    def report(self, method: str, i: int | None, message: str) -> None:
        """Record an error of a method for example i."""
        self.errors.append(Finding(method, self.name(i), message))

    def name(self, i: int | None) -> int | None:
        """Return the index of example i in the user's X."""
        return None if i is None else int(self.index[i])

    def given(self) -> tuple[Any, Any]:
        """Return X and Y of all these examples in the user's containers."""
        index = [int(i) for i in self.index]
        return own(take(self._X, index)), None if self._Y is None else own(take(self._Y, index))

    def prepared(self, rows: Any) -> tuple[Any, Any]:
        """Return X and Y of some examples as batch forms get them: taken from what prepare made."""
        return own([data if data is None else take(data, rows) for data in self._prepared])

    @cached_property
    def _prepared(self) -> tuple[Any, Any]:
        X, Y = self.problem.prepare(*self.given())
        return X, Y

    def reused(self, method: str, value: Any) -> str:
        """Return what is wrong where a call changed what an earlier call returned, or ''."""
        before = self._returned.get(method, (None, None))
        self._returned[method] = own(value), value
        if same(*before):
            return ""
        return (
            "what it returned earlier has changed since; return a new object, not one that is "
            "reused"
        )

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
    """Return the value as a finite float64 array and '', or None and what is wrong with it."""
    expected = "a number" if shape == () else f"an array of shape {shape}"
    if value is None:
        return None, f"it returned None; expected {expected}"
    try:
        array = real_array(value)
    except TypeError as error:
        return None, f"it returned {short(value)}, {error}; expected {expected}"
    if array.shape != shape:
        return None, f"it returned an array of shape {array.shape}; expected {expected}"
    if not np.isfinite(array).all():
        where = "" if shape == () else f" at position {np.flatnonzero(~np.isfinite(array))[0]}"
        return None, f"it returned NaN or infinity{where}; every value must be finite"
    largest = float(np.abs(array).max(initial=0.0))
    if largest > LARGEST:
        return None, f"it returned {largest:.0e}, whose square overflows; values near 1 are best"
    return array, ""


@cache
def argument_names(method: str) -> list[str]:
    """Return the names of a method's arguments in the contract."""
    # The class with all methods of the contract; [1:] leaves out self.
    return list(inspect.signature(getattr(SelfLabelledProblem, method)).parameters)[1:]


def first_of_each(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield the first finding of each method, with the number of further examples that have one."""
    by_method: dict[str, list[Finding]] = {}
    for finding in findings:
        by_method.setdefault(finding.method, []).append(finding)
    for found in by_method.values():
        examples = {finding.example for finding in found} - {None}
        yield found[0]._replace(more=max(0, len(examples) - 1))


def short(value: Any) -> str:
    """Return the value's repr for a message, on one line and shortened."""
    text = " ".join(repr(value).split())
    return text if len(text) <= SHORT_LENGTH else text[: SHORT_LENGTH - 3] + "..."


def _is_vector(value: Any, size: int) -> bool:
    return isinstance(value, np.ndarray) and value.shape == (size,)
