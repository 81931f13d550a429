"""The message for a method that a problem does not define."""

from __future__ import annotations


def missing(problem: object, method: str) -> str:
    """The message for a method that a problem does not define."""
    return (
        f"{type(problem).__name__} does not define {method}; what it must return is written at "
        f"structsvm.Problem.{method}"
    )
