"""Similarities, by which oracles cluster items, and checks of similarities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.validation import require_integer

#: Largest difference between K v and K' v, relative to their largest possible value.
ROUNDING = 1e-9


@dataclass(frozen=True)
class PairSimilarity:
    """The similarities of listed pairs, and one number for all other pairs.

    Attributes
    ----------
    listed : CSR matrix of shape (m, m)
        A symmetric matrix with entries for the diagonal and for each listed pair; entries may be 0.
    elsewhere : float
        The similarity of each unlisted pair: <= 0, and -inf if unlisted pairs are impossible.
    """

    listed: sparse.csr_matrix
    elsewhere: float

    def __len__(self) -> int:
        return int(self.listed.shape[0])


def require_similarity(K: Any) -> None:
    """Raise a ValueError unless K is a finite symmetric matrix.

    Symmetry is tested by one product with K, which costs less than any search.
    """
    shape = getattr(K, "shape", None)
    if not isinstance(K, np.ndarray) or K.ndim != 2 or K.shape[0] != K.shape[1] or not len(K):
        raise ValueError(
            "K must be an array of shape (m, m), the similarities of all pairs; got "
            f"{type(K).__name__}" + (f" of shape {shape}" if shape is not None else "")
        )
    if K.dtype.kind not in "fiub":
        raise ValueError(f"K must hold real numbers; got dtype {K.dtype}. Try K.astype(float)")
    largest = max(float(K.max()), -float(K.min()))
    if not np.isfinite(largest):
        raise ValueError(
            "K must be finite; it contains NaN or infinity. If it is a learned similarity, the "
            "features are too large"
        )
    v = np.cos(np.arange(len(K)))  # a constant vector would miss asymmetries with equal row sums
    if np.abs(K @ v - v @ K).max() > ROUNDING * len(K) * largest:
        raise ValueError("K must be symmetric; (K + K.T) / 2 is")


def require_n_clusters(n_clusters: Any, m: int) -> None:
    """Raise a ValueError unless m items can form this number of clusters."""
    require_integer("n_clusters", n_clusters, least=1)
    if n_clusters > m:
        raise ValueError(f"n_clusters must be at most the {m} items of K; got {n_clusters}")
