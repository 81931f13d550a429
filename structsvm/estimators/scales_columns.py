"""Base class of the estimators that bring the columns of a matrix to one scale."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from structsvm.data.arrays import Vector
from structsvm.data.column_moments import ColumnMoments
from structsvm.data.column_scales import EVENED, ColumnScales
from structsvm.estimators.parameters import ScaleParameters


class ScalesColumns(ScaleParameters):
    """Base class of the estimators that bring the columns of a matrix to one scale.

    Attributes
    ----------
    scale_ : ndarray of shape (n_features,)
        The numbers that the columns are divided by.
    """

    scale_: Vector
    _columns: ColumnScales
    _evened = EVENED

    def _learn_columns(
        self,
        moments: ColumnMoments,
        *,
        centred: bool | NDArray[np.bool_],
        constant: bool,
        limited: NDArray[np.bool_] | None = None,
    ) -> None:
        """Store the scales of columns with these moments, as the parameter says."""
        if self._scales_columns():
            columns = ColumnScales.learned(
                moments, centred=centred, constant=constant, evened=self._evened
            )
            columns = columns if limited is None else columns.limited(moments, limited)
        else:
            columns = ColumnScales.none(moments, constant=constant)
        self._columns, self.scale_ = columns, columns.sizes

    def _scales_columns(self) -> bool:
        """Whether columns are scaled; a ValueError if the parameter is unusable."""
        if self.scale is not None and not (isinstance(self.scale, str) and self.scale == "auto"):
            raise ValueError(f"scale must be 'auto' or None; got {self.scale!r}")
        return self.scale is not None

    def _per_square(self, n: float) -> float:
        """The number n, divided by the mean of ||x||^2 of the rows trained on."""
        return n / (self._columns.square or 1.0)

    def _weights_given(self, w: Vector, problem: Any) -> Vector:
        return self._columns.given(self._by_column(w)).ravel()

    def _weights_trained(self, weights: Vector, problem: Any) -> Vector:
        return self._columns.trained(self._by_column(weights)).ravel()

    def _by_column(self, w: Vector) -> Vector:
        """The weights with a column for each feature, and for the constant if there is one."""
        return w.reshape(-1, len(self._columns.sizes) + bool(self._columns.constant))
