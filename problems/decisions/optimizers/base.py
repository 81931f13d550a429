"""A set of feasible decisions with its solver: what an optimizer must offer."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from structsvm.contract.problem import OracleCost
from structsvm.data.arrays import Vector
from structsvm.problems.programs.search import Quality

Sense = Literal["min", "max"]

#: Characters of a value that a ``repr`` shows.
LONGEST = 60


class Optimizer(ABC):
    """A set of feasible decisions, with a solver that finds the best one for given costs.

    The value of a decision z with costs c is the sum of their products, c z. Decisions may be 0/1
    vectors, integers or real numbers; all are arrays of float64, so that they are alike in
    products. A subclass has the method ``__call__``; all else is optional.

    Attributes
    ----------
    sense : {'min', 'max'}, default='min'
        Whether the best decision has the least or the largest value.
    oracle_quality : {'exact', 'undergenerating'}, default='exact'
        'undergenerating' if the solver may miss the best decision: for a gap, a time limit, or a
        heuristic.
    oracle_cost : {'cheap', 'expensive'}, default='expensive'
        'cheap' if a decision takes microseconds in the batch form.
    takes_batch : bool, default=False
        Whether the batch form takes less time than a call for each. Training then calls it for all
        that are solved at once; else ``n_jobs`` processes solve one example each.
    n_costs : int or None, default=None
        The number of costs m, where it is known.

    Examples
    --------
    The best two of the choices:

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
        """Return the best decisions for many costs; by default one call for each.

        Parameters
        ----------
        costs : ndarray of shape (n, m)

        Returns
        -------
        ndarray of shape (n, m)
        """
        # Each is copied: a solver may return the same array again.
        found = [np.array(self(row), dtype=np.float64) for row in costs]
        return np.array(found).reshape(np.shape(costs))

    def improve(self, costs: Vector, decisions: Vector) -> Vector:
        """Return decisions that are no worse, by a cheap search near the given ones.

        Training improves the best known decision of each example before it calls the optimizer,
        and calls that only where no decision found is new. By default the given ones are returned.

        Parameters
        ----------
        costs : ndarray of shape (n, m)
        decisions : ndarray of shape (n, m)
            Feasible ones.

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
            The optimizer does not list its decisions, as is the default.
        """
        raise NotImplementedError(f"{type(self).__name__} does not list its decisions")

    def require_feasible(self, decision: Any) -> None:  # noqa: B027 - optional, not abstract
        """Raise a ValueError unless a decision is feasible; by default all are taken for such."""

    def _arguments(self) -> dict[str, Any]:
        """The arguments of the constructor that are stored, by their names."""
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
    """A value as it is written where that is short, else its kind."""
    if inspect.isroutine(value):
        return value.__name__
    shown = repr(value)
    of_address = shown.startswith("<") or "object at 0x" in shown
    return f"<{type(value).__name__}>" if of_address or len(shown) > LONGEST else shown
