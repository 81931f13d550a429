"""Inner products of features, for problems whose outputs share no weights."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structsvm.data.arrays import Vector


class Products(NamedTuple):
    """Inner products of the features of n examples, with the indices of the true outputs.

    Attributes
    ----------
    products : ndarray of shape (n, n), or None
        The inner product of each pair of examples; None if ``features`` is set.
    true : ndarray of shape (n,), int
        The index of each true output in the list that :meth:`Problem.outputs` returns.
    features : ndarray or CSR matrix of shape (n, d), optional
        The features themselves. If ``features`` is set, w holds the weights of the outputs one
        after another: ``w.reshape(k, d)`` has a row for each of the k outputs.
    """

    products: Vector | None
    true: NDArray[np.intp]
    features: Any = None
