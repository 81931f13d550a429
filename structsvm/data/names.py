"""Comparisons of names of features or classes, and short texts of values for error messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

#: Largest number of names in a message.
SHOWN = 5
#: Largest number of characters of a value in a message.
LONGEST = 80


def difference(found: Sequence[Any], expected: Sequence[Any]) -> str:
    """Return a text that says how the names differ from the expected names, or ''."""
    known, given = set(expected), set(found)
    lacking = [name for name in expected if name not in given]
    strange = [name for name in found if name not in known]
    parts = [f"lacks {shown(lacking)}"] if lacking else []
    parts += [f"has {shown(strange)} besides"] if strange else []
    if parts:
        return " and ".join(parts)
    changed = [(a, b) for a, b in zip(found, expected, strict=False) if a != b]
    return f"has {changed[0][0]!r} in the place of {changed[0][1]!r}" if changed else ""


def shown(names: Sequence[Any]) -> str:
    """Return the first few names as a text, for a message."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(f"{name!r:.60}" for name in names[:SHOWN]) + more


def require_names(
    what: str, found: Sequence[Any], expected: Sequence[Any], whose: str, remedy: str = ""
) -> None:
    """Raise a ValueError that begins with `what` unless the names are as expected.

    Names that are only the column numbers 0, 1, and so on match any names.
    """
    counted = list(range(len(expected)))
    one_counts = list(found) == counted or list(expected) == counted
    if one_counts and len(found) == len(expected) and set(found) != set(expected):
        return
    if other := difference(found, expected):
        raise ValueError(
            f"{what} than {whose}: it {other}. Give the same columns in the same order{remedy}"
        )


def brief(given: Any) -> str:
    """Return a value in brief for a message: a class's name, or the start of the value's repr."""
    if isinstance(given, type):
        return f"the class {given.__name__}: pass an object of it"
    text = repr(given)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
