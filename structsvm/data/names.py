"""Names that must be the same in two places, such as those of features or classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

#: Names, at most, in a message.
SHOWN = 5


def difference(found: Sequence[Any], expected: Sequence[Any]) -> str:
    """Return what is not as expected, as the end of a sentence about the names; '' if all is."""
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
    """Some names as a list in a message."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(f"{name!r:.60}" for name in names[:SHOWN]) + more
