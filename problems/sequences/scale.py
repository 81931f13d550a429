"""The scale of features, and the defaults that go with it."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

#: C for each sequence, by default, where the mean of ||x||^2 is 1.
C_OF_A_SEQUENCE = 5.0
#: Default tolerance of the gap: smaller gaps change hardly a prediction.
RTOL = 1e-2


def root_mean_square(rows: Any) -> float:
    """The root of the mean of ||x||^2 over rows x, dense or CSR; 1 where all are 0."""
    numbers = rows.data if sparse.issparse(rows) else rows
    mean = float(np.square(numbers, dtype=np.float64).sum()) / rows.shape[0]
    return mean**0.5 or 1.0
