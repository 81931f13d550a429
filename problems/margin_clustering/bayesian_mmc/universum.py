"""Rows that belong to no cluster, generated from the data (Dai, Hu & Niu, section IV.B)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.sparsefuncs import mean_variance_axis

#: Rows that are generated.
ROWS = 20
#: Standard deviation of rows near the mean, relative to the data's, for each feature.
SPREAD = 0.1


def near_mean(X: Any, rng: np.random.Generator) -> Any:
    """Gaussian rows about the mean of X with a tenth of its standard deviations; sparse if X is."""
    if sparse.issparse(X):
        mean, variance = mean_variance_axis(X, axis=0)
    else:
        mean, variance = X.mean(axis=0), X.var(axis=0)
    noise = rng.standard_normal((ROWS, X.shape[1]))
    made = mean + SPREAD * np.sqrt(variance) * noise
    return sparse.csr_matrix(made) if sparse.issparse(X) else made


def from_marginals(X: Any, rng: np.random.Generator) -> Any:
    """Rows with each feature drawn independently from its values in X; sparse if X is."""
    drawn = rng.integers(X.shape[0], size=(ROWS, X.shape[1]))
    made = X[drawn, np.broadcast_to(np.arange(X.shape[1]), drawn.shape)]
    return sparse.csr_matrix(made) if sparse.issparse(X) else made
