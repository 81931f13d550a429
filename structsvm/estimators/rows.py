"""RowEstimator: the base class of estimators whose inputs are the rows of a matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from structsvm.data.arrays import Vector
from structsvm.data.choices import Auto
from structsvm.data.labels import checked_labels
from structsvm.data.matrices import checked_rows


@dataclass(kw_only=True, eq=False, repr=False)
class RowEstimator:
    """The base class of estimators whose inputs are the rows of a matrix.

    A subclass lists RowEstimator first among its base classes. scikit-learn's checks of X and y set
    ``n_features_in_`` and ``feature_names_in_``. An encoding derived from :class:`ScaledColumns`
    learns the scales.

    Parameters
    ----------
    scale : 'auto' or None, default='auto'
        With 'auto', all columns of arrays are standardised, so that units do not matter. Columns of
        sparse matrices are standardised if more than half of their entries are nonzero. If means
        cannot be subtracted, for example without an intercept, a column that would be standardised
        is divided by its root mean square instead. The divisor of a sparse column with at most half
        of its entries nonzero, such as counts and tf-idf, is ``rms ** 0.5``, the square root of its
        root mean square. In sequences, sparse columns are divided by a common divisor. If two
        sparse columns have equally many nonzero entries, the typical sizes of their nonzero entries
        differ at most by a factor of 25 after scaling. A common factor makes the mean of ||x||^2
        over the rows x equal to 1. The scaling is part of the model: ``coef_`` and ``intercept_``
        are for the original X. With None, X is not changed, and C='auto' is divided by the mean of
        ||x||^2. If few columns contribute most of ||x||^2, C='auto' is too small without scaling.

    Attributes
    ----------
    n_features_in_ : int
        The number of columns of X.
    feature_names_in_ : ndarray of str
        The names of the columns of X, if X is a DataFrame.
    scale_ : ndarray of shape (n_features,)
        The numbers that the columns are divided by.
    """

    scale: Auto | None = "auto"

    _takes_sparse = True

    if TYPE_CHECKING:  # attributes that the encoding learns
        n_features_in_: int = field(init=False)
        feature_names_in_: NDArray[Any] = field(init=False)
        scale_: Vector = field(init=False)

    def _new_encoding(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} needs a method _new_encoding")

    def _given(self, X: Any, y: Any, reset: bool) -> tuple[Any, Any]:
        kind = "csr" if self._takes_sparse else False
        if y is None and not reset:
            return checked_rows(self, X, reset=False, accept_sparse=kind), None
        checked: tuple[Any, Any] = checked_rows(self, X, y, reset=reset, accept_sparse=kind)
        if isinstance(y, (list, tuple)):
            checked_labels("y", y)  # in the array, numbers beside strings became strings
        return checked

    def _alone(self: Any, x: Any, y: Any = None) -> Any:
        x = x.to_frame().T if hasattr(x, "to_frame") else x
        if sparse.issparse(x) or hasattr(x, "columns"):
            return self._encoded(x, None if y is None else [y])
        return super()._alone(x, y)  # type: ignore[misc]

    def _of_all(self: Any, X: Any, function: Callable[[Any], Any]) -> Any:
        check_is_fitted(self, "w_")
        return function(self._encoded(X).X)
