"""Labels of clusters, whose names do not matter."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.arrays import Indices

#: Numbers of items up to which a dict numbers clusters faster than sorting does.
FEW = 100


def in_order(labels: Any) -> Indices:
    """The same partition with its clusters numbered in the order of their first items."""
    if len(labels) <= FEW:
        numbers: dict[Any, int] = {}
        some = np.asarray(labels).tolist()
        return np.array([numbers.setdefault(c, len(numbers)) for c in some], dtype=np.intp)
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    # argsort of argsort: the rank of each cluster's first item.
    return np.argsort(np.argsort(first))[codes]


def first_seen(labels: Indices, k: int) -> Indices:
    """The numbers 0..k-1 of clusters in the order of their first items, empty clusters last."""
    present, first = np.unique(labels, return_index=True)
    return np.append(present[np.argsort(first)], np.setdiff1d(np.arange(k), present))
