"""The base class of optimizers, which are sets of feasible decisions with solvers."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from structsvm.contract.problem import OracleCost
from structsvm.data.arrays import Vector
from structsvm.problems.programs.search import Quality as Quality

Sense = Literal["min", "max"]

#: Most characters that a ``repr`` shows of a value.
LONGEST = 60


class Optimizer(ABC):
    """A set of feasible decisions, with a solver that finds the best decision for any costs.

    The value of a decision z with costs c is the sum of their products, c z. Decisions may be 0/1
    vectors, integers or real numbers, and are always arrays of float64. A subclass must define the
    method ``__call__``; all other methods are optional.

    Attributes
    ----------
    sense : {'min', 'max'}, default='min'
        Whether the best decision has the least or the largest value.
    oracle_quality : {'exact', 'undergenerating'}, default='exact'
        'undergenerating' if the solver may miss the best decision because of a gap, a time limit or
        a heuristic.
    oracle_cost : {'cheap', 'expensive'}, default='expensive'
        'cheap' if :meth:`batch` takes microseconds per decision.
    takes_batch : bool, default=False
        Whether one call of :meth:`batch` takes less time than a separate call for each example. If
        True, training calls :meth:`batch` for many examples together; otherwise ``n_jobs``
        processes each solve one example at a time.
    n_costs : int or None, default=None
        The number of costs m, or None if it may vary.

    Examples
    --------
    An optimizer that chooses the two cheapest options:

    >>> import numpy as np
    >>> from structsvm.problems.decisions.optimizers import Optimizer
    >>> class BestTwo(Optimizer):
    ...     def __call__(self, costs):
    ...         decision = np.zeros(len(costs))
    ...         decision[np.argsort(costs)[:2]] = 1
    ...         return decision
    >>> BestTwo()(np.array([3.0, 1.0, 2.0]))
    array([0., 1., 1.])
    >>> BestTwo().batch(np.array([[3.0, 1.0, 2.0], [1.0, 2.0, 3.0]]))
    array([[0., 1., 1.],
           [1., 1., 0.]])
    """

    sense: Sense = "min"
    oracle_quality: Quality = "exact"
    oracle_cost: OracleCost = "expensive"
    takes_batch: bool = False
    n_costs: int | None = None

    @abstractmethod
    def __call__(self, costs: Vector) -> Vector:
        """Return the best decision.

        Parameters
        ----------
        costs : ndarray of shape (m,)

        Returns
        -------
        ndarray of shape (m,)
        """

    def batch(self, costs: Vector) -> Vector:
        """Return the best decisions for many examples, by default with one call for each example.

        Parameters
        ----------
        costs : ndarray of shape (n, m)

        Returns
        -------
        ndarray of shape (n, m)
        """
        # Copy each decision: a solver may return the same array again.
        found = [np.array(self(row), dtype=np.float64) for row in costs]
        return np.array(found).reshape(np.shape(costs))

    def improve(self, costs: Vector, decisions: Vector) -> Vector:
        """Search cheaply near ``decisions``; return decisions that are at least as good.

        Training calls ``improve`` with the best decision so far of each example. If ``improve``
        finds no better decision for any example, training calls the optimizer. The default returns
        ``decisions``.

        Parameters
        ----------
        costs : ndarray of shape (n, m)
        decisions : ndarray of shape (n, m)
            Feasible decisions.

        Returns
        -------
        ndarray of shape (n, m)
            Feasible decisions.
        """
        return decisions

    def decisions(self) -> Iterable[Vector]:
        """Return all feasible decisions, for tests on small sets.

        Raises
        ------
        NotImplementedError
            If the optimizer cannot list its decisions, as in the base class.
        """
        raise NotImplementedError(f"{type(self).__name__} does not list its decisions")

    def require_feasible(self, decision: Any) -> None:  # noqa: B027 - optional, not abstract
        """Raise a ValueError if a decision is infeasible; by default every decision is accepted."""

    def _arguments(self) -> dict[str, Any]:
        """Return a dict of the constructor's arguments that are stored as attributes."""
        names = inspect.signature(type(self)).parameters
        return {name: getattr(self, name) for name in names if hasattr(self, name)}

    def __repr__(self) -> str:
        parameters = inspect.signature(type(self)).parameters
        shown = (
            f"{name}={_brief(value)}"
            for name, value in self._arguments().items()
            if not _is_same(value, parameters[name].default)
        )
        return f"{type(self).__name__}({', '.join(shown)})"


def _is_same(value: Any, default: Any) -> bool:
    return value is default or (type(value) in (int, float, str) and value == default)


def _brief(value: Any) -> str:
    """Return the ``repr`` of a value, or its type if the ``repr`` is long or has an address."""
    if inspect.isroutine(value):
        return value.__name__
    shown = repr(value)
    of_address = shown.startswith("<") or "object at 0x" in shown
    return f"<{type(value).__name__}>" if of_address or len(shown) > LONGEST else shown
