"""Validators of a problem's declarations, and of the requirements of training."""

from __future__ import annotations

import math
from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, get_args

from structsvm.contract.problem import OracleCost, OracleQuality, Parallelism, Problem
from structsvm.data.names import brief
from structsvm.data.validation import require_option
from structsvm.exceptions import ProblemError
from structsvm.objective.surrogate import LOSSES

#: The values that the contract allows for attributes that a problem declares.
DECLARATIONS = {
    "oracle_quality": get_args(OracleQuality),
    "oracle_cost": (None, *get_args(OracleCost)),
    "parallelism": get_args(Parallelism),
    "decode_may_miss": (False, True),
}
#: Numbers that a problem may declare: type, least value, a strict upper bound, and the rule in
#: words.
NUMBERS: dict[str, tuple[Any, float, float, str]] = {
    "max_loss": (Real, 0, math.inf, "a finite number >= 0"),
    "work": (Real, 0, math.inf, "a finite number >= 0"),
    "roundoff": (Real, 0, 1, "a number >= 0 and < 1"),
    "block_size": (Integral, 1, math.inf, "an integer >= 1"),
}


def require_outputs(name: str, Y: Any, called: str = "Y") -> None:
    """Raise a ValueError if the outputs are None.

    ``called`` is the name of the outputs in the message.
    """
    if Y is None:
        raise ValueError(
            f"{name} needs the outputs {called}; it is None. Only CCCP trains without outputs, and "
            "only self-labelled problems"
        )


def wrong_declarations(problem: Problem) -> Iterator[tuple[str, str]]:
    """Yield each attribute whose value the contract does not allow, and an error message."""
    for name, allowed in DECLARATIONS.items():
        if (value := getattr(problem, name)) not in allowed:
            yield name, f"must be one of {allowed}; got {value!r}"
    for name, (kind, least, bound, expected) in NUMBERS.items():
        value = getattr(problem, name)
        if value is not None and not (isinstance(value, kind) and least <= value < bound):
            yield name, f"must be None or {expected}; got {value!r:.80}"


def require_suitable(problem: Any, loss: str, rescaling: str = "margin") -> None:
    """Raise an error unless the problem supports the surrogate loss and the kind of rescaling."""
    if not isinstance(problem, Problem):
        raise TypeError(f"problem must be an instance of structsvm.Problem; got {brief(problem)}")
    name = type(problem).__name__
    for attribute, wrong in wrong_declarations(problem):
        raise ProblemError(f"{name}.{attribute} {wrong}")
    require_option("rescaling", rescaling, ("margin", "slack"))
    if rescaling == "slack" and problem.slack_oracle is None:
        raise ValueError(
            f"rescaling='slack' needs {name}.slack_oracle, which is missing; define it, or use "
            "rescaling='margin'"
        )
    require_option("loss", loss, LOSSES)
    if loss == "hinge":
        return
    if rescaling != "margin":
        raise ValueError(f"loss={loss!r} has no slack rescaling; use rescaling='margin'")
    if problem.soft_oracle is None or problem.oracle_quality != "exact":
        raise TypeError(
            f"loss={loss!r} needs a soft_oracle and an exact oracle, which {name} does not offer; "
            "use loss='hinge'"
        )
