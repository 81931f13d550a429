"""Call the methods of a problem and its task as training does, and record their errors."""

from __future__ import annotations

import copy
import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, wraps
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.check.equality import own, same
from structsvm.check.findings import (
    PASSED_ON,
    Finding,
    attempted,
    describe,
    named,
    pass_on,
    task_method,
)
from structsvm.check.progress import Progress
from structsvm.contract.latent import LatentProblem
from structsvm.contract.problem import Problem
from structsvm.data.arrays import Vector
from structsvm.data.containers import take
from structsvm.exceptions import ProblemError
from structsvm.networks import NetworkLayers
from structsvm.objective.rounding import LARGEST
from structsvm.task.call import Call, checked, read_only
from structsvm.task.task import Task
from structsvm.task.watched import Watched

#: The message about a returned object that changes later.
CHANGED = "what it returned earlier has changed since; return a new object, not one that is reused"


class Calls:
    """Checked calls of a problem's methods, for some examples.

    Parameters
    ----------
    problem : Problem
        The problem, initialized.
    X, Y : sequences
        The user's data. The examples are copied before each call. The problem's methods cannot
        change the user's examples.
    index : ndarray of int
        The indices of the examples to use. The argument ``i`` of the methods is a position in
        ``index``.
    progress : Progress
        The progress bar, which counts the calls.

    Attributes
    ----------
    errors : list of Finding
        Findings about calls that raised an exception or returned an invalid value.
    changes : list of Finding
        Findings about calls that changed an argument in place.
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
        self._calls: Counter[tuple[str, int]] = Counter()
        self._returned: dict[str, tuple[Any, Any]] = {}
        self._changers: set[str] = set()
        #: Number of observed task methods that are currently running, nested in each other.
        self.running = 0

    def output(self, method: str, i: int, *arguments: Any) -> Any:
        """Return the output that a search finds for the i-th example, or None after an error."""
        try:
            output = self.call(method, i, *arguments)
            if isinstance(output, Iterator):
                raise ProblemError(
                    f"{method} returned a {type(output).__name__}, which can be read only once; "
                    "return a list of it"
                )
            if output is None:
                raise ProblemError(f"{method} returned None; expected an output")
            return output
        except ProblemError as error:
            self.report(method, error, i)

    def search(self, method: str, i: int, label: Any, w: Vector) -> Any:
        """Call a search of the problem and return its output, or None after an error."""
        given = (self.x[i], w) if method == "decode" else (self.x[i], label, w)
        return self.output(method, i, *given)

    def numbers(
        self,
        method: str,
        i: int,
        shape: tuple[int, ...],
        *arguments: Any,
        names: Sequence[str] = (),
    ) -> Any:
        """Return a method's value as a finite float64 array of ``shape``, or None after an error.

        The last arguments are outputs, one for each of ``names``. An error message shows each
        output with its name.
        """
        try:
            value = self.call(method, i, *arguments)
            self.kinds.setdefault(method, set()).add(sparse.issparse(value))
            return as_numbers(method, value, shape)
        except ProblemError as error:
            outputs = arguments[len(arguments) - len(names) :]
            self.report(method, error, i, named(names, outputs))

    def call(self, method: str, i: int, *arguments: Any) -> Any:
        """Return the method's value for the i-th example.

        Raise a ProblemError if the method fails.
        """
        self._calls[method, i] += 1
        # Arguments are copied and compared around ever fewer calls, since comparing is slow. In
        # other calls w is read-only, as in training, since a method may change it and change it
        # back.
        compared = self._calls[method, i].bit_count() == 1 or method in self._changers
        given = [own(value) if compared else self._as_in_training(value) for value in arguments]
        try:
            value = self.attempt(method, *given)
        finally:
            if compared and (messages := changed(method, arguments, given)):
                self._changers.add(method)
                # If a method that this one calls changes the arguments, the inner method is to
                # blame.
                inner: list[Finding] = []
                attempted(getattr(watched(self.problem, inner), method), *own(arguments))
                found = inner[:1] or [Finding(method, None, message) for message in messages]
                self.changes += [finding._replace(example=self.name(i)) for finding in found]
        if compared and (message := self.reused(method, value)):
            self.changes.append(self.finding(method, message, i))
        return value

    def attempt(self, method: str, *given: Any) -> Any:
        """Return the method's value; raise a ProblemError if the method fails."""
        self.progress.call(method)
        with Call(self.problem, method, propagates=(ProblemError, *PASSED_ON)):
            return getattr(self.problem, method)(*given)

    def report(self, method: str, found: str | Exception, i: int, case: str = "") -> None:
        """Record an error of a method for the i-th example."""
        self.errors.append(self.finding(method, found, i)._replace(case=case))

    def finding(self, method: str, found: str | Exception, i: int | None = None) -> Finding:
        """Return an error or a message about a method as a finding, for one or all examples.

        A dot before the name ``method`` marks a method of the task.
        """
        method = self.name_of(method[1:]) if method[0] == "." else method
        if isinstance(found, Exception):
            pass_on(found)
            found = describe(found, self.problem, method)
        return Finding(method, self.name(i), found)

    def name(self, i: int | None) -> int | None:
        """Return the index of the i-th example in the user's X."""
        return None if i is None else int(self.index[i])

    @cached_property
    def task(self) -> Watched:
        """The task of all examples, made only once, as in training."""
        return self.bound(self._Y)

    def bound(self, Y: Any) -> Watched:
        """Make the task of all examples, with the outputs Y, or without outputs if Y is None.

        Raise a ProblemError if the task cannot be made. Findings about changed arguments are added
        to ``changes``.
        """
        index = [int(i) for i in self.index]
        arguments = take(self._X, index), None if Y is None else take(Y, index)
        given = own(arguments)
        self.progress.call("task")
        made = Watched.of(self.problem, given[0], given[1], self.index)
        self.changes += [Finding("task", None, each) for each in changed("task", arguments, given)]
        made.task, made.judges = _observed(made.task, self), False
        return made

    @property
    def task_kind(self) -> type[Task]:
        """The class of the problem's task.

        If the task cannot be made, the value is the base class Task.
        """
        task, _ = attempted(lambda: self.task)
        return Task if task is None else type(task.task).__mro__[1]

    def name_of(self, method: str) -> str:
        """Return the name of a task's method in findings: "task" if it is inherited from Task."""
        return "task" if method == "task" else task_method(self.task_kind, method)

    def is_tested(self, method: str) -> bool:
        """Whether the task overrides ``method``, or one of the methods that store the examples."""
        methods = (method, "__init__", "part", "with_labels")
        return any(self.name_of(name) != "task" for name in methods)

    def _as_in_training(self, value: Any) -> Any:
        is_w = isinstance(value, np.ndarray) and value.shape == (self.size,)
        return read_only(value) if is_w else value

    def reused(self, method: str, value: Any) -> str:
        """Return a message if this call changed the return value of an earlier call, or ''."""
        before = self._returned.get(method, (None, None))
        self._returned[method] = own(value), value
        return "" if same(*before) else CHANGED


def as_numbers(method: str, value: Any, shape: tuple[int, ...]) -> Vector:
    """Convert the value that a method returned to an array, as training does.

    Raise a ProblemError if the value or its square is invalid.
    """
    array = checked(method, value, shape)
    largest = float(np.abs(array).max(initial=0.0))
    if largest > LARGEST:
        raise ProblemError(
            f"{method} returned {largest:.0e}, whose square overflows; values near 1 are best"
        )
    return array


def _methods(*kinds: type) -> dict[str, Callable[..., Any]]:
    """Return the public methods of some classes, including optional methods, as plain functions."""
    bases = [base for kind in kinds for base in reversed(kind.__mro__)]
    members = {name: value for base in bases for name, value in vars(base).items()}
    functions = {name: getattr(value, "method", value) for name, value in members.items()}
    return {name: found for name, found in functions.items() if name[0] != "_" and callable(found)}


#: All methods of a problem that users write.
METHODS = _methods(LatentProblem, NetworkLayers)
TASK_METHODS = _methods(Task)
#: Methods of a task that return other tasks or objects of users' classes.
RETURN_OBJECTS = ("part", "with_labels", "axes")


def watched(problem: Problem, found: list[Finding]) -> Problem:
    """Return a shallow copy of the problem, with methods that report changed arguments.

    If a method calls another method that changes arguments, the first finding blames the called
    method.
    """
    watching = object.__new__(type(problem))
    watching.__dict__.update(problem.__dict__)
    for name in METHODS:
        if getattr(problem, name, None) is not None:
            setattr(watching, name, _watching(name, getattr(watching, name), found))
    return watching


def _watching(name: str, method: Callable[..., Any], found: list[Finding]) -> Callable[..., Any]:
    @wraps(method)
    def watching(*given: Any, **named: Any) -> Any:
        before = own(given)
        try:
            return method(*given, **named)
        finally:
            found.extend(Finding(name, None, each) for each in changed(name, before, given))

    return watching


def _observed(task: Task, calls: Calls) -> Task:
    """Return a copy of the task, with methods that report whether they change their arguments."""
    kind, seen = type(task), copy.copy(task)
    own_methods = {
        name: _observing(task_method(kind, name), name, getattr(kind, name), calls)
        for name in TASK_METHODS
        if task_method(kind, name) != "task" and callable(getattr(kind, name))
    }
    seen.__class__ = type(kind.__name__, (kind,), {**own_methods, "__module__": kind.__module__})
    return seen


def _observing(
    label: str, name: str, method: Callable[..., Any], calls: Calls
) -> Callable[..., Any]:
    @wraps(method)
    def observing(task: Any, *given: Any) -> Any:
        calls.progress.call(label)
        held, reported = (task.X, task.Y), len(calls.changes)
        messages: list[str] = []
        arguments, (task.X, task.Y) = own((given, held))  # copies may be changed without harm
        if name == "pool_outputs":  # a separate check shows whether an earlier pool has changed
            arguments, given = given, arguments
        calls.running += 1
        try:
            value = method(task, *arguments)
            if calls.running == 1 and name not in RETURN_OBJECTS:
                messages += filter(None, [calls.reused(label, value)])
            return value
        finally:
            calls.running -= 1
            messages += changed(name, given, arguments, TASK_METHODS)
            held_changed = changed("task", held, (task.X, task.Y))
            messages += [each.replace("argument", "task's") for each in held_changed]
            task.X, task.Y = held
            if len(calls.changes) == reported:  # otherwise an inner method was reported
                calls.changes += [Finding(label, None, message) for message in messages[:1]]

    return observing


def changed(
    method: str, before: Iterable[Any], after: Iterable[Any], methods: Any = None
) -> list[str]:
    """Return a message for each argument that a method changed in place.

    The messages take the names of the arguments from the functions in the dictionary ``methods``.
    By default, ``methods`` holds the methods that a problem may define.
    """
    names = [*inspect.signature((methods or METHODS)[method]).parameters][1:]  # without self
    return [
        f"it changed its argument {name} in place; work on a copy"
        for name, old, new in zip(names, before, after, strict=False)
        if not same(old, new)
    ]
