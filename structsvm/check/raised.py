"""Exceptions that a user's code raises: which method it was, and the line in its file."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from structsvm.check.findings import Unusable
from structsvm.contract.problem import Problem
from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.exceptions import StructSVMError
from structsvm.task.advice import CHECK, OWN

#: Exceptions that stop the checks instead of becoming findings: a lack of memory, warnings that the
#: caller turned into errors, and a problem that cannot be checked at all.
PASSED_ON = (MemoryError, Warning, Unusable)
#: The package of the checks.
CHECKS = __name__.rpartition(".")[0]
#: Modules whose classes say what the contract is.
CONTRACT = {base.__module__ for base in SelfLabelledProblem.__mro__}


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
    if str(cause) and isinstance(cause, (NotImplementedError, StructSVMError)):
        return _without_advice(cause)
    place = _running(cause, problem) or _beginning(problem, method)
    if isinstance(error, StructSVMError):
        text = _without_advice(error)
    else:
        text = f"{type(problem).__name__}.{method} raised {type(error).__name__}: {error}"
    return f"{text} ({place})" if place else text


def _without_advice(error: BaseException) -> str:
    return str(error).replace(f"; {CHECK}", "")


def unusable(error: BaseException, problem: Problem) -> str:
    """Return the text of an error in a check that read what a method returned."""
    place = _running(error, problem) or _last_line(error)
    return f"what it returned cannot be used: {type(error).__name__} ({place}): {error}"


def method_running(error: BaseException, problem: Problem) -> str:
    """The method of the problem that was called and raised the error, or ''."""
    # An engine error that names the method was caused by the method's own error.
    for frame, _ in traceback.walk_tb((error.__cause__ or error).__traceback__):
        code = frame.f_code
        own = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
        user = frame.f_globals.get("__name__") not in CONTRACT
        if user and isinstance(own, type(problem)) and hasattr(SelfLabelledProblem, code.co_name):
            return code.co_name
    return ""


def _running(error: BaseException, problem: Problem) -> str:
    """The last line of the user's files that was running, or ''.

    The user's files lie beside the problem's classes; for a problem of structsvm, its own files.
    """
    lines = _lines(error)
    modules = {base.__module__ for base in type(problem).__mro__} - CONTRACT
    packages = {_package(module) for module in modules} - {OWN}
    for places in (
        [(file, number) for module, file, number in lines if _package(module) in packages],
        [(file, number) for module, file, number in lines if module in modules],
    ):
        if places:
            return _place(*places[-1])
    return ""


def _beginning(problem: Problem, method: str) -> str:
    """The line where the method begins, or ''."""
    function: Any = getattr(type(problem), method, None)
    code = getattr(inspect.unwrap(function), "__code__", None)
    return _place(code.co_filename, code.co_firstlineno) if code else ""


def _last_line(error: BaseException) -> str:
    """The last line of the checks that was running."""
    lines = [(file, number) for module, file, number in _lines(error) if module.startswith(CHECKS)]
    return _place(*lines[-1])


def _lines(error: BaseException) -> list[tuple[str, str, int]]:
    """The lines that were running, each with its module and file."""
    return [
        (str(frame.f_globals.get("__name__", "")), frame.f_code.co_filename, number)
        for frame, number in traceback.walk_tb(error.__traceback__)
    ]


def _place(file: str, number: int) -> str:
    return f"{Path(file).name}:{number}"


def _package(module: str) -> str:
    return module.partition(".")[0]
