"""Examples in the form that an estimator's problem takes."""

from __future__ import annotations

from typing import Any, NamedTuple

from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import take


class Encoded(NamedTuple):
    """Examples as the problem of an estimator takes them.

    Attributes
    ----------
    X : sequence of n inputs
    Y : sequence of n outputs, or None
    weights : ndarray of shape (n,)
        The weights of the examples.
    rows : matrix or None
        All features, where they are one matrix.
    """

    X: Any
    Y: Any
    weights: Vector
    rows: Any = None

    def part(self, which: Indices) -> Encoded:
        """Some of the examples."""
        X, Y, weights = (take(data, which) for data in self[:3])
        return self._replace(X=X, Y=Y, weights=weights)
