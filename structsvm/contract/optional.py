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


def optional(method: Any) -> Any:
    """Declare an optional method, of any type to a type checker.

    ``instance.method is None`` where no subclass defines it, or where one withdraws it by None.
    Requires: the class has the attribute ``_undefined``, which is None.
    """
    return Optional(method)
