"""The attributes that scikit-learn's validation of a matrix sets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from structsvm.data.columns import Columns


class TakesRows:
    """Base class of the estimators whose inputs are the rows of a matrix.

    Attributes
    ----------
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        The columns of X, where it is a DataFrame.
    """

    n_features_in_: int
    feature_names_in_: NDArray[Any]
    _tables: dict[str, Columns]

    def _take_names(self, key: str, width: int) -> None:
        """Set the attributes by the width, and by the columns remembered under this key."""
        self.n_features_in_ = width
        columns = self._tables.get(key)
        if columns is not None and all(isinstance(name, str) for name in columns.names):
            self.feature_names_in_ = np.array(columns.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
