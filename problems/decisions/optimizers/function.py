"""Make optimizers from users' functions, programs and models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.data.names import brief
from structsvm.data.validation import require_flag, require_option
from structsvm.problems.decisions.optimizers.base import Optimizer, Quality, Sense
from structsvm.problems.decisions.optimizers.costs import ChosenIndices, checked_decisions
from structsvm.problems.decisions.optimizers.program import MixedIntegerProgram
from structsvm.problems.programs.program import Compiled, Program

VERBS = {"min": "minimises", "max": "maximises"}


class CallableOptimizer(Optimizer):
    """A function that returns the best decision for any costs.

    Parameters
    ----------
    function : callable
        ``function(costs)`` returns the best decision for costs of shape (m,), as an array of shape
        (m,).
    batch : bool, default=False
        Whether the function takes the costs of many examples, of shape (n, m), and returns their
        decisions, of shape (n, m).
    oracle_quality : {'exact', 'undergenerating'}, default='exact'
        'undergenerating' if the function may miss the best decision.
    sense : {'min', 'max'}, default='min'
        Whether the function minimises or maximises.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm.problems.decisions.optimizers import CallableOptimizer
    >>> def cheapest(costs):
    ...     return np.eye(len(costs))[costs.argmin()]
    >>> optimizer = CallableOptimizer(cheapest)
    >>> optimizer.batch(np.array([[3.0, 1.0, 2.0], [1.0, 2.0, 3.0]]))
    array([[0., 1., 0.],
           [1., 0., 0.]])
    """

    def __init__(
        self,
        function: Callable[[Vector], Any],
        batch: bool = False,
        oracle_quality: Quality = "exact",
        sense: Sense = "min",
    ) -> None:
        if not callable(function):
            raise TypeError(f"function must be callable; got {brief(function)}")
        require_flag("batch", batch)
        require_option("oracle_quality", oracle_quality, get_args(Quality))
        require_option("sense", sense, get_args(Sense))
        self.function = function
        self.takes_batch = batch
        self.oracle_quality = oracle_quality
        self.sense = sense

    def __call__(self, costs: Vector) -> Vector:
        return self.batch(np.asarray(costs)[None])[0] if self.takes_batch else self._answer(costs)

    def batch(self, costs: Vector) -> Vector:
        return self._answer(costs) if self.takes_batch else super().batch(costs)

    def _arguments(self) -> dict[str, Any]:
        return super()._arguments() | {"batch": self.takes_batch}

    def _answer(self, costs: Vector) -> Vector:
        """Return the function's answer; raise a ValueError unless it has the shape of the costs."""
        costs = np.asarray(costs, dtype=np.float64)
        try:
            return self._checked(costs)
        except ChosenIndices:
            raise
        except Exception as error:
            self._require_form(costs, error)
            raise

    def _checked(self, costs: Vector) -> Vector:
        return checked_decisions(self._name, self.function(costs.copy()), costs.shape)

    def _require_form(self, costs: Vector, failed: Exception) -> None:
        """Raise a ValueError if the function fails only because ``batch`` is wrong."""
        other = costs[0] if self.takes_batch else costs[None]
        try:
            self._checked(other)
        except Exception:
            return
        raise ValueError(
            f"{self._name} takes costs of shape {other.shape}, but it was called with shape "
            f"{costs.shape}: pass CallableOptimizer({self._name}, batch={not self.takes_batch}) "
            f"({failed})"
        ) from failed

    @property
    def _name(self) -> str:
        return getattr(self.function, "__name__", type(self.function).__name__)


class Solved:
    """A function of costs that calls ``setObj`` and ``solve`` of a PyEPO model.

    Parameters
    ----------
    model : optModel of PyEPO
    """

    def __init__(self, model: Any) -> None:
        self.model = model

    def __call__(self, costs: Vector) -> Vector:
        self.model.setObj(costs)
        return np.asarray(self.model.solve()[0], dtype=np.float64)

    def __deepcopy__(self, memo: Any) -> Solved:
        """Return a copy that shares the model, since most models cannot be copied."""
        return Solved(self.model)

    @property
    def sense(self) -> Sense:
        return "max" if self.model.modelSense < 0 else "min"

    @property
    def __name__(self) -> str:
        return type(self.model).__name__

    def __repr__(self) -> str:
        return repr(self.model)


def as_optimizer(given: Any, sense: Sense = "min") -> Optimizer:
    """Make an optimizer from a program, a model or a function; return an optimizer unchanged.

    Parameters
    ----------
    given : Optimizer, Program, optModel of PyEPO, or callable
        A :class:`structsvm.problems.Program` becomes a :class:`MixedIntegerProgram` with the same
        constraints and a cost for each 0/1 variable. A callable becomes a
        :class:`CallableOptimizer` for one example at a time, and keeps its attribute
        ``oracle_quality``, if any. A model of PyEPO becomes a :class:`CallableOptimizer` that calls
        the model's solver.
    sense : {'min', 'max'}, default='min'
        Whether the best decision has the least cost or the largest value.

    Returns
    -------
    Optimizer

    Raises
    ------
    ValueError
        If ``sense`` differs from the optimizer's sense, or the program is not valid.
    TypeError
        If ``given`` is a class or has an invalid type.

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
