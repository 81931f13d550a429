"""Optional methods of a problem: mini-batches of the examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structsvm.contract.missing import missing
from structsvm.data.arrays import Vector


class MiniBatch(NamedTuple):
    """A small fixed subset of the examples, on the entries of w that it depends on.

    Attributes
    ----------
    examples : ndarray of shape (n,), int
        The positions of these examples in X and Y.
    columns : ndarray of shape (m,), int, or None
        The entries of w that the joint features of these examples, with any output, may use, in
        rising order; None for all.
    X, Y : sequences
        The inputs and outputs, in the form that the soft oracles take with w[columns].
    """

    examples: NDArray[np.intp]
    columns: NDArray[np.intp] | None
    X: Any
    Y: Any


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


class MiniBatches:
    """Mini-batches of the examples, and the scores of all outputs in them.

    :class:`structsvm.SmoothedAdaGrad` needs :meth:`minibatches` and a soft oracle;
    :class:`structsvm.DualCoordinateAscent` needs all three methods and :meth:`outputs`. If
    :meth:`sum_soft_oracle` is offered too, ``solver='auto'`` plans one of them, the second where it
    can be used, before :class:`structsvm.SmoothedLBFGS`. :class:`structsvm.DualInteriorPoint` needs
    the scores and :meth:`example_products`; few examples are left to it.
    """

    def minibatches(self, X: Any, Y: Any) -> Sequence[MiniBatch]:
        """Divide n examples into small fixed subsets, each on its own entries of w.

        For joint features with few nonzeros, as in text: the cost of a step on a mini-batch depends
        on its examples and not on the length of w. :class:`structsvm.SmoothedAdaGrad` calls
        :meth:`sum_soft_oracle` with the X and Y of a mini-batch and the entries of w at its
        ``columns``; the difference returned must have the same length as ``columns``.

        Requires: X and Y are as :meth:`prepare` returns them, or a part of these.
        Ensures: every example is in one mini-batch.
        """
        raise NotImplementedError(missing(self, "minibatches"))

    def score_outputs(self, X: Any, Y: Any, w: Vector) -> Vector:
        """Return the loss-augmented scores of all outputs of n examples, shape (n, k).

        For problems in which all examples have the same few outputs, k of them: the score of output
        z of example i is loss(y_i, z) - <w, Psi(x_i, y_i) - Psi(x_i, z)>.
        :class:`structsvm.DualCoordinateAscent` calls it with the X and Y of a mini-batch and with
        the entries of w at its ``columns``.

        Ensures: the columns are in the order of :meth:`outputs`.
        """
        raise NotImplementedError(missing(self, "score_outputs"))

    def sum_expected_difference(self, X: Any, Y: Any, probabilities: Vector) -> Vector:
        """Return the sum over n examples of expected joint-feature differences.

        The expectation of Psi(x_i, y_i) - Psi(x_i, z), where output z has the probability
        ``probabilities[i, z]``, in the order of :meth:`score_outputs`. The entries may also be
        multiples or differences of probabilities: the sum is linear in them.

        Ensures: shape (size_joint_feature,), or for a mini-batch (len(columns),).
        """
        raise NotImplementedError(missing(self, "sum_expected_difference"))

    def example_products(self, X: Any, Y: Any) -> Products:
        """Return the inner products of the features of n examples.

        For problems in which every output has weights of its own for the same features of an
        example: the inner product of Psi(x_i, z) and Psi(x_j, z') is ``products[i, j]`` where the
        outputs z and z' are equal, and 0 where they differ. Instead, it may return rows of
        features that have these products. :class:`structsvm.DualInteriorPoint` calls it once, with
        all examples.

        Ensures: the values that :class:`structsvm.Products` defines.
        """
        raise NotImplementedError(missing(self, "example_products"))
