"""Messages about undefined methods of a problem."""

from __future__ import annotations

from functools import cache

from structsvm.other_names import METHODS, method_under_another_name, nearest


def missing(problem: object, method: str) -> str:
    """Return the message for a call of a method that a problem does not define."""
    found = method_under_another_name(problem, method)
    advice = f"; found {found}: rename it to {method}" if found else ""
    return (
        f"{type(problem).__name__} does not define {method}{advice}; what it must return is "
        f"written at structsvm.Problem.{method}"
    )


@cache
def misspelt(problem: type, attributes: frozenset[str]) -> list[str]:
    """Return notes on misspelt names, both in `attributes` and among the names the class defines.

    A name counts as misspelt if it resembles a name of the contract that the class does not define.
    """
    contract, defined, notes = set[str](), {*attributes}, []
    own = {name for name in defined if not name.endswith("_")}  # not the attributes of a fit
    for kind in reversed(problem.__mro__):
        if kind.__module__.startswith((__package__, "structsvm.task.")):
            contract |= {name for name in vars(kind) if not name.startswith("_")}
        else:
            defined |= {*vars(kind)}
            if not kind.__module__.startswith("structsvm."):
                own |= {*vars(kind)}
    for name in sorted(name for name in own - contract if not name.startswith("_")):
        near = METHODS.get(name) or [nearest(name, contract) or name]
        if {*near} <= contract - defined:
            notes.append(f"{problem.__name__}.{name} is not in the contract: is {near[0]} meant?")
    return notes
