"""Labels of clusters, whose names do not matter."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.arrays import Indices


def in_order(labels: Any) -> Indices:
    """The same partition with its clusters numbered in the order of their first items."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    # argsort of argsort: the rank of each cluster's first item.
    return np.argsort(np.argsort(first))[codes]
