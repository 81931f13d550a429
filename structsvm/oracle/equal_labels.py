"""Whether two labels are the same, of which the engine knows plain values only.

It runs no method of a user's class to find out: such objects are never the same. Nor is it enough
that they are one object, since labels that come from another process, or from a file, are copies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices

#: Types that are compared by value; so are tuples and lists of them.
VALUES = frozenset({bool, int, float, str, bytes})


def same(a: Any, b: Any) -> bool:
    """Whether two labels are equal plain values of the same type.

    Plain are bool, int, float, str and bytes, arrays and scalars of numpy, of one dtype and shape,
    and tuples and lists of these. NaN is never the same.
    """
    kind = type(a)
    if type(b) is not kind:
        return False
    if kind in VALUES:
        return bool(a == b)
    if kind in (tuple, list):
        return len(a) == len(b) and all(map(same, a, b))
    return _of_numpy(a) and _equal_arrays(a, b)


def changed(before: Sequence[Any], labels: Sequence[Any]) -> Indices:
    """The places of the labels that are not the same as before; none in the same sequence."""
    if before is labels:
        return np.empty(0, dtype=np.intp)
    pairs = enumerate(zip(before, labels, strict=True))
    return np.array([i for i, (old, new) in pairs if not same(old, new)], dtype=np.intp)


def _of_numpy(value: Any) -> bool:
    """Whether this is an array or a scalar of numpy's own, not of a class derived from these."""
    own = isinstance(value, np.generic) and type(value) is value.dtype.type
    return type(value) is np.ndarray or own


def _equal_arrays(a: Any, b: Any) -> bool:
    """Whether all entries are equal; objects may be of any class, so they count as different."""
    comparable = a.dtype == b.dtype and a.shape == b.shape and not a.dtype.hasobject
    return comparable and bool(np.all(a == b))
