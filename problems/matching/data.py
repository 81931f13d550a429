"""Inputs of matchings: two sets of items, with features of their pairs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices
from structsvm.data.containers import n_examples
from structsvm.data.examples import ExampleContainer, Spans
from structsvm.data.matrices import (
    in_floats,
    product_dtype,
    require_matrix,
    require_unmasked,
    side_by_side,
    stacked_matrices,
)
from structsvm.data.ragged import Ragged
from structsvm.data.sparse_indices import as_csr

#: The column of a row without a partner.
UNMATCHED = -1


class Bipartite(NamedTuple):
    """Two sets of m and n items, with features of the pairs and of single items.

    The features of an item are features of every pair that contains the item.

    Attributes
    ----------
    pairs : ndarray of shape (m, n, d), or CSR matrix of shape (m * n, d)
        The features of the pairs; row ``i * n + j`` of a sparse matrix belongs to items i and j.
    left : ndarray or CSR matrix of shape (m, p)
        The features of the items of the first set. The matrix may have no columns.
    right : ndarray or CSR matrix of shape (n, q)
        The features of the items of the second set. The matrix may have no columns.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm.problems import Assignment, Bipartite
    >>> x = Bipartite(np.zeros((2, 3, 4)), left=np.ones((2, 1)), right=np.empty((3, 0)))
    >>> problem = Assignment()
    >>> problem.initialize([x], [np.array([2, 0])])
    >>> problem.size_joint_feature
    5
    """

    pairs: Any
    left: Any
    right: Any

    @property
    def dtype(self) -> Any:
        """The dtype of products with features of pairs; the dtype determines rounding errors."""
        return product_dtype(self.pairs) if hasattr(self.pairs, "dtype") else None


@dataclass(eq=False, repr=False)
class PairRows(ExampleContainer):
    """A container of inputs: one matrix with a row of features for each pair of items.

    If ``pairs`` is a PairRows container, ``pairs[i]`` is a container of only the i-th input.

    Parameters
    ----------
    rows : array or CSR matrix of shape (n_pairs, d)
        The features of all pairs. Row ``i * n + j`` of an input belongs to the pair (i, j).
    layout : Spans
        The range of rows of each input.
    shapes : ndarray of shape (n_examples, 2)
        For each input, the numbers m and n of items of its two sets.
    n_of_pairs : int
        Number of features of pairs, which come before the features of single items.
    """

    rows: Any
    layout: Spans
    shapes: Any
    n_of_pairs: int

    of_rows, of_examples = ("rows",), ("shapes",)

    @classmethod
    def of(cls, X: Any, constant: bool) -> PairRows:
        """Check the inputs and pack them; with ``constant``, add a feature that is 1."""
        packed = []
        for i in range(n_examples(X)):
            try:
                packed.append(_rows(X[i], constant))
            except ValueError as error:
                raise ValueError(f"X[{i}]: {error}") from None
            d, first = (rows.shape[1] for rows, *_ in (packed[-1], packed[0]))
            if d != first:
                raise ValueError(f"X[{i}] has {d} features of a pair, but X[0] has {first}")
        matrices, sides, of_pairs = zip(*packed, strict=True)
        shapes = np.array(sides)
        return cls(stacked_matrices([*matrices]), Spans(shapes.prod(axis=1)), shapes, of_pairs[0])

    @cached_property
    def owner(self) -> Indices:
        """For every item of a first set, the index of its example, shape (sum of m,)."""
        return np.repeat(np.arange(len(self)), self.shapes[:, 0])

    @cached_property
    def first(self) -> Indices:
        """For each item of a first set, the index of its first pair, shape (sum of m,)."""
        return np.concatenate([[0], np.cumsum(self.shapes[self.owner, 1])[:-1]])

    def votes(self, y: Any, y_hat: Any, weights: Any = None) -> Any:
        """Return coefficients of all pairs in Psi(x, y) - Psi(x, y_hat), with a row per example.

        The result is a sparse matrix. For every item of the first set of each example, ``y`` and
        ``y_hat`` hold the column of the partner. With ``weights`` of the examples, the result is
        the weighted sum of the rows.
        """
        m = self.shapes[self.owner, 0]
        differ = y != y_hat  # equal columns cancel
        some = [np.flatnonzero(differ & (column != UNMATCHED)) for column in (y, y_hat)]
        values = np.concatenate([1 / m[some[0]], -1 / m[some[1]]])
        columns = np.concatenate([
            self.first[k] + c[k] for k, c in zip(some, (y, y_hat), strict=True)
        ])  # fmt: skip
        example, size = self.owner[np.concatenate(some)], len(self)
        if weights is not None:
            values, example, size = values * weights[example], np.zeros_like(example), 1
        values = values.astype(self.rows.dtype, copy=False)
        return sparse.csr_matrix((values, (example, columns)), (size, self.rows.shape[0]))


def packed_columns(Y: Any) -> Ragged:
    """Pack the outputs of many inputs; an output holds the column of every row of its input."""
    return Y if isinstance(Y, Ragged) else Ragged.of([np.asarray(Y[i]) for i in range(len(Y))])


def _rows(x: Any, constant: bool) -> tuple[Any, tuple[int, int], int]:
    """Return a row of features per pair, the sizes of the sets, and the number of pair features."""
    pairs, *items = map(as_csr, x) if isinstance(x, tuple) and len(x) == 3 else (x,)
    require_unmasked("the features", pairs)
    dense = isinstance(pairs, np.ndarray) and pairs.ndim == 3
    if not (dense or (items and sparse.issparse(pairs))):
        raise ValueError(
            "an input must be an array of shape (m, n, d), or a Bipartite, which may hold a sparse "
            f"matrix; got {_kind(pairs)}. Of a single example give [X] and [y]"
        )
    left, right = items or (np.empty((size, 0)) for size in pairs.shape[:2])
    for name, side in (("left", left), ("right", right)):
        if getattr(side, "ndim", 0) != 2:
            raise ValueError(f"{name} must be a matrix with a row for each item; got {_kind(side)}")
    m, n = left.shape[0], right.shape[0]
    if dense and pairs.shape[:2] != (m, n):
        raise ValueError(
            f"left and right must have {pairs.shape[0]} and {pairs.shape[1]} rows, as the pairs "
            f"have; got {m} and {n}"
        )
    if not dense and pairs.shape[0] != m * n:
        raise ValueError(
            f"sparse features of pairs of {m} and {n} items must have {m * n} rows; got "
            f"{pairs.shape[0]}"
        )
    if not m * n:
        raise ValueError(f"both sets must have items; got {m} and {n}")
    pairs = pairs.reshape(m * n, pairs.shape[2]) if dense else pairs
    parts = [pairs, left[np.repeat(np.arange(m), n)], right[np.tile(np.arange(n), m)]]
    if constant:
        parts.append(np.ones((m * n, 1), dtype=pairs.dtype))
    rows, *others = [part for part in parts if part.shape[1]] or parts[:1]
    rows = side_by_side([rows, *others]) if others else rows
    require_matrix(rows)
    return in_floats(rows), (m, n), pairs.shape[1]


def _kind(value: Any) -> str:
    """Return, for messages, the type of a value, and its shape if the value has a shape."""
    shape = getattr(value, "shape", None)
    return type(value).__name__ + ("" if shape is None else f" of shape {shape}")
