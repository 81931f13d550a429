"""Inputs of decisions: features, from which costs are predicted, and feasible sets."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Vector
from structsvm.data.containers import require_examples, take
from structsvm.data.examples import ExampleContainer, Spans
from structsvm.data.matrices import in_floats, one_array, require_matrix, stacked_matrices
from structsvm.problems.decisions.optimizers import Optimizer, as_optimizer
from structsvm.problems.programs.program import Program


class Instance(NamedTuple):
    """An input with a feasible set of its own.

    Attributes
    ----------
    features : ndarray of shape (p,) or (m, p)
        Those of the example, where each cost has weights of its own; or those of each of its m
        costs, where all costs share the weights. These may be a CSR matrix.
    optimize : Optimizer, Program or callable
        Returns the best decision of this example for given costs.
    """

    features: Any
    optimize: Any


class DecisionInputs(ExampleContainer):
    """Inputs of :class:`DecisionProblem`.

    Attributes
    ----------
    rows : array or CSR matrix of shape (n_rows, p), float64
        A row for each example, or with shared weights for each cost of each example.
    spans : Spans
        The rows of the examples.
    shared : bool
        Whether all costs share their weights.
    own : list of n Optimizer, or None
        The optimizers of the examples; None where they have one in common.
    """

    def __init__(self, rows: Any, spans: Spans, shared: bool, own: list[Optimizer] | None) -> None:
        self.rows, self.spans, self.shared, self.own = rows, spans, shared, own

    @classmethod
    def of(cls, X: Any, sense: Any = "min") -> DecisionInputs:
        """Pack inputs in any form that :class:`DecisionProblem` takes; a ValueError for others."""
        if isinstance(X, DecisionInputs):
            return X
        n = require_examples(X)
        if sparse.issparse(X) or (isinstance(X, np.ndarray) and X.dtype != object):
            if X.ndim == 3:
                sizes = np.full(n, X.shape[1])
                return cls(_checked(X.reshape(-1, X.shape[2])), Spans(sizes), True, None)
            return cls(_checked(X), Spans(np.ones(n, dtype=np.intp)), False, None)
        given = [_split(X[i]) for i in range(n)]
        parts = [_part(i, features) for i, (features, _) in enumerate(given)]
        shared = [features.ndim == 2 for features in parts]
        if any(shared) != all(shared):
            i = shared.index(not shared[0])
            raise ValueError(
                f"X[{i}] has features of shape {parts[i].shape}, and X[0] of {parts[0].shape}: "
                "expected (p,) for all examples, or (m, p) for all, a row for each cost"
            )
        rows = [part if shared[0] else part.reshape(1, -1) for part in parts]
        _require_columns(rows)
        spans = Spans(np.array([part.shape[0] for part in rows]))
        optimizers = [optimize for _, optimize in given]
        own = None
        if any(optimize is not None for optimize in optimizers):
            own = [_optimizer(i, optimize, sense) for i, optimize in enumerate(optimizers)]
        return cls(_checked(stacked_matrices(rows)), spans, shared[0], own)

    @property
    def are_single_rows(self) -> bool:
        """Whether each has one sparse row, which may be its own or that of its only cost."""
        return sparse.issparse(self.rows) and bool((self.spans.sizes == 1).all())

    def with_rows(self, rows: Any) -> DecisionInputs:
        """The same inputs with other features."""
        return DecisionInputs(rows, self.spans, self.shared, self.own)

    def __len__(self) -> int:
        return len(self.spans)

    def example(self, i: int) -> Any:
        rows = take(self.rows, self.spans.rows(i))
        features = rows if self.shared or sparse.issparse(rows) else rows[0]
        return features if self.own is None else Instance(features, self.own[i])

    def part(self, which: Any) -> DecisionInputs:
        rows, spans = take(self.rows, self.spans.rows_of(which)), Spans(self.spans.sizes[which])
        own = None if self.own is None else [self.own[i] for i in np.arange(len(self))[which]]
        return DecisionInputs(rows, spans, self.shared, own)


def require_one_optimizer(optimize: Any, inputs: DecisionInputs) -> None:
    """Raise a ValueError unless there is either one optimizer for all inputs, or one for each."""
    if optimize is None and inputs.own is None:
        raise ValueError(
            "optimize is None, which is for inputs that have feasible sets of their own: pass an "
            "optimizer, or X of Instance"
        )
    if optimize is not None and inputs.own is not None:
        raise ValueError(
            "optimize is given, and the inputs have optimizers of their own: leave one of them out"
        )


def _split(x: Any) -> tuple[Any, Any]:
    """The features of an input, and its own optimizer if it has one."""
    if isinstance(x, Program):
        return x.features, x
    if type(x) is tuple and len(x) == 2 and callable(x[1]):
        raise ValueError("an input is a tuple; write Instance(features, optimizer)")
    return x if isinstance(x, Instance) else (x, None)


def _part(i: int, features: Any) -> Any:
    """The features of the i-th input as floats, of shape (p,) or (m, p)."""
    part = features if sparse.issparse(features) else one_array(f"X[{i}]", features)
    if part.ndim not in (1, 2) or part.shape[0] == 0:
        raise ValueError(
            f"X[{i}] must have features of shape (p,), or (m, p), a row for each cost; got shape "
            f"{part.shape}"
        )
    return part


def _optimizer(i: int, optimize: Any, sense: Any) -> Optimizer:
    """The optimizer of the i-th input."""
    if optimize is None:
        raise ValueError(f"X[{i}] has no feasible set of its own, as others have: use Instance")
    try:
        return as_optimizer(optimize, sense)
    except (TypeError, ValueError) as error:
        raise type(error)(f"X[{i}]: {error}") from None


def _require_columns(rows: list[Any]) -> None:
    p = rows[0].shape[1]
    for i, part in enumerate(rows):
        if part.shape[1] != p:
            raise ValueError(f"X[{i}] has {part.shape[1]} features, and X[0] has {p}")


def _checked(rows: Any) -> Any:
    require_matrix(rows)
    return in_floats(rows).astype(np.float64, copy=False)


class CostWeights:
    """The weights w of costs that are linear in features, and the products with them.

    Costs and changes of decisions are flat here: those of one example after the other.

    Parameters
    ----------
    n_costs : int or None
        The number m of costs, each with p weights of its own; None where all share p weights.
    n_features : int
        p.
    """

    def __init__(self, n_costs: int | None, n_features: int) -> None:
        self.n_costs, self.n_features = n_costs, n_features
        self.size = n_features * (n_costs or 1)

    def matrix(self, w: Vector) -> Vector:
        """The weights, of shape (m, p) or (p,)."""
        return w if self.n_costs is None else w.reshape(self.n_costs, self.n_features)

    def costs(self, rows: Any, w: Vector) -> Vector:
        """The predicted costs."""
        return np.asarray(rows @ self.matrix(w).T).reshape(-1)

    def gradient(self, rows: Any, change: Vector) -> Vector:
        """The sum over all costs of a change times the gradient of the cost in w."""
        if self.n_costs is None:
            return np.asarray(rows.T @ change)
        return np.asarray(rows.T @ change.reshape(-1, self.n_costs)).T.reshape(-1)

    def gradients(self, inputs: DecisionInputs, change: Vector) -> Any:
        """The same sum for each example, a row each; sparse where the features are."""
        rows = inputs.rows
        if self.n_costs is None:
            places = np.arange(len(change))
            votes = sparse.csr_matrix(
                (change, places, inputs.spans.starts), (len(inputs), len(change))
            )
            return votes @ rows
        change = change.reshape(-1, self.n_costs)
        if not sparse.issparse(rows):
            return (change[:, :, None] * rows[:, None, :]).reshape(len(inputs), -1)
        return _outer_products(change, rows)


def _outer_products(left: Vector, right: Any) -> Any:
    """The flat outer product of each row of an array with that of a CSR matrix, as a CSR matrix."""
    owner, columns = np.nonzero(left)
    entries = Spans(np.diff(right.indptr))
    sizes = entries.sizes[owner]
    places = entries.rows_of(owner)
    indices = np.repeat(columns, sizes) * right.shape[1] + right.indices[places]
    data = np.repeat(left[owner, columns], sizes) * right.data[places]
    indptr = np.concatenate([[0], np.cumsum(entries.sizes * np.count_nonzero(left, axis=1))])
    shape = len(left), left.shape[1] * right.shape[1]
    return sparse.csr_matrix((data, indices, indptr), shape)
