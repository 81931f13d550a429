"""Units of costs and features for which the objective neither overflows nor underflows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Vector
from structsvm.exceptions import warn_user
from structsvm.problems.decisions.optima import Optima

#: The largest entry of costs and of features must be between these. The objective is of the size of
#: (costs / features)^2, which must be a normal number.
LEAST, MOST = 1e-70, 1e70
#: Costs that exceed the median by more than this leave no digits of the tolerance to the others.
HUGE = 1e6


def entries(rows: Any) -> Vector:
    """The entries of an array, or those of a sparse matrix that are stored."""
    return rows.data if sparse.issparse(rows) else rows


def require_unit(name: str, values: Vector) -> None:
    """Raise a ValueError where the largest entry is out of these bounds.

    All may be 0.
    """
    largest = float(np.abs(values).max(initial=0.0))
    if largest and not LEAST <= largest <= MOST:
        raise ValueError(
            f"the largest entry of {name} is {largest:.0e}, and training computes with its square: "
            f"expected one from {LEAST:.0e} to {MOST:.0e}; divide {name} by {largest:.0e}"
        )


def warn_if_huge(optima: Optima) -> None:
    """Warn of a cost beside which the others hardly count."""
    sizes = np.abs(optima.costs)
    place = int(sizes.argmax())
    usual = float(np.median(sizes[sizes > 0])) if sizes[place] else 0.0
    if sizes[place] > HUGE * usual:
        i = int(optima.spans.owner[place])
        warn_user(
            f"y[{i}] has a cost of {optima.costs[place]:.1e}, beside a median size of {usual:.1e}: "
            "the tolerance and C='auto' follow the largest costs, so that others hardly count. "
            "If it forbids something, let optimize do so instead, and give it a usual cost"
        )
