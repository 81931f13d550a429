"""Methods that an estimator inherits, under its own name."""

from __future__ import annotations

from types import FunctionType
from typing import Any

#: The package of the classes whose methods are named.
PACKAGE = __name__.partition(".")[0]


class OwnMethods:
    """Base class of estimators; each gets its own copies of the public methods it inherits.

    When a call has wrong arguments, Python's message names the class in which the method was
    written: a base class that users need not know. The copy has the name of the estimator. Users'
    subclasses inherit as usual.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        if cls.__module__.partition(".")[0] == PACKAGE:
            for base in cls.__mro__[1:]:
                own = _methods(base) if base.__module__.partition(".")[0] == PACKAGE else {}
                for name, method in own.items():
                    if getattr(cls, name) is method:  # no class between overrides it
                        setattr(cls, name, _renamed(method, f"{cls.__qualname__}.{name}"))
        super().__init_subclass__(**options)


def _methods(kind: type) -> dict[str, FunctionType]:
    return {
        name: method
        for name, method in vars(kind).items()
        if isinstance(method, FunctionType) and not name.startswith("_")
    }


def _renamed(method: FunctionType, name: str) -> FunctionType:
    copy = FunctionType(
        method.__code__, method.__globals__, method.__name__, method.__defaults__,
        method.__closure__,
    )  # fmt: skip
    vars(copy).update(vars(method))
    copy.__kwdefaults__, copy.__annotations__ = method.__kwdefaults__, method.__annotations__
    copy.__doc__, copy.__module__, copy.__qualname__ = method.__doc__, method.__module__, name
    return copy
