"""Rank results by a value so that rounding errors do not affect the order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import numpy as np

Found = TypeVar("Found")

#: Values count as equal up to this fraction of the largest: above rounding, below any tolerance.
ROUNDING = 1e-9


def ranked(found: Iterable[Found], value: Callable[[Found], float]) -> list[Found]:
    """Return items in increasing order of value; items of equal value keep their order."""
    found = list(found)
    values = np.array([value(one) for one in found], dtype=np.float64)
    sizes = np.abs(values[np.isfinite(values)])
    unit = ROUNDING * sizes.max(initial=np.finfo(np.float64).tiny)
    return [found[i] for i in np.argsort(np.round(values / unit), kind="stable")]
