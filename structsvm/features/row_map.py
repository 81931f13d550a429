"""The base class of transformers from rows to coordinates."""

from __future__ import annotations

from typing import Any

from structsvm.bases import HasParameters, TransformerMixin
from structsvm.data.matrices import checked_rows, largest_entry, require_powers


class RowMap(TransformerMixin, HasParameters):
    """The base class of transformers of dense or sparse rows, or of precomputed kernels."""

    @property
    def _takes_kernels(self) -> bool:
        return False

    def _validated(self, X: Any, reset: bool, **options: Any) -> Any:
        """Return the checked rows.

        Check and return the rows. With ``reset``, as in fit, at least two rows are required.
        """
        X = checked_rows(self, X, ensure_min_samples=1 + reset, reset=reset, **options)
        if not self._takes_kernels:
            require_powers(largest_entry(X), X.dtype, underflow=reset)
        return X

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._takes_kernels
        tags.input_tags.sparse = not self._takes_kernels
        return tags
