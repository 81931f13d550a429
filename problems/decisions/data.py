"""Containers of inputs, and containers of true costs with their best decisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import n_examples, require_examples, take
from structsvm.data.examples import ExampleContainer, Spans
from structsvm.data.matrices import (
    checked_numbers,
    in_floats,
    one_array,
    require_matrix,
    stacked_matrices,
)
from structsvm.problems.decisions.optimizers import Optimizer, as_optimizer
from structsvm.problems.programs.program import Program


class Instance(NamedTuple):
    """An input with a separate feasible set.

    Attributes
    ----------
    features : ndarray of shape (p,) or (m, p)
        Features of the example if each cost has separate weights, or features of each of the m
        costs if all costs share their weights. The features may also be a CSR matrix.
    optimize : Optimizer, Program or callable
        The optimizer, which returns the best decision of this example for an array of costs.
    """

    features: Any
    optimize: Any


@dataclass(eq=False, repr=False)
class DecisionInputs(ExampleContainer):
    """Inputs of :class:`DecisionProblem`.

    Attributes
    ----------
    rows : array or CSR matrix of shape (n_rows, p), float64
        The features: a row for each example or, with shared weights, for each cost of each example.
    layout : Spans
        The span of rows that belongs to each example.
    shared : bool
        Whether all costs share their weights.
    own : list of n Optimizer, or None
        The optimizer of each example, or None if all examples share one optimizer.
    """

    rows: Any
    layout: Spans
    shared: bool
    own: list[Optimizer] | None = None

    of_examples, of_rows = ("own",), ("rows",)

    @classmethod
    def of(cls, X: Any, sense: Any = "min") -> DecisionInputs:
        """Convert inputs to this container, from any form that :class:`DecisionProblem` accepts.

        Raise a ValueError if the form of the inputs is invalid.
        """
        if isinstance(X, DecisionInputs):
            return X
        n = require_examples(X)
        if sparse.issparse(X) or (isinstance(X, np.ndarray) and X.dtype != object):
            m = X.shape[1] if X.ndim == 3 else 1
            rows = X.reshape(n * m, X.shape[2]) if X.ndim == 3 else X
            return cls(_checked(rows), Spans(np.full(n, m)), X.ndim == 3)
        given, own = apart("X", [X[i] for i in range(n)], sense)
        parts = [_features(i, features) for i, features in enumerate(given)]
        shared = parts[0].ndim == 2
        for i, part in enumerate(parts):
            if (part.ndim == 2) != shared:
                raise ValueError(
                    f"X[{i}] has features of shape {part.shape}, and X[0] of {parts[0].shape}: "
                    "expected (p,) for all examples, or (m, p) for all, a row for each cost"
                )
            if (p := part.shape[-1]) != parts[0].shape[-1]:
                raise ValueError(f"X[{i}] has {p} features, and X[0] has {parts[0].shape[-1]}")
        rows = [part if shared else part.reshape(1, -1) for part in parts]
        layout = Spans(np.array([part.shape[0] for part in rows]))
        return cls(_checked(stacked_matrices(rows)), layout, shared, own)

    def __len__(self) -> int:
        return len(self.layout)

    def example(self, i: int) -> Any:
        rows = take(self.rows, self.layout.rows(i))
        features = rows if self.shared or sparse.issparse(rows) else rows[0]
        return features if self.own is None else Instance(features, self.own[i])

    def optimizers(self, common: Any) -> Any:
        """Return ``common`` or the examples' own optimizers, of which exactly one must be given."""
        if common is None and self.own is None:
            raise ValueError(
                "optimize is None, which is for inputs that have feasible sets of their own: pass "
                "an optimizer, or X of Instance"
            )
        if common is not None and self.own is not None:
            raise ValueError(
                "optimize is given, and the inputs have optimizers of their own: leave one of them "
                "out"
            )
        return self.own if common is None else common


def apart(name: str, X: Any, sense: Any) -> tuple[list[Any], list[Optimizer] | None]:
    """Split inputs into a list of features and a list of optimizers, or None without optimizers."""
    features, own = zip(*map(_split, X), strict=True)
    if all(optimize is None for optimize in own):
        return list(features), None
    return list(features), [_optimizer(f"{name}[{i}]", o, sense) for i, o in enumerate(own)]


def _split(x: Any) -> tuple[Any, Any]:
    """Return the features of an input, and its optimizer, or None if it has none."""
    if isinstance(x, Program):
        return x.features, x
    if type(x) is tuple and len(x) == 2 and callable(x[1]):
        raise ValueError("an input is a tuple; write Instance(features, optimizer)")
    return x if isinstance(x, Instance) else (x, None)


def _features(i: int, features: Any) -> Any:
    """Return the features of the i-th input as an array or matrix of shape (p,) or (m, p)."""
    part = features if sparse.issparse(features) else one_array(f"X[{i}]", features)
    if part.ndim not in (1, 2) or part.shape[0] == 0:
        raise ValueError(
            f"X[{i}] must have features of shape (p,), or (m, p), a row for each cost; got shape "
            f"{part.shape}"
        )
    return part


def _optimizer(name: str, optimize: Any, sense: Any) -> Optimizer:
    """Return the optimizer of an input; error messages call the input ``name``."""
    if optimize is None:
        raise ValueError(f"{name} has no feasible set of its own, as others have: use Instance")
    try:
        return as_optimizer(optimize, sense)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from None


def _checked(rows: Any) -> Any:
    require_matrix(rows)
    return in_floats(rows).astype(np.float64, copy=False)


class Optimum(NamedTuple):
    """An output of :class:`DecisionProblem`: true costs, and the best decision for them.

    Attributes
    ----------
    costs, decision : ndarray of shape (m,)
    """

    costs: Vector
    decision: Vector


@dataclass(eq=False, repr=False)
class Optima(ExampleContainer):
    """The true costs of n examples, and their best decisions.

    Attributes
    ----------
    costs, decisions : ndarray of shape (n_costs,)
        The concatenated costs of all examples, and their concatenated best decisions.
    layout : Spans
        The span of costs that belongs to each example.
    numbers : ndarray of shape (n,)
        The numbers of the examples, for error messages.
    """

    costs: Vector
    decisions: Vector
    layout: Spans
    numbers: Indices

    of_examples, of_rows = ("numbers",), ("costs", "decisions")

    @classmethod
    def of(cls, Y: Any) -> Optima:
        """Pack a sequence of :class:`Optimum`; raise a ValueError for outputs of other types."""
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
        layout = Spans(np.array([len(y.costs) for y in found], dtype=np.intp))
        costs, decisions = (np.concatenate(part).astype(float) for part in zip(*found, strict=True))
        return cls(costs, decisions, layout, np.arange(len(found)))

    def example(self, i: int) -> Optimum:
        rows = self.layout.rows(i)
        return Optimum(self.costs[rows], self.decisions[rows])

    @property
    def values(self) -> Vector:
        """The value of the best decision of each example, shape (n,)."""
        return self.sums(self.costs * self.decisions)

    def sums(self, values: Vector) -> Vector:
        """Sum the values of each example."""
        return np.add.reduceat(values, self.layout.starts[:-1])


def holds_optima(Y: Any) -> bool:
    """Whether the first element of a sequence is an :class:`Optimum`."""
    if isinstance(Y, Optima):
        return True
    return isinstance(Y, (list, tuple, np.ndarray)) and len(Y) > 0 and isinstance(Y[0], Optimum)


def flat_decisions(outputs: Any) -> Vector:
    """Concatenate the decisions in ``outputs``; each output is an Optimum or a decision."""
    if isinstance(outputs, Optima):
        return outputs.decisions
    if isinstance(outputs, np.ndarray) and outputs.dtype != object:
        return outputs.reshape(-1)
    return np.concatenate([decision_of(outputs[i]) for i in range(len(outputs))])


def decision_of(output: Any) -> Vector:
    """Return the decision of an output, which is a decision or an Optimum."""
    return np.asarray(output.decision if isinstance(output, Optimum) else output, dtype=np.float64)


def flat_costs(costs: Any, called: str) -> tuple[Vector, Spans]:
    """Check and concatenate the costs of all examples; return the costs and their spans."""
    if sparse.issparse(costs):
        raise ValueError(f"{called} must be an array; pass {called}.toarray()")
    n = n_examples(costs, called)
    if n == 0:
        raise ValueError(f"{called} is empty; expected the costs of at least one example")
    if isinstance(costs, np.ndarray) and costs.ndim == 2 and costs.dtype != object:
        rows: Any = checked_numbers(called, costs)
    else:
        rows = [checked_numbers(f"{called}[{i}]", costs[i]) for i in range(n)]
    for i, row in enumerate(rows):
        if row.ndim != 1 or not len(row):
            raise ValueError(
                f"{called} must hold an array of m > 0 costs for each example; {called}[{i}] has "
                f"shape {row.shape}"
            )
    values, layout = np.concatenate(rows), Spans(np.array([len(row) for row in rows]))
    if not np.isfinite(values).all():
        place = int(np.argmin(np.isfinite(values)))
        i = int(layout.owner[place])
        raise ValueError(
            f"costs must be finite; {called}[{i}] has {values[place]} at {place - layout.starts[i]}"
        )
    return values, layout


def by_example(values: Vector, layout: Spans) -> Any:
    """Split concatenated values into one row per example, or into a list if sizes differ."""
    sizes = layout.sizes
    if (sizes == sizes[0]).all():
        return values.reshape(len(sizes), -1)
    return np.split(values, layout.starts[1:-1])
