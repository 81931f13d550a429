"""Single calls of a problem's methods, as the engine makes them; an error is recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.check.copies import own, same
from structsvm.check.findings import Finding
from structsvm.check.progress import Progress
from structsvm.check.raised import PASSED_ON, attempted, describe, pass_on
from structsvm.check.watching import changed, watched
from structsvm.contract.problem import Problem
from structsvm.data.arrays import Vector
from structsvm.data.containers import take
from structsvm.exceptions import ProblemError
from structsvm.objective.rounding import LARGEST
from structsvm.oracle.block import Block
from structsvm.task.call import Call, checked, read_only


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
        try:
            output = self.call(method, i, *arguments)
            if isinstance(output, Iterator):
                raise ProblemError(
                    f"{method} returned a {type(output).__name__}, which can be read only once; "
                    "return a list of it"
                )
            return Call(self.problem, method).checked_outputs([output])[0]
        except ProblemError as error:
            self.errors.append(self.finding(method, error, i))
            return None

    def numbers(
        self, method: str, i: int, shape: tuple[int, ...], *arguments: Any, case: str = ""
    ) -> Any:
        """Return the method's value as finite float64 of this shape; None after an error.

        ``case`` names the outputs, for the message.
        """
        try:
            value = self.call(method, i, *arguments)
            self.kinds.setdefault(method, set()).add(sparse.issparse(value))
            return as_numbers(method, value, shape)
        except ProblemError as error:
            self.errors.append(self.finding(method, error, i)._replace(case=case))
            return None

    def call(self, method: str, i: int, *arguments: Any) -> Any:
        """Return the method's value for example i; a ProblemError where it raises an exception."""
        self._calls[method, i] += 1
        # Copies of x and y are compared with them around ever fewer calls, since that is slow.
        # Elsewhere w is read-only, as in training, since a method may change it and change it back.
        count = self._calls[method, i]
        compared = count & (count - 1) == 0 or method in self._changers
        given = [own(value) if compared else self._as_in_training(value) for value in arguments]
        try:
            value = self.attempt(method, *given)
        finally:
            if compared and (messages := changed(method, arguments, given)):
                self._changers.add(method)
                self.changes += self._innermost(method, i, arguments, messages)
        if compared and (message := self._reused(method, value)):
            self.changes.append(Finding(method, self.name(i), message))
        return value

    def batch(self, method: str, *arguments: Any) -> Any:
        """Return the value of a batch form; a ProblemError where the call breaks the contract."""
        given = own(arguments)
        value = self.attempt(method, *given)
        for message in changed(method, arguments, given):
            raise ProblemError(message)
        if message := self._reused(method, value):
            raise ProblemError(message)
        return value

    def attempt(self, method: str, *given: Any) -> Any:
        """Return the method's value; a ProblemError where it raises an exception."""
        self.progress.call(method)
        with Call(self.problem, method, propagates=(ProblemError, *PASSED_ON)):
            return getattr(self.problem, method)(*given)

    def report(self, method: str, i: int, message: str, case: str = "") -> None:
        """Record an error of a method for example i."""
        self.errors.append(Finding(method, self.name(i), message, case=case))

    def finding(self, method: str, error: Exception, i: int | None = None) -> Finding:
        """Return the error of a method, for example i or for all, as a finding."""
        pass_on(error)
        return Finding(method, self.name(i), describe(error, self.problem, method))

    def name(self, i: int | None) -> int | None:
        """Return the index of example i in the user's X."""
        return None if i is None else int(self.index[i])

    def given(self, rows: Any = slice(None)) -> tuple[Any, Any]:
        """Return X and Y of these examples, or some of them, in the user's containers."""
        index = [int(i) for i in self.index[rows]]
        return own(take(self._X, index)), None if self._Y is None else own(take(self._Y, index))

    def prepared(self, rows: Any) -> tuple[Any, Any]:
        """Return X and Y of some examples as batch forms get them: taken from what prepare made."""
        return own([data if data is None else take(data, rows) for data in self._prepared])

    @cached_property
    def _prepared(self) -> tuple[Any, Any]:
        block = Block(self.problem, *self.given(), self.index)
        return block.X, block.Y

    def _as_in_training(self, value: Any) -> Any:
        is_w = isinstance(value, np.ndarray) and value.shape == (self.size,)
        return read_only(value) if is_w else value

    def _innermost(
        self, method: str, i: int, arguments: tuple[Any, ...], messages: list[str]
    ) -> list[Finding]:
        """Findings about arguments that a method changed, or another method that it calls."""
        inner: list[Finding] = []
        attempted(getattr(watched(self.problem, inner), method), *own(arguments))
        found = inner[:1] or [Finding(method, None, message) for message in messages]
        return [finding._replace(example=self.name(i)) for finding in found]

    def _reused(self, method: str, value: Any) -> str:
        """Return what is wrong where a call changed what an earlier call returned, or ''."""
        before = self._returned.get(method, (None, None))
        self._returned[method] = own(value), value
        if same(*before):
            return ""
        return (
            "what it returned earlier has changed since; return a new object, not one that is "
            "reused"
        )


def as_numbers(method: str, value: Any, shape: tuple[int, ...]) -> Vector:
    """Return the value as the engine reads it; a ProblemError also where its squares overflow."""
    array = checked(method, value, shape)
    largest = float(np.abs(array).max(initial=0.0))
    if largest > LARGEST:
        raise ProblemError(
            f"{method} returned {largest:.0e}, whose square overflows; values near 1 are best"
        )
    return array
