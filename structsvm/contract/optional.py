"""Declarations of optional methods of problems and tasks."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any


class Optional(property):
    """A documented method that is None on every instance until a subclass defines it."""

    def __init__(self, method: Callable[..., Any]) -> None:
        # attrgetter is faster than a function of Python, and every pass reads some optional
        # methods.
        super().__init__(attrgetter("_undefined"))
        self.method, self.__doc__ = method, method.__doc__


class OfProblem:
    """A method of a task that is None if the problem lacks the method that it calls."""

    def __init__(self, method: Callable[..., Any], single: str) -> None:
        self.method, self.single, self.__doc__ = method, single, method.__doc__

    def __get__(self, instance: Any, kind: Any) -> Any:
        if instance is None:
            return self.method
        lacks = getattr(instance.problem, self.single, None) is None
        return None if lacks else self.method.__get__(instance)


def where_problem_defines(single: str) -> Callable[[Any], Any]:
    """Declare a method of a task that is None if the problem lacks the method `single`."""
    return lambda method: OfProblem(method, single)


def optional(method: Any) -> Any:
    """Declare an optional method, which has any type to a type checker.

    ``instance.method is None`` if no subclass defines it, or if a subclass withdraws it by None.
    Requires: the class has the attribute ``_undefined``, which is None.
    """
    return Optional(method)
