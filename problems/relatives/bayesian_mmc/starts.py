"""Initial labels: divisions of the rows by eigenvectors of a graph of near neighbours."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from structsvm.features import DiffusionMap
from structsvm.features.diffusion import NEIGHBORS
from structsvm.problem import Vector


def starts(rows: Any, n_init: int) -> list[Vector]:
    """Labels -1 and +1, shape (n,), from at most n_init different divisions of the rows.

    The first division is by the sign of the second eigenvector of the random walk, about its mean
    (Remark 2 of Dai, Hu & Niu); the others use further eigenvectors, and sums and differences of
    two.
    """
    most = max(1, math.isqrt(n_init - 1) + 1)  # k eigenvectors have k^2 directions
    found: dict[bytes, Vector] = {}
    for direction in directions(rows, most):
        y = np.where(direction > 0, 1.0, -1.0)
        # y and -y are the same division.
        found.setdefault((y * y[0]).tobytes(), y)
    return list(found.values())[:n_init]


def directions(rows: Any, n_eigenvectors: int, n_neighbors: int = NEIGHBORS) -> Iterator[Vector]:
    """Eigenvectors of the random walk among near neighbours, and sums and differences of two.

    Each has shape (n,) and mean 0; its sign divides the rows. n_eigenvectors^2 of them, or fewer
    for few rows.
    """
    with warnings.catch_warnings():  # fewer eigenvectors than requested only mean fewer directions
        warnings.simplefilter("ignore", UserWarning)
        vectors = DiffusionMap(n_eigenvectors, n_neighbors).fit(rows).eigenvectors_
    columns = _standardised(vectors).T
    yield from columns
    for i in range(len(columns)):
        for j in range(i):
            yield columns[i] + columns[j]
            yield columns[i] - columns[j]


def _standardised(vectors: Vector) -> Vector:
    centred = vectors - vectors.mean(axis=0)
    return centred / np.maximum(centred.std(axis=0), np.finfo(float).tiny)
