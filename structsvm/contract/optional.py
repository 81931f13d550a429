"""Declarations of optional methods of problems and tasks."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any


class Optional(property):
    """An optional method with a docstring.

    The method is None on every instance until a subclass defines it.
    """

    def __init__(self, method: Callable[..., Any]) -> None:
        # attrgetter is faster than a function of Python, and every pass reads some optional
        # methods.
        super().__init__(attrgetter("_undefined"))
        self.method, self.__doc__ = method, method.__doc__


class OfProblem:
    """A method of a task, which is None if the problem does not define the method ``single``."""

    def __init__(self, method: Callable[..., Any], single: str) -> None:
        self.method, self.single, self.__doc__ = method, single, method.__doc__

    def __get__(self, instance: Any, kind: Any) -> Any:
        if instance is None:
            return self.method
        lacks = getattr(instance.problem, self.single, None) is None
        return None if lacks else self.method.__get__(instance)


def where_problem_defines(single: str) -> Callable[[Any], Any]:
    """Declare a task's method that is None unless the problem defines the method ``single``."""
    return lambda method: OfProblem(method, single)


def optional(method: Any) -> Any:
    """Declare an optional method, to which type checkers give the type Any.

    The value ``instance.method`` is None if no subclass defines the method, or if a subclass
    withdraws the method by setting it to None.
    Requires: the class has the attribute ``_undefined``, which is None.
    """
    return Optional(method)
