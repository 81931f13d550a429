"""The advice at the end of error messages: correct the problem, or check the data."""

from __future__ import annotations

from typing import Any

from structsvm.contract.problem import Problem

#: The package of the bundled classes, which users did not write.
OWN = __name__.partition(".")[0]
#: The package of the base classes of problems.
CONTRACT = f"{OWN}.contract."
#: The advice to authors of problems.
CHECK = "structsvm.check_problem(problem, X, Y) tests every method"


def is_own(kind: Any) -> bool:
    """Whether a class or function is part of structsvm or its bundled problems."""
    return str(kind.__module__).partition(".")[0] == OWN


def advice(problem: Problem, to_author: str = CHECK) -> str:
    """Return advice for the author of the problem, or for the user of a bundled problem."""
    if not is_own(type(problem)):
        return to_author
    name = type(problem).__name__
    if type(problem).__module__.startswith(CONTRACT):
        return f"{name} is the base class of problems: write a subclass of it"
    if problem.search_of_user:
        return (
            f"{name} searches by {problem.search_of_user}, which is not of structsvm: does it find "
            "the best for any costs, negative ones too, the same at every call, and nothing that "
            "is not allowed? If it may miss the best, declare oracle_quality = 'undergenerating' "
            "for it"
        )
    return (
        f"{name} is a problem of structsvm: look for missing or huge values in the data, and at "
        f"the parameters; if they are as they should be, this is a defect of {name}, so please "
        "report it with the data"
    )
