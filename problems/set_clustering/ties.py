"""Compare sums of similarities without regard to rounding errors.

If items are equal, or similarities have few different values, several moves of a search have the
same gain. Without a margin, the last bit of a similarity, which differs between machines, would
decide between moves of equal gain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import numpy as np

from structsvm.data.arrays import Indices, Vector

Found = TypeVar("Found")

#: Bound of the rounding error of a sum of similarities in a long search, relative to the largest
#: sum of absolute similarities of an item.
OF_SUMS = 1e-10
#: Rounding error of a similarity, relative to the largest product in its sum.
OF_ENTRIES = 1e-14


def margin_of(K: Vector, offset: float = 0.0) -> float:
    """Bound the rounding error of comparisons between sums of entries of the matrix K."""
    of_sums = OF_SUMS * float(np.abs(K).sum(axis=1).max())
    return max(of_sums, OF_ENTRIES * len(K) * abs(offset))


def first_largest(values: Vector, margin: float) -> Indices:
    """Return the index along axis 0 of the first value within ``margin`` of the largest value."""
    return np.asarray((values >= values.max(axis=0) - margin).argmax(axis=0))


def decreasing(values: Vector, margin: float) -> Indices:
    """Return indices by decreasing values; values equal up to the margin keep their order."""
    rounded = np.round(values / margin) if margin else values
    return np.argsort(-rounded, kind="stable")


def first_best(
    found: Iterable[Found], value: Callable[[Found], float], margin: float
) -> Found | None:
    """Return the result of largest value, or None if ``found`` is empty.

    A later result is preferred only if its value is larger by more than ``margin``.
    """
    best, largest = None, -np.inf
    for one in found:
        if (of_one := value(one)) > largest + margin:
            best, largest = one, of_one
    return best
