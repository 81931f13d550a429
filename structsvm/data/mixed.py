"""Rows with both sparse and dense features, such as words and embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.examples import ExampleContainer


@dataclass(eq=False, repr=False)
class MixedRows(ExampleContainer):
    """Rows whose first columns are sparse and whose last columns are dense.

    Parameters
    ----------
    sparse : CSR matrix of shape (n, d1)
    dense : ndarray of shape (n, d2)
        The last columns, in the same precision as the first columns.
    """

    ndim = 2

    sparse: Any
    dense: Any

    of_examples = ("sparse", "dense")

    @classmethod
    def stacked(cls, parts: Sequence[MixedRows]) -> MixedRows:
        """Stack rows."""
        upper = sparse.vstack([part.sparse for part in parts], format="csr")
        return cls(upper, np.concatenate([part.dense for part in parts]))

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), self.sparse.shape[1] + self.dense.shape[1]

    @property
    def dtype(self) -> Any:
        return self.sparse.dtype

    @property
    def size(self) -> int:
        """The number of stored entries."""
        return int(self.sparse.size + self.dense.size)

    def __mul__(self, factor: float) -> MixedRows:
        return MixedRows(self.sparse * factor, self.dense * factor)

    def tocsr(self) -> Any:
        """Return all columns as one CSR matrix."""
        return sparse.hstack([self.sparse, sparse.csr_matrix(self.dense)], format="csr")
