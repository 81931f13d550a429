"""Differences of the joint features of two labellings, for all sequences at once.

``true`` and ``found`` are label codes, in the order of the layout of the inputs X.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.data.mixed import MixedRows
from structsvm.problems.sequences.chain.packed import ChainLayout, PackedFeatures


def difference_rows(X: PackedFeatures, true: Indices, found: Indices) -> Any:
    """The difference for each sequence, a CSR matrix of shape (n, size_joint_feature)."""
    layout, k = X.layout, X.states.k
    rows = X.rows.tocsr() if isinstance(X.rows, MixedRows) else X.rows
    n, sequence = len(layout.lengths), layout.sequence
    # A slot is a label that occurs in a sequence, in either labelling: all other weights are 0.
    slots, which = np.unique([sequence * k + true, sequence * k + found], return_inverse=True)
    plus, minus = which.reshape(2, -1)
    votes = _votes(plus, minus, np.ones(len(true)), len(slots)).astype(rows.dtype)
    unary = _interleaved(votes @ rows, *np.divmod(slots, k), (n, k))
    # The first n stored positions begin a sequence; all from n on have a predecessor.
    codes, before = np.stack([true, found]), layout.before
    columns = (codes[:, before] * k + codes[:, n:]).ravel()
    signs, places = np.repeat([1.0, -1.0], len(before)), np.tile(sequence[n:], 2)
    of_pairs = sparse.csr_matrix((signs, (places, columns)), (n, k * k))
    return sparse.hstack([X.states.of_joint(unary), of_pairs], format="csr")


def difference_sum(X: PackedFeatures, true: Indices, found: Indices, weights: Vector) -> Vector:
    """The sum of the differences with a weight for each sequence, shape (size_joint_feature,)."""
    layout, k = X.layout, X.states.k
    weight = np.asarray(weights)[layout.sequence]
    unary = X.features.sums(_votes(true, found, weight, k).astype(X.rows.dtype))
    pairs = pair_counts(true, layout, k, weight) - pair_counts(found, layout, k, weight)
    return np.concatenate([unary.astype(np.float64), pairs.ravel()])


def pair_counts(codes: Indices, layout: ChainLayout, k: int, weight: Any = None) -> Vector:
    """Counts, or sums of weights, of one label following another; shape (k, k)."""
    later = slice(len(layout.lengths), None)
    pairs = codes[layout.before] * k + codes[later]
    weight = None if weight is None else weight[later]
    return np.bincount(pairs, weight, k * k).astype(np.float64).reshape(k, k)


def _interleaved(values: Any, rows: Any, labels: Any, shape: tuple[int, int]) -> Any:
    """A CSR matrix of shape (n, d k): values[j] in row rows[j], in the columns of labels[j].

    The values are sorted by row, and by label within a row.
    """
    n, k = shape
    d = values.shape[1]
    values = sparse.csr_matrix(values)
    columns = values.indices.astype(np.intp) * k + np.repeat(labels, np.diff(values.indptr))
    first = np.searchsorted(rows, np.arange(n + 1))
    return sparse.csr_matrix((values.data, columns, values.indptr[first]), (n, d * k))


def _votes(plus: Any, minus: Any, weight: Any, m: int) -> Any:
    """A sparse (m, n) matrix: column j has weight[j] in row plus[j], -weight[j] in row minus[j]."""
    some = np.flatnonzero(plus != minus)  # the others cancel
    rows = np.concatenate([plus[some], minus[some]])
    values = np.concatenate([weight[some], -weight[some]])
    return sparse.csr_matrix((values, (rows, np.tile(some, 2))), (m, len(plus)))
