"""The method that changes an argument in place: the innermost of those that are running."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import cache, wraps
from typing import Any

from structsvm.check.copies import own, same
from structsvm.check.findings import Finding
from structsvm.contract.latent import LatentProblem
from structsvm.contract.problem import Problem

#: All methods that users write.
METHODS = [name for name, value in inspect.getmembers(LatentProblem, callable) if name[0] != "_"]


def watched(problem: Problem, found: list[Finding]) -> Problem:
    """Return a shallow copy of the problem that adds to ``found`` what its methods change.

    A method comes after those that it calls: the first finding is the one to blame.
    """
    watching = object.__new__(type(problem))
    watching.__dict__.update(problem.__dict__)
    for name in METHODS:
        if hasattr(problem, name):
            setattr(watching, name, _watching(name, getattr(watching, name), found))
    return watching


def _watching(name: str, method: Callable[..., Any], found: list[Finding]) -> Callable[..., Any]:
    @wraps(method)
    def watching(*given: Any, **named: Any) -> Any:
        before = own(given)
        try:
            return method(*given, **named)
        finally:
            found.extend(Finding(name, None, each) for each in changed(name, before, given))

    return watching


def changed(method: str, before: Iterable[Any], after: Iterable[Any]) -> list[str]:
    """Return a message for each argument that a method changed in place."""
    return [
        f"it changed its argument {name} in place; work on a copy"
        for name, old, new in zip(_argument_names(method), before, after, strict=False)
        if not same(old, new)
    ]


@cache
def _argument_names(method: str) -> list[str]:
    return list(inspect.signature(getattr(LatentProblem, method)).parameters)[1:]  # without self
