"""Features in units of their own, and sums of them whose weights are hardly penalised."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Vector

#: A unit weight of a sum costs as much as a weight of 1 / this of a single feature.
STRETCH = 10.0


class FeatureScales(NamedTuple):
    """A change of coordinates of w: the weights of the features are D^-1 R w.

    D holds the divisors. R stretches the sum of the divided features of pairs, and the constant, so
    that the norm of w hardly grows with their weights: there few examples are enough to learn from.

    Attributes
    ----------
    divisors : ndarray of shape (d,)
        The diagonal of D.
    axes : ndarray of shape (d, r)
        Orthonormal directions.
    stretch : ndarray of shape (r,)
        The factors of R along the axes, >= 1.
    """

    divisors: Vector
    axes: Vector
    stretch: Vector

    @classmethod
    def of(cls, divisors: Vector, n_of_pairs: int, constant: bool) -> FeatureScales:
        """The scales where the first features are of pairs, and the last may be a constant."""
        d = len(divisors)
        of_pairs = (np.arange(d) < n_of_pairs) / max(1, n_of_pairs) ** 0.5
        axes = np.column_stack([of_pairs, *([np.eye(d)[-1]] if constant else [])])
        return cls(divisors, axes, np.full(axes.shape[1], STRETCH))

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
