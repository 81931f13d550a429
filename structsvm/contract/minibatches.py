"""Optional methods of a problem: stochastic steps on mini-batches of the examples."""

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
        Their places among the examples that were divided.
    columns : ndarray of shape (m,), int, or None
        The rising places in w of the entries that the joint features of these examples, of all
        their outputs, may use; None for all.
    X, Y : sequences
        The inputs and outputs, in the form that the soft oracles take with w[columns].
    """

    examples: NDArray[np.intp]
    columns: NDArray[np.intp] | None
    X: Any
    Y: Any


class MiniBatches:
    """Mini-batches of the examples, and the scores of all outputs in them.

    :class:`structsvm.SmoothedLBFGS` alone calls them: it begins with stochastic steps where
    :meth:`minibatches` is offered, and with dual coordinate ascent where :meth:`score_outputs` and
    :meth:`sum_expected_difference` are offered as well.
    """

    def minibatches(self, X: Any, Y: Any) -> Sequence[MiniBatch]:
        """Divide n examples into small fixed subsets, each on its own entries of w.

        For joint features with few nonzeros, such as those of text:
        :class:`structsvm.SmoothedLBFGS` then begins with stochastic steps, one for each mini-batch,
        which cost what their examples do, whatever the length of w. It calls
        :meth:`sum_soft_oracle` with the X and Y of a mini-batch and the entries of w at its
        ``columns``; the difference returned is of that length.

        Requires: X and Y are as :meth:`prepare` returns them, or a part of these.
        Ensures: every example is in one mini-batch.
        """
        raise NotImplementedError(missing(self, "minibatches"))

    def score_outputs(self, X: Any, Y: Any, w: Vector) -> Vector:
        """Return the loss-augmented scores of all outputs of n examples, shape (n, k).

        For problems whose examples all have the same k outputs, and these are few: the score of
        output z of example i is loss(y_i, z) - <w, Psi(x_i, y_i) - Psi(x_i, z)>. Where
        :meth:`minibatches`, :meth:`sum_expected_difference` and :meth:`outputs` are offered too,
        :class:`structsvm.SmoothedLBFGS` calls it with mini-batches, and with their entries of w.

        Ensures: the columns are in the order of :meth:`outputs`.
        """
        raise NotImplementedError(missing(self, "score_outputs"))

    def sum_expected_difference(self, X: Any, Y: Any, probabilities: Vector) -> Vector:
        """Return the sum over n examples of expected joint-feature differences.

        The expectation of Psi(x_i, y_i) - Psi(x_i, z), where output z has the probability
        ``probabilities[i, z]``, in the order of :meth:`score_outputs`. They may also be multiples
        or differences of probabilities: the sum is linear in them.

        Ensures: shape (size_joint_feature,), or for a mini-batch that of its entries.
        """
        raise NotImplementedError(missing(self, "sum_expected_difference"))
