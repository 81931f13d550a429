"""Methods that a class may have or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Optional:
    """A documented method that is None on every instance until a subclass defines it."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method, self.__doc__ = method, method.__doc__

    def __get__(self, instance: Any, kind: Any) -> Any:
        return self.method if instance is None else None


def optional(method: Any) -> Any:
    """Declare an optional method, of any type to a type checker.

    ``instance.method is None`` where no subclass defines it, or where one withdraws it by None. The
    class shows its signature and documentation.
    """
    return Optional(method)
