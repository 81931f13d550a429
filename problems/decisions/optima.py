"""Costs with the decisions that are best for them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.examples import ExampleContainer, Spans


class Optimum(NamedTuple):
    """An output of :class:`DecisionProblem`: true costs, and the best decision for them.

    Attributes
    ----------
    costs, decision : ndarray of shape (m,)
    """

    costs: Vector
    decision: Vector


class Optima(ExampleContainer):
    """The true costs of n examples, and their best decisions.

    Attributes
    ----------
    costs, decisions : ndarray of shape (n_costs,)
        Those of one example after the other.
    spans : Spans
        The costs of each example.
    numbers : ndarray of shape (n,)
        The numbers of the examples, for messages.
    """

    def __init__(self, costs: Vector, decisions: Vector, spans: Spans, numbers: Indices) -> None:
        self.costs, self.decisions = costs, decisions
        self.spans, self.numbers = spans, numbers

    @classmethod
    def of(cls, Y: Any) -> Optima:
        """Pack a sequence of :class:`Optimum`; a ValueError for others."""
        if isinstance(Y, Optima):
            return Y
        found = [Y[i] for i in range(len(Y))]
        for i, y in enumerate(found):
            if not isinstance(y, Optimum):
                raise ValueError(
                    f"an output must be an Optimum, costs with the best decision for them; Y[{i}] "
                    f"is {type(y).__name__}: best_decisions(optimize, costs) makes them"
                )
            if np.shape(y.costs) != np.shape(y.decision) or np.ndim(y.costs) != 1:
                raise ValueError(
                    f"Y[{i}] must have costs and a decision of the same shape (m,); got "
                    f"{np.shape(y.costs)} and {np.shape(y.decision)}"
                )
        spans = Spans(np.array([len(y.costs) for y in found], dtype=np.intp))
        costs, decisions = (np.concatenate(part).astype(float) for part in zip(*found, strict=True))
        return cls(costs, decisions, spans, np.arange(len(found)))

    @property
    def values(self) -> Vector:
        """The value of the best decision of each example, shape (n,)."""
        return sums(self.costs * self.decisions, self.spans)

    def __len__(self) -> int:
        return len(self.spans)

    def example(self, i: int) -> Optimum:
        rows = self.spans.rows(i)
        return Optimum(self.costs[rows], self.decisions[rows])

    def part(self, which: Any) -> Optima:
        rows, spans = self.spans.rows_of(which), Spans(self.spans.sizes[which])
        return Optima(self.costs[rows], self.decisions[rows], spans, self.numbers[which])


def holds_optima(Y: Any) -> bool:
    """Whether a sequence holds :class:`Optimum`, by its first element."""
    if isinstance(Y, Optima):
        return True
    return isinstance(Y, (list, tuple, np.ndarray)) and len(Y) > 0 and isinstance(Y[0], Optimum)


def flat_decisions(outputs: Any) -> Vector:
    """Decisions of one example after the other, also those of optima."""
    if isinstance(outputs, Optima):
        return outputs.decisions
    if isinstance(outputs, np.ndarray) and outputs.dtype != object:
        return outputs.reshape(-1)
    return np.concatenate([decision_of(outputs[i]) for i in range(len(outputs))])


def decision_of(output: Any) -> Vector:
    """The decision of an output."""
    return np.asarray(output.decision if isinstance(output, Optimum) else output, dtype=np.float64)


def by_example(values: Vector, spans: Spans) -> Any:
    """Values of one example after the other: a row each where all have as many."""
    sizes = spans.sizes
    if (sizes == sizes[0]).all():
        return values.reshape(len(sizes), -1)
    return np.split(values, spans.starts[1:-1])


def sums(values: Vector, spans: Spans) -> Vector:
    """The sum of the values of each example."""
    return np.add.reduceat(values, spans.starts[:-1])
