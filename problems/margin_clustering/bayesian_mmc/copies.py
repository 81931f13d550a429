"""Rows that occur several times."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices


def distinct_rows(X: Any) -> tuple[Indices, Indices]:
    """The rows that differ, by their first copies, and for every row the position of its own."""
    if sparse.issparse(X):
        X = X.sorted_indices()
        X.eliminate_zeros()
        keys = [
            (X.indices[i:j].tobytes(), X.data[i:j].tobytes())
            for i, j in zip(X.indptr[:-1], X.indptr[1:], strict=True)
        ]
    else:
        keys = [(row + 0.0).tobytes() for row in X]  # + 0.0 makes -0.0 the same as 0.0
    position: dict[Any, int] = {}
    copy_of = np.array([position.setdefault(key, len(position)) for key in keys], dtype=np.intp)
    return np.unique(copy_of, return_index=True)[1], copy_of
