"""The comparison of labels.

The comparison calls no method of a user's class. Only bools, ints, floats, strings, bytes, numpy
arrays and scalars, and tuples and lists of these values can count as equal. Object identity is not
used, because labels from another process or a file are copies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices

#: Types that are compared by value, also in tuples and lists.
VALUES = frozenset({bool, int, float, str, bytes})


def same(a: Any, b: Any) -> bool:
    """Whether two labels are equal plain values of the same type.

    Plain values are bool, int, float, str and bytes, numpy arrays and scalars of the same dtype and
    shape, and tuples and lists of plain values. NaN is equal to nothing.
    """
    kind = type(a)
    if type(b) is not kind:
        return False
    if kind in VALUES:
        return bool(a == b)
    if kind in (tuple, list):
        return len(a) == len(b) and all(map(same, a, b))
    return are_plain(a, b) and bool(np.all(a == b))


def are_plain(a: Any, b: Any) -> bool:
    """Whether two values are numpy values of equal type, shape and dtype, and hold no objects."""
    # Subclasses are excluded, and arrays of objects, which may belong to any class.
    kind = type(a)
    plain = kind is np.ndarray or (isinstance(a, np.generic) and kind is a.dtype.type)
    if not plain or type(b) is not kind:
        return False
    return bool(a.dtype == b.dtype and a.shape == b.shape and not a.dtype.hasobject)


def changed(before: Sequence[Any], labels: Sequence[Any]) -> Indices:
    """Return the indices of the labels that have changed: none if both arguments are one object."""
    if before is labels:
        return np.empty(0, dtype=np.intp)
    if are_plain(before, labels):
        differ: Any = before != labels
        return np.flatnonzero(differ.reshape(len(labels), -1).any(axis=1))
    pairs = enumerate(zip(before, labels, strict=True))
    return np.array([i for i, (old, new) in pairs if not same(old, new)], dtype=np.intp)
