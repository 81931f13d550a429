"""Outputs that have weights of their own for the same features of an example."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structsvm.data.arrays import Vector


class Products(NamedTuple):
    """Inner products of the features of n examples, and the places of their true outputs.

    Attributes
    ----------
    products : ndarray of shape (n, n), or None
        For each pair of examples; None if there are ``features``.
    true : ndarray of shape (n,), int
        The place of each true output in :meth:`Problem.outputs`.
    features : ndarray or CSR matrix of shape (n, d), optional
        The features themselves, where w holds those of one output after those of the other,
        ``w.reshape(k, d)``.
    """

    products: Vector | None
    true: NDArray[np.intp]
    features: Any = None
