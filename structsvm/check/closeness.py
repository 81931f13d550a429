"""When computed values count as equal."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from structsvm.data.arrays import Vector

#: Difference of equal values that is accepted: the rounding of a sum in another order.
ROUNDING = 1e-9
#: Error of a computed value that is accepted, relative to its terms: single precision passes.
TOLERANCE = 1e-5
#: Difference that is always accepted: smaller numbers lose digits in single precision.
UNDERFLOW = float(np.finfo(np.float32).tiny)


def norm(values: Any) -> float:
    """The Euclidean norm of all entries; numpy's is 0 where their squares underflow."""
    return float(linalg.norm(np.ravel(values)))


def close(a: Vector, b: Vector, tolerance: float, size: float = 0.0) -> bool:
    """Whether all entries are equal up to a tolerance relative to the largest.

    ``size`` is the size of the terms whose sums they are, if that is larger.
    """
    scale = max(size, np.abs(a).max(initial=0), np.abs(b).max(initial=0))
    return bool(np.abs(a - b).max(initial=0) <= tolerance * scale + UNDERFLOW)
