"""Checks of labels, and the numbering of clusters."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.arrays import Indices
from structsvm.data.conversion import first_missing
from structsvm.data.matrices import WORDS_LOST, one_array, require_unmasked

#: Largest number of items for which a dict numbers clusters faster than sorting.
FEW = 100


def in_order(labels: Any) -> Indices:
    """Number the clusters of a partition in the order of their first items."""
    if len(labels) <= FEW:
        numbers: dict[Any, int] = {}
        some = np.asarray(labels).tolist()
        return np.array([numbers.setdefault(c, len(numbers)) for c in some], dtype=np.intp)
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    # argsort of argsort is the rank of each cluster's first item.
    return np.argsort(np.argsort(first))[codes]


def first_seen(labels: Indices, k: int) -> Indices:
    """Number clusters 0..k-1 in the order of their first items, with empty clusters last."""
    present, first = np.unique(labels, return_index=True)
    return np.append(present[np.argsort(first)], np.setdiff1d(np.arange(k), present))


def checked_labels(name: str, Y: Any) -> Any:
    """Return labels as an array, after a check.

    Raise a ValueError for masked, missing or mixed labels.

    numpy would convert mixed numbers and strings to strings, and 1 and "1" would be one class.
    """
    require_unmasked(name, Y)
    labels = given = one_array(name, Y)
    if labels is not Y and labels.dtype.kind in "US":
        given = np.array(Y, dtype=object)  # also for a column of lists
    mixed = given is not labels and not all(
        issubclass(kind, (str, bytes)) for kind in set(map(type, given.flat))
    )
    place = first_missing(given) if mixed or labels.dtype.kind not in "biuUS" else None
    if place is not None:
        label = given.flat[place]
        raise ValueError(
            f"{name}[{place}] is {'NaN' if isinstance(label, float) else label}; every row needs a "
            f"label: fill it in, or leave the row out{WORDS_LOST}"
        )
    if mixed:
        raise ValueError(f"{name} must hold labels of one kind; it mixes strings with others")
    return labels
