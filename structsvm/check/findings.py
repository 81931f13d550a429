"""Findings of a check: the method that is wrong, the example that shows it, and the reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

#: Characters of a value that a message shows.
SHORT_LENGTH = 60


class Finding(NamedTuple):
    """An error in a problem: the method, the example and what is wrong.

    Attributes
    ----------
    method : str
        Name of the method or attribute that is wrong.
    example : int or None
        Index in X of the first example that shows it; None if it concerns all of them.
    message : str
        What was expected, what was found, and what to do.
    more : int, default=0
        Number of further examples that show an error of the same method.
    case : str, default=''
        The outputs of the example that show it.
    """

    method: str
    example: int | None
    message: str
    more: int = 0
    case: str = ""

    def __str__(self) -> str:
        case = f"; here {self.case}" if self.case else ""
        if self.example is None:
            return f"{self.method}: {self.message}{case}"
        more = f" and {self.more} more" if self.more else ""
        return f"{self.method} (example {self.example}{more}): {self.message}{case}"


class Unusable(Exception):
    """The problem cannot be checked at all; ``finding`` gives the reason."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(str(finding))
        self.finding = finding


class Unreadable(NamedTuple):
    """An output that a measure cannot handle.

    Attributes
    ----------
    origin : str
        The method that returned the output.
    finding : Finding
        Blames that method.
    failure : Finding
        Blames the measure.
    """

    origin: str
    finding: Finding
    failure: Finding


def first_of_each(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield the first finding of each method, with the number of further examples that have one."""
    by_method: dict[str, list[Finding]] = {}
    for finding in findings:
        by_method.setdefault(finding.method, []).append(finding)
    for found in by_method.values():
        examples = {finding.example for finding in found} - {None}
        yield found[0]._replace(more=max(0, len(examples) - 1))


def merged(findings: Iterable[Finding]) -> list[Finding]:
    """One finding for each method and message, where several checks found the same."""
    first: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        same = first.setdefault((finding.method, finding.message), finding)
        if same.example is not None and finding.example not in (None, same.example):
            more = same.more + finding.more + 1
            first[finding.method, finding.message] = same._replace(more=more)
    return list(first.values())


def short(value: Any) -> str:
    """Return the value's repr for a message, on one line and shortened."""
    text = " ".join(repr(value).split())
    return text if len(text) <= SHORT_LENGTH else text[: SHORT_LENGTH - 3] + "..."
