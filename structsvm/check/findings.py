"""Findings of a check, and the exceptions that a user's code raises.

A finding names the method that is wrong, the example that shows it, and the reason; for an
exception this is the method that raised it, with the line in its file."""

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
    case : str, default=''
        The outputs of the example that show it.
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
    """The problem cannot be checked at all; its argument is the finding with the reason."""


def first_of_each(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield the first finding of each method, with the number of further examples that have one."""
    by_method: dict[str, list[Finding]] = {}
    for finding in findings:
        by_method.setdefault(finding.method, []).append(finding)
    for found in by_method.values():
        examples = {finding.example for finding in found} - {None}
        yield found[0]._replace(more=max(0, len(examples) - 1))


def merged(findings: Iterable[Finding]) -> list[Finding]:
    """One finding for each method and message, where several checks found the same."""
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
    """Return what arguments are, for a message: ``y is 0, and y_hat is 1``."""
    pairs = zip(names, values, strict=True)
    return ", and ".join(f"{name} is {short(value)}" for name, value in pairs)


#: Exceptions that stop the checks instead of becoming findings: a lack of memory, warnings that the
#: caller turned into errors, and a problem that cannot be checked at all.
PASSED_ON = (MemoryError, Warning, Unusable)
#: The package of the checks.
CHECKS = __name__.rpartition(".")[0]
#: Modules whose classes say what the contract is.
CONTRACT = {base.__module__ for base in (*SelfLabelledProblem.__mro__, Task)}


def attempted(function: Callable[..., Any], *given: Any) -> tuple[Any, Exception | None]:
    """Call what runs a user's code; return its value and None, or None and what it raised."""
    try:
        return function(*given), None
    except Exception as error:
        pass_on(error)
        return None, error


def pass_on(error: Exception) -> None:
    """Raise the error again, or the one that the engine reports by it, if it is no mistake."""
    for found in (error, error.__cause__):
        if isinstance(found, PASSED_ON):
            raise found


def describe(error: BaseException, problem: Problem, method: str) -> str:
    """Return the error's text and its line in the user's file.

    If no line of the user was running, as when the method takes other arguments, it is the line
    where the method begins.
    """
    cause = error.__cause__ or error
    # Texts written for the user: where structsvm raised them would not help.
    own_text = str(cause) and isinstance(cause, (NotImplementedError, StructSVMError))
    if own_text or isinstance(error, StructSVMError):
        text = str(cause if own_text else error).replace(f"; {CHECK}", "")
    else:
        text = f"{type(problem).__name__}.{method} raised {type(error).__name__}: {error}"
    place = "" if own_text else _running(cause, problem) or _beginning(problem, method)
    return f"{text} ({place})" if place else text


def broken_off(error: BaseException, problem: Problem, latest: str) -> Finding:
    """The finding of a check that could not go on.

    Blamed is the method that was running, else ``latest``: the one called last, whose value the
    check could not read.
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
    """The method of the problem or its task that was called and raised the error, or ''."""
    # An engine error that names the method was caused by the method's own error.
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
    """The name of a method of a task for messages; "task" where its class does not define it.

    A method that calls the problem's, for one example after another, fails where the task holds
    examples that these cannot read.
    """
    found = getattr(kind, method, None)
    is_plain = found is getattr(Task, method, None)
    return "task" if is_plain else f"{kind.__name__}.{method}"


def _frames(error: BaseException) -> Iterator[tuple[Any, Any]]:
    """The frames that were running, each with its first argument."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        code = frame.f_code
        yield frame, frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None


def _running(error: BaseException, problem: Problem) -> str:
    """The last line of the user's files that was running, or ''.

    The user's files lie beside the problem's classes; for a problem of structsvm, its own files.
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
    """The line where the method begins, or ''."""
    function: Any = getattr(type(problem), method, None)
    code = getattr(inspect.unwrap(function), "__code__", None)
    return f"{Path(code.co_filename).name}:{code.co_firstlineno}" if code else ""


def _lines(error: BaseException) -> list[tuple[str, str]]:
    """The modules that were running, each with its file and line."""
    return [
        (str(frame.f_globals.get("__name__", "")), f"{Path(frame.f_code.co_filename).name}:{line}")
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
