"""The check that initialize overwrites what it learned from earlier data, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np

from structsvm.check.checked_calls import Finding, describe, short
from structsvm.check.closeness import ROUNDING, close
from structsvm.check.copies import key, own, same
from structsvm.check.evidence import Evidence
from structsvm.containers import n_examples, take
from structsvm.oracle.call import real_array
from structsvm.oracle.setup import copied, set_sizes
from structsvm.problem import Problem
from structsvm.validation import NUMBERS

#: The point at which answers are compared.
POINT = 3


def initialize_is_repeatable(evidence: Evidence) -> Iterator[Finding]:
    """After calls with other data it leaves what one call does; the parameters are kept."""
    assert evidence.calls  # initialized
    try:
        message = _difference(evidence, _initialized_often(evidence))
    except Exception as error:
        message = f"with all of the data {describe(error)}"
    if message:
        yield Finding(
            "initialize",
            None,
            f"{message} after earlier calls with parts of the data and with all; a call must "
            "overwrite what earlier calls learned",
        )
        return
    for name in type(evidence.problem)._get_param_names():
        before, after = (getattr(at, name, None) for at in (evidence.untouched, evidence.problem))
        if not same(before, after):
            yield Finding(
                "initialize",
                None,
                f"it changed the parameter {name} from {short(before)} to {short(after)}; store "
                f"what is learned under another name, such as {name}_",
            )


def _initialized_often(evidence: Evidence) -> Problem:
    """The problem initialized with the data after calls with each half of them, and with all."""
    often, n = copied(evidence.untouched), n_examples(evidence.X)
    for rows in (range(n // 2), range(n // 2, n), range(n), range(n)):
        part = [None if data is None else own(take(data, list(rows)))
                for data in (evidence.X, evidence.Y)]  # fmt: skip
        try:
            set_sizes(often, *part)
        except Exception:
            if len(rows) == n:
                raise
            # So few examples need not fit the problem.
    return cast(Problem, often)


def _initialized_once(evidence: Evidence) -> Problem:
    """The problem initialized with the data; it has answered nothing yet, as a state may change."""
    once = copied(evidence.untouched)
    set_sizes(once, *own((evidence.X, evidence.Y)))
    return cast(Problem, once)


def _difference(evidence: Evidence, again: Problem) -> str:
    """Return what differs from a problem that was initialized once, or ''."""
    if again.size_joint_feature != evidence.calls.size:
        return f"size_joint_feature was {evidence.calls.size} and is {again.size_joint_feature}"
    for name in NUMBERS:
        before, after = getattr(evidence.problem, name), getattr(again, name)
        if not same(before, after):
            return f"{name} was {short(before)} and is {short(after)}"
    calls = list(evidence.progress.trials(_calls(evidence)))
    expected, found = _answers(_initialized_once(evidence), calls), _answers(again, calls)
    for call, before, after in zip(calls, expected, found, strict=True):
        if _differ(before, after):
            # An oracle that is random from elsewhere is no mistake of initialize.
            repeated = _answers(_initialized_once(evidence), calls)
            if any(map(_differ, expected, repeated)):
                return ""
            i, method, _ = call
            return f"what {method} returns for example {evidence.calls.name(i)} changes"
    return ""


def _calls(evidence: Evidence) -> Iterator[tuple[int, str, tuple[Any, ...]]]:
    """Yield calls of the required methods: example, method and arguments."""
    w, labels, found = evidence.visits[min(POINT, len(evidence.visits) - 1)]
    for i, (y, entry) in enumerate(zip(labels, found["decode"], strict=True)):
        if y is None or entry is None:
            continue
        x = evidence.calls.x[i]
        for z in (y, entry[1]):
            yield i, "joint_feature", (x, z)
            yield i, "loss", (y, z)
        yield i, "decode", (x, w)
        yield i, "separation_oracle", (x, y, w)


def _answers(problem: Problem, calls: list[tuple[int, str, tuple[Any, ...]]]) -> list[Any]:
    return [_answer(problem, method, arguments) for _, method, arguments in calls]


def _answer(problem: Problem, method: str, arguments: tuple[Any, ...]) -> Any:
    """The value of a call, numbers as an array; the type of the error that it raises."""
    try:
        found = getattr(problem, method)(*own(arguments))
        return real_array(found) if method in ("joint_feature", "loss") else found
    except Exception as error:
        return type(error)


def _differ(first: Any, second: Any) -> bool:
    numbers = isinstance(first, np.ndarray) and isinstance(second, np.ndarray)
    if numbers and first.shape == second.shape and first.dtype.kind == "f":
        return not close(first, second, ROUNDING)
    return bool(key(first) != key(second))
