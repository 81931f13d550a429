"""The findings of a check, and the exceptions that a user's code raises.

A finding says which method has an error, which example shows the error, and what is wrong. If an
exception was raised, the finding also names the line of the user's file that raised it.
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from structsvm.contract.problem import Problem
from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.exceptions import StructSVMError
from structsvm.task.advice import CHECK, OWN
from structsvm.task.task import Task

#: The origin of true outputs.
TRUTH = "the truth"
#: Largest number of characters of a value in a message.
SHORT_LENGTH = 60


class Finding(NamedTuple):
    """An error in a problem: the method, the example and a message.

    Attributes
    ----------
    method : str
        Name of the method or attribute that is wrong.
    example : int or None
        Index in X of the first example that shows the error; None if the error concerns all
        examples.
    message : str
        What was expected, what was found, and advice.
    more : int, default=0
        Number of further examples that show an error in the same method.
    case : str, default=''
        The outputs that show the error in this example.
    """

    method: str
    example: int | None
    message: str
    more: int = 0
    case: str = ""

    def __str__(self) -> str:
        more = f" and {self.more} more" if self.more else ""
        place = "" if self.example is None else f" (example {self.example}{more})"
        case = f"; here {self.case}" if self.case else ""
        return f"{self.method}{place}: {self.message}{case}"


class Unusable(Exception):
    """The exception for a problem that cannot be checked.

    The argument of the exception is the finding.
    """


def first_of_each(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield each method's first finding, with the number of later examples that have a finding."""
    by_method: dict[str, list[Finding]] = {}
    for finding in findings:
        by_method.setdefault(finding.method, []).append(finding)
    for found in by_method.values():
        examples = {finding.example for finding in found} - {None}
        yield found[0]._replace(more=max(0, len(examples) - 1))


def merged(findings: Iterable[Finding]) -> list[Finding]:
    """Merge findings of several checks if method and message of the findings are equal."""
    first: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        same = first.setdefault((finding.method, finding.message), finding)
        if same.example is not None and finding.example not in (None, same.example):
            more = same.more + finding.more + 1
            first[finding.method, finding.message] = same._replace(more=more)
    return list(first.values())


def short(value: Any) -> str:
    """Return the value's repr for a message, on one line and shortened."""
    text = " ".join(repr(value).split())
    return text if len(text) <= SHORT_LENGTH else text[: SHORT_LENGTH - 3] + "..."


def named(names: Iterable[str], values: Iterable[Any]) -> str:
    """Return names and values of arguments for a message: ``y is 0, and y_hat is 1``."""
    pairs = zip(names, values, strict=True)
    return ", and ".join(f"{name} is {short(value)}" for name, value in pairs)


#: Exceptions that stop the checks instead of becoming findings: a lack of memory, warnings that the
#: caller turned into errors, and a problem that cannot be checked.
PASSED_ON = (MemoryError, Warning, Unusable)
#: The package of the checks.
CHECKS = __name__.rpartition(".")[0]
#: Modules whose classes define the contract.
CONTRACT = {base.__module__ for base in (*SelfLabelledProblem.__mro__, Task)}


def attempted(function: Callable[..., Any], *given: Any) -> tuple[Any, Exception | None]:
    """Call a function that runs a user's code; return (value, None), or (None, exception)."""
    try:
        return function(*given), None
    except Exception as error:
        pass_on(error)
        return None, error


def pass_on(error: Exception) -> None:
    """Raise the error again if it or its cause is one of `PASSED_ON`."""
    for found in (error, error.__cause__):
        if isinstance(found, PASSED_ON):
            raise found


def describe(error: BaseException, problem: Problem, method: str) -> str:
    """Return the error's text and the line of the user's file that raised the error.

    If no line of the user's code ran, as in a call with a wrong number of arguments, the first line
    of the method is returned.
    """
    cause = error.__cause__ or error
    # These texts are written for the user, so the line that raised them would not help.
    own_text = str(cause) and isinstance(cause, (NotImplementedError, StructSVMError))
    if own_text or isinstance(error, StructSVMError):
        text = str(cause if own_text else error).replace(f"; {CHECK}", "")
    else:
        text = f"{type(problem).__name__}.{method} raised {type(error).__name__}: {error}"
    place = "" if own_text else _running(cause, problem) or _beginning(problem, method)
    return f"{text} ({place})" if place else text


def broken_off(error: BaseException, problem: Problem, latest: str) -> Finding:
    """Return a finding about a check that was ended by an exception.

    The finding blames the method that was running. If no method was running, the finding blames
    ``latest``, the method that was called last. An exception outside all methods means that the
    check could not use a returned value.
    """
    running = method_running(error, problem)
    method = running or latest or "initialize"
    message = describe(error, problem, method)
    if not running and not isinstance(error, StructSVMError):
        checks = [place for module, place in _lines(error) if module.startswith(CHECKS)]
        place = _running(error, problem) or checks[-1]
        message = f"what it returned cannot be used: {type(error).__name__} ({place}): {error}"
    return Finding(method, None, message)


def method_running(error: BaseException, problem: Problem) -> str:
    """Return the name of the problem's or task's method that raised the error, or ''."""
    # An error of the engine that names the method has the method's error as its cause.
    for frame, own in _frames(error.__cause__ or error):
        name = frame.f_code.co_name
        if frame.f_globals.get("__name__") in CONTRACT:
            continue
        if isinstance(own, type(problem)) and hasattr(SelfLabelledProblem, name):
            return str(name)
        if isinstance(own, Task) and hasattr(Task, name):
            return task_method(type(own), name)
    return ""


def task_method(kind: type[Task], method: str) -> str:
    """Return a task's method for messages, as "Class.method", or "task" if inherited from Task.

    The methods of Task call the problem's methods for single examples. An error in a method that is
    inherited from Task is blamed on the problem's method "task", which gave the task wrong
    examples.
    """
    found = getattr(kind, method, None)
    return "task" if found is getattr(Task, method, None) else f"{kind.__name__}.{method}"


def _frames(error: BaseException) -> Iterator[tuple[Any, Any]]:
    """Yield the frames of the exception's traceback, each with its function's first argument."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        code = frame.f_code
        yield frame, frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None


def _running(error: BaseException, problem: Problem) -> str:
    """Return the last line of the user's files that ran before the exception, or ''.

    The user's files are the files of the packages that define the problem's classes. If the problem
    belongs to structsvm, the user's files are the modules that define the problem's classes.
    """
    tasks = {type(own) for _, own in _frames(error) if isinstance(own, Task)}
    kinds = {base for kind in (type(problem), *tasks) for base in kind.__mro__}
    modules = {base.__module__ for base in kinds} - CONTRACT
    packages = {module.partition(".")[0] for module in modules} - {OWN}
    lines = _lines(error)
    beside = [place for module, place in lines if module.partition(".")[0] in packages]
    own = [place for module, place in lines if module in modules]
    return (beside or own or [""])[-1]


def _beginning(problem: Problem, method: str) -> str:
    """Return the line where the method begins, or ''."""
    function: Any = getattr(type(problem), method, None)
    code = getattr(inspect.unwrap(function), "__code__", None)
    return f"{Path(code.co_filename).name}:{code.co_firstlineno}" if code else ""


def _lines(error: BaseException) -> list[tuple[str, str]]:
    """Return the modules of the exception's traceback, each with its file and line."""
    return [
        (str(frame.f_globals.get("__name__", "")), f"{Path(frame.f_code.co_filename).name}:{line}")
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
