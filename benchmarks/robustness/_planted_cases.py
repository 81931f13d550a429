"""The register of planted bugs and of correct problems."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from structsvm import Problem, Task

Data = Callable[[], tuple[Any, Any]]


class Planted(NamedTuple):
    """A correct problem with one bug.

    Attributes
    ----------
    problem : type
        The class with the bug; its bases are correct.
    data : callable
        Makes X and Y; new ones each time, because a bug may change them.
    faulty : set of str
        The names that count as right: one, or more where nobody can tell which of them is wrong.
    breaks : str
        The sentence of the contract that is broken.
    """

    problem: type[Problem]
    data: Data
    faulty: set[str]
    breaks: str


class Correct(NamedTuple):
    """A problem that keeps the contract."""

    problem: type[Problem]
    data: Data


BUGS: list[Planted] = []
CORRECT: list[Correct] = []


def planted(data: Data, faulty: set[str], breaks: str, listed: bool = True) -> Any:
    """Register a class with a bug; where not ``listed``, it does not offer ``outputs``."""

    def register(problem: type[Problem]) -> type[Problem]:
        if not listed:
            problem.outputs = Problem.outputs  # type: ignore[method-assign]
        BUGS.append(Planted(problem, data, faulty, breaks))
        return problem

    return register


def planted_task(
    problem: type[Problem], data: Data, method: str, breaks: str, *others: str, listed: bool = True
) -> Any:
    """Register a class of tasks with a bug in a method, or in 'task', what it holds.

    The problem with this task is made; ``others`` are further methods that count as right.
    """

    def register(kind: type[Task]) -> type[Task]:
        own = {"task": lambda self, X, Y=None: kind(self, X, Y), "__module__": kind.__module__}
        made = type(kind.__name__, (problem,), own)
        names = (
            each if each == "task" else f"{kind.__name__}.{each}" for each in (method, *others)
        )
        planted(data, {*names}, breaks, listed)(made)
        return kind

    return register


def correct(data: Data, listed: bool = True) -> Any:
    """Register a correct class; where not ``listed``, it does not offer ``outputs``."""

    def register(problem: type[Problem]) -> type[Problem]:
        if not listed:
            problem.outputs = Problem.outputs  # type: ignore[method-assign]
        CORRECT.append(Correct(problem, data))
        return problem

    return register
