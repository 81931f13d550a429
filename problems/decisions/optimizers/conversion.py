"""Optimizers from what users pass in their place."""

from __future__ import annotations

from typing import Any, get_args

from structsvm.data.validation import require_option
from structsvm.problems.decisions.optimizers.base import Optimizer, Quality, Sense
from structsvm.problems.decisions.optimizers.function import CallableOptimizer, Solved
from structsvm.problems.decisions.optimizers.program import MixedIntegerProgram
from structsvm.problems.programs.program import Compiled, Program

VERBS = {"min": "minimises", "max": "maximises"}


def as_optimizer(given: Any, sense: Sense = "min") -> Optimizer:
    """Return an optimizer as it is, and make one of a program or a function.

    Parameters
    ----------
    given : Optimizer, Program, optModel of PyEPO, or callable
        A :class:`structsvm.problems.Program` becomes a :class:`MixedIntegerProgram` of its
        constraints, with a cost for each of its variables, which are 0 or 1. A callable becomes a
        :class:`CallableOptimizer` for one example at a time, with the attribute ``oracle_quality``
        of the callable if it has one; so does a model of PyEPO, whose solver is called.
    sense : {'min', 'max'}, default='min'
        Whether the best decision has the least cost or the largest value.

    Returns
    -------
    Optimizer

    Raises
    ------
    ValueError
        ``sense`` is not that of the optimizer, or the program is not valid.
    TypeError
        ``given`` is none of these, or is a class.

    Examples
    --------
    >>> from structsvm.problems.decisions.optimizers import as_optimizer
    >>> def all_of_them(values):
    ...     return values > 0
    >>> as_optimizer(all_of_them, sense="max")
    CallableOptimizer(function=all_of_them, sense='max')
    """
    require_option("sense", sense, get_args(Sense))
    if isinstance(given, type):
        raise TypeError(f"expected an optimizer; got a class: write {given.__name__}(...)")
    if isinstance(given, Optimizer):
        _require_sense(given.sense, sense, type(given).__name__)
        return given
    if hasattr(given, "setObj") and hasattr(given, "solve"):
        solved = Solved(given)
        _require_sense(solved.sense, sense, solved.__name__)
        return CallableOptimizer(solved, sense=sense)
    if isinstance(given, Program):
        n_costs = Compiled.of(given).n_variables
        return MixedIntegerProgram(given.constraints, n_costs=n_costs, sense=sense)
    if callable(given):
        quality: Quality = getattr(given, "oracle_quality", "exact")
        return CallableOptimizer(given, oracle_quality=quality, sense=sense)
    raise TypeError(
        "expected an optimizer, a Program, a model of PyEPO, or a function from costs to a "
        "decision; got "
        f"{given!r:.60}"
    )


def _require_sense(own: Sense, sense: Sense, name: str) -> None:
    if own != sense:
        raise ValueError(f"{name} {VERBS[own]}: write sense={own!r} where it is used, too")
