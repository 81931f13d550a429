"""The kernel of the training rows: its width, and exact features or those of landmarks."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.features.kernels import Kernel, median_distance
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.features import (
    KernelFeatures,
    Landmarks,
    exact_features,
    given_features,
)

#: Rows up to which the kernel is exact by default, and from which its width is chosen.
EXACT_ROWS = 2000
#: Default number of landmarks for more rows.
LANDMARKS = 1000


def default_gamma(X: Any, rng: np.random.Generator) -> float:
    """1 / (2 sigma^2) with sigma a quarter of the median distance of two rows."""
    n = X.shape[0]
    some = X if n <= EXACT_ROWS else X[np.sort(rng.choice(n, EXACT_ROWS, replace=False))]
    return 8 / median_distance(some) ** 2


def n_landmarks(kernel: Kernel, X: Any, n_components: int | None) -> int | None:
    """The number of landmarks; None for the exact kernel."""
    n = X.shape[0]
    if n_components is None:
        return None if n <= EXACT_ROWS or _takes_rows(kernel, X) else LANDMARKS
    return None if n_components >= n else n_components


def training_features(kernel: Kernel, landmarks: Landmarks | None, X: Any) -> KernelFeatures:
    """The features of the training rows."""
    if landmarks is not None:
        return landmarks.of_training(X)
    if _takes_rows(kernel, X):
        return given_features(X)
    return exact_features(kernel.training_matrix(X))


def _takes_rows(kernel: Kernel, X: Any) -> bool:
    """Whether the rows themselves are the features: many of them, of few columns, for 'linear'."""
    n, columns = X.shape
    return bool(kernel.kind == "linear" and columns <= EXACT_ROWS < n)
