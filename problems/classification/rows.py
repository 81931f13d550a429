"""Rows of a data matrix."""

from __future__ import annotations

from typing import Any

from structsvm.data.matrices import in_floats


def as_row(x: Any) -> Any:
    """Return one example's features, a row of any matrix that a user has, as a matrix of floats."""
    return in_floats(x.reshape(1, -1))
