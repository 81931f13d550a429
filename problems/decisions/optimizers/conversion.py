"""Optimizers from what users pass in their place."""

from __future__ import annotations

from typing import Any

from structsvm.problems.decisions.optimizers.base import Optimizer, Sense
from structsvm.problems.decisions.optimizers.declared import require_sense
from structsvm.problems.decisions.optimizers.function import CallableOptimizer

VERBS = {"min": "minimises", "max": "maximises"}


def as_optimizer(given: Any, sense: Sense = "min") -> Optimizer:
    """Return an optimizer as it is, and make one of a function.

    Parameters
    ----------
    given : Optimizer or callable
        A callable becomes a :class:`CallableOptimizer` for one example at a time, with the
        attribute ``oracle_quality`` of the callable if it has one.
    sense : {'min', 'max'}, default='min'
        What the best decision is: that of least costs, or of largest values.

    Returns
    -------
    Optimizer

    Raises
    ------
    ValueError
        ``sense`` is not that of the optimizer.
    TypeError
        ``given`` is neither an optimizer nor callable, or is a class.

    Examples
    --------
    >>> from structsvm.problems.decisions.optimizers import as_optimizer
    >>> def all_of_them(values):
    ...     return values > 0
    >>> as_optimizer(all_of_them, sense="max")
    CallableOptimizer(function=all_of_them, sense='max')
    """
    require_sense(sense)
    if isinstance(given, type):
        raise TypeError(f"expected an optimizer; got a class: write {given.__name__}(...)")
    if isinstance(given, Optimizer):
        if given.sense != sense:
            raise ValueError(
                f"{type(given).__name__} {VERBS[given.sense]}: write sense={given.sense!r}"
            )
        return given
    if callable(given):
        quality = getattr(given, "oracle_quality", "exact")
        return CallableOptimizer(given, oracle_quality=quality, sense=sense)
    raise TypeError(
        f"expected an optimizer, or a function from costs to a decision; got {given!r:.60}"
    )
