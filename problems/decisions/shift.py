"""Features without their means, and with a constant for the intercept."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Vector
from structsvm.data.intercepts import BIAS, with_constant
from structsvm.data.matrices import mean_square


class Shift(NamedTuple):
    """A change of the features after which their offsets and units do not matter.

    Attributes
    ----------
    means : ndarray of shape (p,)
        Subtracted from the features; 0 where it was learned from sparse ones.
    constant : float
        The feature that carries the intercept: ten times as large as an entry that is not 0.
    """

    means: Vector
    constant: float

    @classmethod
    def learned(cls, rows: Any, weights: Vector) -> Shift:
        """Learn it from the features of weighted examples."""
        means = np.zeros(rows.shape[1])
        if not sparse.issparse(rows):
            means = np.average(rows, axis=0, weights=weights)
            rows = rows - means
        filled = np.diff(rows.indptr) if sparse.issparse(rows) else np.full(len(rows), len(means))
        entries = float(np.average(filled, weights=weights))
        size = mean_square(rows, weights) / entries if entries else 0.0
        return cls(means, BIAS * (np.sqrt(size) or 1.0))

    def applied(self, rows: Any) -> Any:
        """The features without their means, and with the constant."""
        if rows.shape[1] != len(self.means):
            raise ValueError(f"X has {rows.shape[1]} features; expected {len(self.means)}")
        if self.means.any() and sparse.issparse(rows):
            shifted = sparse.csr_matrix(rows.toarray() - self.means)
        else:
            shifted = rows - self.means if self.means.any() else rows
        return with_constant(shifted, self.constant)

    def done(self, coef: Vector, intercept: Vector) -> Vector:
        """The weights of the other features, from the weights and intercepts of those as given."""
        constant = (intercept + coef @ self.means) / self.constant
        return np.concatenate([coef, constant[..., None]], axis=-1)

    def undone(self, W: Vector) -> tuple[Vector, Vector]:
        """The weights of the features as given, and intercepts, from the weights of the others."""
        coef = W[..., :-1].copy()
        return coef, self.constant * W[..., -1] - coef @ self.means
