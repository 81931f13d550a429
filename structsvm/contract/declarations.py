"""Validators of what a problem declares, and of what training needs of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, get_args

from structsvm.contract.capabilities import oracle_is_exact
from structsvm.contract.problem import OracleCost, OracleQuality, Parallelism, Problem
from structsvm.data.names import brief
from structsvm.data.validation import as_float, is_integer, require_option
from structsvm.exceptions import ProblemError
from structsvm.objective.surrogate import LOSSES

#: The values that the contract allows for attributes that a problem declares.
DECLARATIONS = {
    "oracle_quality": get_args(OracleQuality),
    "oracle_cost": (None, *get_args(OracleCost)),
    "parallelism": get_args(Parallelism),
    "decode_may_miss": (False, True),
}
#: Numbers that a problem may declare: whether a value is allowed, and what is expected.
NUMBERS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "max_loss": (lambda value: 0 <= as_float(value) < math.inf, "a finite number >= 0"),
    "work": (lambda value: 0 <= as_float(value) < math.inf, "a finite number >= 0"),
    "roundoff": (lambda value: 0 <= as_float(value) < 1, "a number >= 0 and < 1"),
    "block_size": (lambda value: is_integer(value) and value >= 1, "an integer >= 1"),
}


def require_problem(problem: Any) -> None:
    """Raise a TypeError unless it is an instance of Problem."""
    if not isinstance(problem, Problem):
        raise TypeError(f"problem must be an instance of structsvm.Problem; got {brief(problem)}")


def require_outputs(name: str, Y: Any, called: str = "Y") -> None:
    """Raise a ValueError where the outputs are None; ``called`` is the caller's name for them."""
    if Y is None:
        raise ValueError(
            f"{name} needs the outputs {called}; it is None. Only CCCP trains without outputs, and "
            "only self-labelled problems"
        )


def require_declarations(problem: Problem) -> None:
    """Raise a ProblemError where an attribute has a value that the contract does not allow."""
    for name, allowed in DECLARATIONS.items():
        value = getattr(problem, name)
        if value not in allowed:
            raise ProblemError(f"{name} must be one of {allowed}; got {value!r}")


def wrong_numbers(problem: Problem) -> Iterator[tuple[str, str]]:
    """The names of declared numbers that the contract does not allow, with what is wrong."""
    for name, (is_allowed, expected) in NUMBERS.items():
        value = getattr(problem, name)
        if value is not None and not is_allowed(value):
            yield name, f"must be None or {expected}; it is {value!r:.80}"


def require_loss(loss: str, rescaling: str, problem: Problem) -> None:
    """Raise unless the problem can be trained with this surrogate of the loss."""
    require_option("loss", loss, LOSSES)
    if loss == "hinge":
        return
    if rescaling != "margin":
        raise ValueError(f"loss={loss!r} has no slack rescaling; use rescaling='margin'")
    if problem.soft_oracle is None or not oracle_is_exact(problem):
        raise TypeError(
            f"loss={loss!r} needs a soft_oracle and an exact oracle, which "
            f"{type(problem).__name__} does not offer; use loss='hinge'"
        )


def require_rescaling(rescaling: str, problem: Problem) -> None:
    """Raise unless the problem can be trained with this rescaling."""
    require_option("rescaling", rescaling, ("margin", "slack"))
    if rescaling == "slack" and problem.slack_oracle is None:
        raise ValueError(
            f"rescaling='slack' needs {type(problem).__name__}.slack_oracle, which is missing; "
            "define it, or use rescaling='margin'"
        )
