"""Convert, number, compare and enumerate partitions of an item set, given as labels."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.data.identifiers import numbered


class BlockPartition(NamedTuple):
    """A partition of a block of records whose pairs are only partly listed.

    Attributes
    ----------
    labels : ndarray of shape (m,)
    together : ndarray of shape (n_pairs,)
        For each listed pair, 1 if the pair is inside a cluster and 0 if it is between clusters.
    n_together : float
        The number of all pairs inside clusters, including pairs that are not in ``together``.
    """

    labels: Indices
    together: Vector
    n_together: float

    @property
    def only_listed(self) -> bool:
        """Whether every pair inside a cluster is listed."""
        return bool(self.n_together == self.together.sum())


def labels_of(y: Any) -> Any:
    """Return the labels of a partition, or a matrix unchanged."""
    return y.labels if isinstance(y, BlockPartition) else y


def codes_of(labels: Any, m: int, name: str = "y") -> Indices:
    """Return labels of any type as codes 0..k-1 of shape (m,); no label may be missing."""
    codes = numbered(name, labels, m, f"hold a label for each of {m} items")
    unknown = [i for i, label in enumerate(labels) if isinstance(label, Real) and label == -1]
    if unknown:
        raise ValueError(
            f"{name} has the label -1 for item {unknown[0]}, which means unknown in "
            "structsvm and noise in scikit-learn; use another label, since every item of a "
            "partition must have a cluster"
        )
    return codes


def overlaps(codes: Indices, others: Indices) -> tuple[Indices, Indices, Vector]:
    """Return the pairs of clusters of two partitions that share items, and how many they share."""
    width = int(others.max()) + 1
    both, counts = np.unique(codes * width + others, return_counts=True)
    return both // width, both % width, counts.astype(np.float64)


def factors_of(y: Any) -> tuple[Any, Vector]:
    """Return a matrix F and weights; F diag(weights) F' is the matrix Z of the partition."""
    if y.ndim == 2:
        weights, vectors = np.linalg.eigh(y)
        return sparse.csr_matrix(vectors), weights
    clusters, m = int(y.max()) + 1, len(y)
    indicator = sparse.csr_matrix((np.ones(m), y, np.arange(m + 1)), shape=(m, clusters))
    return indicator, np.ones(clusters)


def partitions(m: int, k: int | None = None) -> Iterator[Indices]:
    """Yield every partition of m items once or, with k, every partition into k clusters."""

    def extend(codes: list[int], used: int) -> Iterator[list[int]]:
        left = m - len(codes)
        # Too few items are left to open all k clusters.
        if k is not None and used + left < k:
            return
        if not left:
            yield codes
            return
        # An item joins a used cluster or opens the next one, so each partition occurs once.
        for code in range(min(used + 1, m if k is None else k)):
            yield from extend([*codes, code], max(used, code + 1))

    return (np.array(codes, dtype=np.intp) for codes in extend([0], 1))
