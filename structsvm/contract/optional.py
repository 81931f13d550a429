"""Methods that a class may have or not."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any


class Optional(property):
    """A documented method that is None on every instance until a subclass defines it."""

    def __init__(self, method: Callable[..., Any]) -> None:
        # Not a function of Python: the engine asks for some of them in every pass.
        super().__init__(attrgetter("_undefined"))
        self.method, self.__doc__ = method, method.__doc__


class OfProblem:
    """A method of a task that is None where its problem lacks the method that it calls."""

    def __init__(self, method: Callable[..., Any], single: str) -> None:
        self.method, self.single, self.__doc__ = method, single, method.__doc__

    def __get__(self, instance: Any, kind: Any) -> Any:
        if instance is None:
            return self.method
        lacks = getattr(instance.problem, self.single, None) is None
        return None if lacks else self.method.__get__(instance)


def where_problem_defines(single: str) -> Callable[[Any], Any]:
    """Declare a method of a task, which is None where its problem lacks a method."""
    return lambda method: OfProblem(method, single)


def optional(method: Any) -> Any:
    """Declare an optional method, of any type to a type checker.

    ``instance.method is None`` where no subclass defines it, or where one withdraws it by None.
    Requires: the class has the attribute ``_undefined``, which is None.
    """
    return Optional(method)
