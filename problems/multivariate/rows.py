"""Labels of the rows of a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np


def require_labels(labels: Any, n: int) -> None:
    """Raise a ValueError unless the labels are n booleans, with both True and False among them."""
    if not (isinstance(labels, np.ndarray) and labels.dtype == bool and labels.shape == (n,)):
        raise ValueError(
            f"the labels must be a boolean array of shape ({n},), True for the positive rows; "
            f"got {labels!r:.60}"
        )
    if labels.all() or not labels.any():
        raise ValueError("the labels hold one class only; expected both positive and negative rows")
