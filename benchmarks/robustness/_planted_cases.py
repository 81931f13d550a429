"""The register of planted bugs and of correct problems."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from structsvm import Problem

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


def correct(data: Data, listed: bool = True) -> Any:
    """Register a correct class; where not ``listed``, it does not offer ``outputs``."""

    def register(problem: type[Problem]) -> type[Problem]:
        if not listed:
            problem.outputs = Problem.outputs  # type: ignore[method-assign]
        CORRECT.append(Correct(problem, data))
        return problem

    return register
