"""The message for a method that a problem does not define."""

from __future__ import annotations

from structsvm.other_names import method_under_another_name


def missing(problem: object, method: str) -> str:
    """The message for a method that a problem does not define."""
    found = method_under_another_name(problem, method)
    advice = f"; found {found}: rename it to {method}" if found else ""
    return (
        f"{type(problem).__name__} does not define {method}{advice}; what it must return is "
        f"written at structsvm.Problem.{method}"
    )
