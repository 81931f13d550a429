"""Scales of the features of pairs, and sums of them whose weights are hardly penalised."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import norm
from sklearn.preprocessing import StandardScaler

from structsvm.data.arrays import Vector
from structsvm.problems.matching.bipartite import PairRows

#: A unit weight of a sum costs as much as a weight of 1 / this of a single feature: of the sum of
#: the features as given, of the sum of the divided ones, and of a constant.
OF_GIVEN, OF_DIVIDED, OF_CONSTANT = 100.0, 10.0, 100.0


class FeatureScales(NamedTuple):
    """A change of coordinates of w: the weights of the features are D^-1 R w.

    D holds the divisors. R = (I + S S')^1/2 for a few directions S, so that the norm of w hardly
    grows with weights along them: there few examples are enough to learn from.

    Attributes
    ----------
    divisors : ndarray of shape (d,)
        The diagonal of D.
    axes : ndarray of shape (d, r)
        Orthonormal directions that span S.
    stretch : ndarray of shape (r,)
        The factors of R along the axes, >= 1.
    """

    divisors: Vector
    axes: Vector
    stretch: Vector

    @classmethod
    def of(cls, divisors: Vector, n_of_pairs: int, constant: bool) -> FeatureScales:
        """The scales where the first features are of pairs, and the last may be a constant."""
        of_pairs = np.arange(len(divisors)) < n_of_pairs
        directions = [(OF_GIVEN, divisors * of_pairs), (OF_DIVIDED, of_pairs.astype(np.float64))]
        if constant:
            directions.append((OF_CONSTANT, np.eye(len(divisors))[-1]))
        S = np.column_stack([size * each / (norm(each) or 1) for size, each in directions])
        axes, sizes, _ = np.linalg.svd(S, full_matrices=False)
        return cls(divisors, axes, np.sqrt(1 + sizes**2))

    def weights(self, w: Vector) -> Vector:
        """The weights of the features as given."""
        return self._stretched(w, self.stretch) / self.divisors

    def w(self, weights: Vector) -> Vector:
        """The inverse of ``weights``."""
        return self._stretched(weights * self.divisors, 1 / self.stretch)

    def features(self, psi: Any) -> Any:
        """Joint features of shape (d,) or (n, d) in the coordinates of w."""
        psi = psi.toarray() if sparse.issparse(psi) else psi
        return self._stretched(psi / self.divisors, self.stretch)

    def _stretched(self, values: Any, factors: Vector) -> Any:
        return values + (values @ self.axes) * (factors - 1) @ self.axes.T


def standard_deviations(pairs: PairRows, weights: Vector) -> Vector:
    """The standard deviation of each feature over all pairs; 1 where it is constant.

    Parameters
    ----------
    pairs : PairRows
    weights : ndarray of shape (n_examples,)
    """
    of_rows = np.repeat(weights / weights.max(), pairs.rows.sizes)
    scaler = StandardScaler(with_mean=False).fit(pairs.rows.values, sample_weight=of_rows)
    return np.asarray(scaler.scale_, dtype=np.float64)
