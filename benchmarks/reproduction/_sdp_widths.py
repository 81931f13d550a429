"""The widths of the kernel, and spectral clustering by one."""

from __future__ import annotations

from typing import Any

from sklearn.cluster import SpectralClustering

from structsvm.features.kernels import median_distance

#: Rows of a draw.
ROWS = 100
#: Multiples of the default gamma.
WIDTHS = (1 / 16, 1 / 4, 1.0, 4.0, 16.0)
#: The place of the default among them.
DEFAULT = 2


def gamma_of(X: Any) -> float:
    return 8 / median_distance(X) ** 2


def spectral(X: Any, gamma: float) -> Any:
    return SpectralClustering(2, gamma=gamma, random_state=0).fit_predict(X)
