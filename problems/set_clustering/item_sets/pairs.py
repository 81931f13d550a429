"""Features of pairs, stored only for the pairs that have any."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector

#: Fraction of the entries of Z above which it is cheaper to compute Z as a whole.
MANY = 0.1


class ItemPairs(NamedTuple):
    """Unordered pairs ``rows[p] <= cols[p]`` of m items, each once, and their features.

    ``columns`` is the transpose of ``features``, as CSR where they are sparse.
    """

    rows: Indices
    cols: Indices
    features: Any
    columns: Any
    m: int

    @classmethod
    def of(cls, rows: Indices, cols: Indices, features: Any, m: int) -> ItemPairs:
        return cls(rows, cols, features, transposed(features), m)

    def add_similarity(self, K: Vector, w: Vector) -> None:
        """Add <w, psi_p> to both entries of K of every pair p."""
        values = self.features @ w
        K[self.rows, self.cols] += values
        apart = self.rows != self.cols
        K[self.cols[apart], self.rows[apart]] += values[apart]

    def weighted_sum(self, factors: Any, weights: Vector) -> Vector:
        """sum_p (Z_ij + Z_ji) psi_p, or Z_ii psi_p where i = j; Z = F diag(weights) F'."""
        if len(self.rows) > MANY * self.m**2:
            weighted = factors.multiply(weights) if sparse.issparse(factors) else factors * weights
            Z = weighted @ factors.T
            Z = Z.toarray() if sparse.issparse(Z) else Z
            coefficients = Z[self.rows, self.cols]
        else:
            left, right = factors[self.rows], factors[self.cols]
            both = left.multiply(right) if sparse.issparse(factors) else left * right
            coefficients = both @ weights
        return self.columns @ np.where(self.rows == self.cols, coefficients, 2 * coefficients)

    def vectors(self, rows: Indices, cols: Indices) -> Any:
        """The features of some pairs; zeros for pairs without features."""
        wanted = np.minimum(rows, cols) * self.m + np.maximum(rows, cols)
        known = self.rows * self.m + self.cols
        order = np.argsort(known)
        # A pair beyond the last known one gets that place and fails the comparison.
        place = np.minimum(np.searchsorted(known[order], wanted), len(known) - 1)
        found = known[order][place] == wanted if len(known) else np.zeros(len(wanted), bool)
        shape = (len(wanted), len(known))
        chosen = np.flatnonzero(found), order[place[found]] if len(known) else []
        select = sparse.csr_matrix((np.ones(len(chosen[0])), chosen), shape=shape)
        return select @ self.features


def transposed(features: Any) -> Any:
    """The transpose, as CSR where the features are sparse; None for None."""
    return features.T.tocsr() if sparse.issparse(features) else getattr(features, "T", None)
