"""Mini-batches of the examples of a task, and the inner products of their features."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structsvm.data.arrays import Vector

if TYPE_CHECKING:
    from structsvm.task.task import Task


class MiniBatch(NamedTuple):
    """A small fixed subset of the examples, on the entries of w that it depends on.

    Attributes
    ----------
    examples : ndarray of shape (n,), int
        The positions of these examples in X and Y.
    columns : ndarray of shape (m,), int, or None
        The entries of w that the joint features of these examples, with any output, may use, in
        rising order; None for all.
    task : Task
        The task of these examples on these entries: its w is w[columns], and so are the differences
        that it returns.
    """

    examples: NDArray[np.intp]
    columns: NDArray[np.intp] | None
    task: Task


class Products(NamedTuple):
    """Inner products of the features of n examples, and the places of their true outputs.

    Attributes
    ----------
    products : ndarray of shape (n, n), or None
        For each pair of examples; None if there are ``features``.
    true : ndarray of shape (n,), int
        The place of each true output in :meth:`Problem.outputs`.
    features : ndarray of shape (n, d), optional
        Rows whose inner products they are, in place of ``products``: less work for d < n / 2.
    """

    products: Vector | None
    true: NDArray[np.intp]
    features: Vector | None = None
