"""The completion of docstrings from base classes, and the order of parameters in signatures.

A docstring lists only the parameters and attributes that its class adds or changes. The decorator
:func:`documented` adds inherited parameters and fitted attributes from the docstrings of the base
classes, in the order of the signature. The docstring of a method is completed from the same method
of a base class, or from ``fit``.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any, TypeVar

#: A note for readers of the source that entries will be added. It is removed when they are added.
NOTE = "\n\n``help`` also shows the inherited parameters and attributes."

#: Keyword parameters that come first, and parameters of a run, which come last.
FIRST = ("loss", "C")
LAST = (
    "solver", "tol", "rtol", "max_iter", "time_limit", "warm_start", "callback", "verbose",
    "n_jobs", "early_stopping", "validation_fraction", "n_iter_no_change", "random_state",
)  # fmt: skip

Kind = TypeVar("Kind", bound=type)


def documented(kind: Kind) -> Kind:
    """Class decorator that completes the docstrings of a class and of its public methods."""
    if "__init__" in vars(kind):
        _sort_keywords(vars(kind)["__init__"])
    if sys.flags.optimize > 1:  # docstrings are left out
        return kind
    bases = kind.__mro__[1:-1]
    kind.__doc__ = _completed(kind, bases)
    for name, method in vars(kind).items():
        if inspect.isfunction(method) and not name.startswith("_") and method.__doc__:
            same = [vars(base)[name] for base in bases if name in vars(base)]
            method.__doc__ = _completed(method, [*same, getattr(kind, "fit", None)])
    return kind


def _sort_keywords(function: Any) -> None:
    """Sort the keyword parameters: a dataclass begins with the parameters of its base classes."""
    signature = inspect.signature(function)
    ordered = sorted(signature.parameters.values(), key=_rank)
    function.__signature__ = signature.replace(parameters=ordered)


def _rank(parameter: inspect.Parameter) -> int:
    if parameter.kind < inspect.Parameter.KEYWORD_ONLY:
        return -len(FIRST) - 1
    name = parameter.name
    return FIRST.index(name) - len(FIRST) if name in FIRST else name in LAST


def entries(thing: Any, section: str) -> dict[str, str]:
    """Return a dictionary from the names to the entries of a docstring's section.

    An entry may have several names.
    """
    return _entries(_sections(thing.__doc__).get(section, ""))


@cache
def _entries(text: str) -> dict[str, str]:
    found = re.split(r"\n(?=\S)", text) if text else []
    return {name: entry.rstrip() for entry in found for name in _names(entry)}


def _names(entry: str) -> list[str]:
    return re.findall(r"\w+", entry.partition("\n")[0].partition(" :")[0])


@cache
def _sections(docstring: str | None) -> dict[str, str]:
    """Return a dictionary from the headings to the sections of a docstring.

    The text before all headings has the heading ''.
    """
    text = inspect.cleandoc(docstring or "")
    first, *others = re.split(r"^(\w[\w ]*)\n-{3,}\n", text, flags=re.MULTILINE)
    bodies = [body.strip() for body in others[1::2]]
    return {"": first.strip(), **dict(zip(others[::2], bodies, strict=True))}


def _completed(thing: Any, sources: Sequence[Any]) -> str:
    """Return the docstring.

    Each missing entry is taken from the first source that contains the entry.
    """
    names = [*inspect.signature(thing).parameters]
    listed = {}
    for section in ("Parameters", "Attributes") if inspect.isclass(thing) else ("Parameters",):
        found = _described(thing, sources, section, names)
        order = [name for name in names if name in found] + [*found]
        if found:
            listed[section] = "\n".join(dict.fromkeys(found[name] for name in order))
    own = _sections(thing.__doc__)
    return "\n\n".join(
        f"{name}\n{'-' * len(name)}\n{body}" if name else body.replace(NOTE, "")
        for name, body in ({"": own[""]} | listed | own | listed).items()
    )


def _described(
    thing: Any, sources: Sequence[Any], section: str, names: Sequence[str]
) -> dict[str, str]:
    """Return the entries of a docstring's section; missing entries are taken from ``sources``.

    An entry is taken from ``sources`` only if its name is in ``names`` or ends in ``_``.
    """
    found = dict(entries(thing, section))
    for source in sources:
        for name, entry in entries(source, section).items():
            if name in names or name.endswith("_"):
                found.setdefault(name, entry)
    return found
