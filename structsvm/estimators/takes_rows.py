"""The attributes that scikit-learn's validation of a matrix sets."""

from __future__ import annotations

from typing import Any

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
