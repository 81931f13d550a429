"""Checks of costs and decisions, and the base class of optimizers with a fixed number of costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.data.matrices import checked_numbers
from structsvm.problems.decisions.optimizers.base import Optimizer

#: Largest number of costs for which all decisions are listed.
FEW = 16
#: Number of costs up to which an algorithm of nearly linear time takes microseconds.
CHEAP = 1_000


class CheckedOptimizer(Optimizer):
    """An optimizer with a fixed number of costs; costs are checked before the search."""

    n_costs: int
    _search: Any

    def __call__(self, costs: Any) -> Vector:
        return np.asarray(self._solve(checked_costs(self, costs, (self.n_costs,))[None])[0])

    def batch(self, costs: Any) -> Vector:
        return self._solve(checked_costs(self, costs, (None, self.n_costs)))

    def decisions(self) -> Iterable[Vector]:
        """Return all feasible decisions, which are 0/1 vectors.

        A 0/1 vector is feasible if it is the best decision for costs that favour its ones and
        penalise its zeros.

        Raises
        ------
        NotImplementedError
            If there are more than 16 costs.
        """
        if self.n_costs > FEW:
            raise NotImplementedError(f"decisions of at most {FEW} costs are listed")
        sign = -1.0 if self.sense == "max" else 1.0
        vectors = np.array(list(product((0.0, 1.0), repeat=self.n_costs)))
        found = self.batch(sign * (1 - 2 * vectors))
        return iter(vectors[np.all(found == vectors, axis=1)])

    def __getstate__(self) -> dict[str, Any]:
        """Return the arguments of the constructor, from which the optimizer is restored."""
        return self._arguments()

    def __setstate__(self, state: dict[str, Any]) -> None:
        type(self).__init__(self, **state)

    def _solve(self, costs: Vector) -> Vector:
        """Return the best decisions for costs of shape (n, m), by default from ``_search``."""
        return np.asarray(self._search(costs))


def checked_costs(optimizer: Optimizer, costs: Any, shape: tuple[int | None, ...]) -> Vector:
    """Return the costs in float64; raise a ValueError unless they are finite and have ``shape``.

    If ``shape`` contains None, any number of examples is allowed.
    """
    if not (isinstance(costs, np.ndarray) and costs.dtype == np.float64):
        costs = checked_numbers("costs", costs)
    if costs.ndim != len(shape) or costs.shape[-1] != shape[-1]:
        expected = f"({shape[0]},)" if len(shape) == 1 else f"(n, {shape[1]})"
        raise ValueError(
            f"{optimizer!r} needs costs of shape {expected}, one for each of {shape[-1]} entries "
            f"of a decision; got shape {costs.shape}"
        )
    finite = np.isfinite(costs)
    if not finite.all():
        place = tuple(np.argwhere(~finite)[0].tolist())
        raise ValueError(
            f"costs must be finite; costs[{', '.join(map(str, place))}] is {costs[place]}"
        )
    return np.asarray(costs)


class ChosenIndices(ValueError):
    """The error if a function returned indices of chosen entries instead of a decision."""


def checked_decisions(name: str, found: Any, shape: tuple[int, ...]) -> Vector:
    """Return a function's decisions; raise a ValueError unless they have the shape of the costs."""
    try:
        decisions = checked_numbers(f"the decision of {name}", found)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{name} must return the decision alone, an array of shape {shape}, as the costs are; "
            f"it returned a {type(found).__name__}: {error}"
        ) from error
    if decisions.shape != shape:
        returned = "None" if found is None else f"shape {decisions.shape}"
        message = (
            f"{name} must return a decision of shape {shape}, as the costs are; it returned "
            f"{returned}"
        )
        if _are_places(decisions, shape):
            chosen = "numpy.isin(numpy.arange(len(costs)), chosen).astype(float)"
            if len(shape) == 2:
                chosen = "numpy.eye(costs.shape[1])[chosen]"
            raise ChosenIndices(f"{message}. If these are the chosen indices, return {chosen}")
        raise ValueError(message)
    if not np.isfinite(decisions).all():
        raise ValueError(f"{name} must return finite numbers; it returned NaN or infinity")
    return decisions


def _are_places(found: Vector, shape: tuple[int, ...]) -> bool:
    """Return whether ``found`` looks like the indices of the chosen entries, not like 0s and 1s."""
    if found.ndim > 1 or not found.size or (found != np.floor(found)).any():
        return False
    within = bool(((found >= 0) & (found < shape[-1])).all())
    alone = len(np.unique(found)) == found.size if len(shape) == 1 else found.shape == shape[:1]
    return within and alone


def one_by_one(solve: Callable[[Vector], Vector], costs: Vector) -> Vector:
    """Return the decisions of a solver that takes the costs of one example at a time."""
    return in_blocks(lambda costs: solve(costs[0]), costs, 1)


def in_blocks(solve: Callable[..., Vector], costs: Vector, size: int, *more: Vector) -> Vector:
    """Solve ``size`` examples at a time; return all decisions. ``more`` is split like the costs."""
    decisions, size = np.empty(costs.shape), max(1, size)
    for start in range(0, len(costs), size):
        block = slice(start, start + size)
        decisions[block] = solve(costs[block], *(values[block] for values in more))
    return decisions
