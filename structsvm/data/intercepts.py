"""Data matrices with a constant feature, whose weight is an intercept."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.matrices import side_by_side

#: The constant feature that carries an offset b. Its weight b / BIAS adds b^2 / (2 BIAS^2) to the
#: objective, which is 0.005 for an offset of 1.
BIAS = 10.0


def with_constant(X: Any, constant: float) -> Any:
    """Append to X a column in which every entry is ``constant``.

    The format and the dtype of X do not change.
    """
    column = np.full((X.shape[0], 1), constant, dtype=X.dtype)
    return side_by_side([X, column])
