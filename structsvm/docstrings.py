"""Docstrings completed from base classes, so that what classes share is described once.

A docstring lists what is particular to its class. :func:`documented` adds the other parameters and
attributes from the docstrings of the base classes. To a method it adds the parameters that the same
method of a base class describes, or else ``fit``.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Sequence
from typing import Any, TypeVar

#: Tells readers of the source that entries will be added; removed when they are.
NOTE = "Shared parameters and attributes are added at import: see ``help``.\n\n"

Kind = TypeVar("Kind", bound=type)


def documented(kind: Kind) -> Kind:
    """Complete the docstrings of a class and of its public methods: a class decorator."""
    if sys.flags.optimize > 1:  # there are no docstrings
        return kind
    bases = kind.__mro__[1:-1]
    kind.__doc__ = _completed(kind, bases)
    for name, method in vars(kind).items():
        if inspect.isfunction(method) and not name.startswith("_") and method.__doc__:
            same = [vars(base)[name] for base in bases if name in vars(base)]
            method.__doc__ = _completed(method, [*same, getattr(kind, "fit", None)])
    return kind


def entries(thing: Any, section: str) -> dict[str, str]:
    """The entries of a section of a docstring by name; an entry may describe several names."""
    found = re.split(r"\n(?=\S)", _sections(thing).get(section, "").strip())
    return {name: entry.rstrip() for entry in found for name in _names(entry)}


def _names(entry: str) -> list[str]:
    return re.findall(r"\w+", entry.partition("\n")[0].partition(" :")[0])


def _sections(thing: Any) -> dict[str, str]:
    """The sections of a docstring by heading; the text before the first has the heading ''."""
    text = inspect.cleandoc(getattr(thing, "__doc__", None) or "")
    first, *others = re.split(r"^(\w[\w ]*)\n-{3,}\n", text, flags=re.MULTILINE)
    return {"": first, **dict(zip(others[::2], others[1::2], strict=True))}


def _completed(thing: Any, sources: Sequence[Any]) -> str:
    """The docstring, with each entry that it lacks from the first source that has one."""
    sections = _sections(thing)
    listed = {"Parameters": _parameters(thing, sources)}
    if inspect.isclass(thing):
        listed["Attributes"] = _described(thing, sources, "Attributes")
    text = sections.pop("").replace(NOTE, "").strip()
    listed = {name: "\n".join(dict.fromkeys(found.values())) for name, found in listed.items()}
    parts = {name: body.strip() for name, body in {**listed, **sections, **listed}.items() if body}
    return "\n\n".join([text, *(f"{name}\n{'-' * len(name)}\n{parts[name]}" for name in parts)])


def _parameters(function: Any, sources: Sequence[Any]) -> dict[str, str]:
    """The entries of a function's parameters, in the order of its signature."""
    found = _described(function, sources, "Parameters")
    return {name: found[name] for name in inspect.signature(function).parameters if name in found}


def _described(thing: Any, sources: Sequence[Any], section: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for source in (thing, *sources):
        found = found | {
            name: entry for name, entry in entries(source, section).items() if name not in found
        }
    return found
