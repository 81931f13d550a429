"""The values that soft oracles return, the mini-batches that they may be called for, and axes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class SoftOutput(NamedTuple):
    """The smoothed slack of one example, as :meth:`Problem.soft_oracle` returns it.

    The loss-augmented scores s(y') = loss(y, y') - <w, Psi(x, y) - Psi(x, y')> define a conditional
    random field at temperature mu, p(y') = exp(s(y') / mu) / Z, where y' runs over all outputs, the
    true y included. Its log-partition function, times mu, is an upper bound on the slack that is
    differentiable in w and tends to the slack as mu tends to 0.

    Attributes
    ----------
    value : float
        mu * log sum_y' exp(s(y') / mu), which is mu log Z.
    joint_feature_difference : ndarray of shape (size_joint_feature,)
        The expectation E_p[Psi(x, y) - Psi(x, y')]; its negative is the gradient of ``value`` in w.
    loss : float
        The expectation E_p[loss(y, y')].
    """

    value: float
    joint_feature_difference: NDArray[np.float64]
    loss: float


class SoftSum(NamedTuple):
    """The soft outputs of n examples, summed, as :meth:`Problem.sum_soft_oracle` returns them.

    Attributes
    ----------
    values : ndarray of shape (n,)
        ``SoftOutput.value`` of each example: mu times the log-partition function.
    joint_feature_difference : ndarray of shape (size_joint_feature,)
        The sum of ``SoftOutput.joint_feature_difference``, times the weights of the examples.
    loss : float
        The sum of ``SoftOutput.loss``, times the weights of the examples.
    slacks : ndarray of shape (n,) or None
        max_y' s(y') of each example, the slacks themselves, where they are available at no further
        cost. If None, the separation oracle is called when they are needed.
    """

    values: NDArray[np.float64]
    joint_feature_difference: NDArray[np.float64]
    loss: float
    slacks: NDArray[np.float64] | None = None


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


class Axes(ABC):
    """Orthonormal axes of w, in groups, along which the Hessian of soft slacks is nearly diagonal.

    The base class of what :meth:`Problem.curvature_axes` returns. Axes in a group have the same
    curvature, so that only the space that they span need be known.
    """

    @abstractmethod
    def along(self, curvature: NDArray[np.float64]) -> NDArray[np.float64]:
        """The curvature along the axes of each group, shape (m,), from that of w's entries.

        An estimate will do; >= 0 as ``curvature`` is.
        """

    @abstractmethod
    def times(self, factors: NDArray[Any], w: NDArray[Any]) -> NDArray[Any]:
        """Stretch w along the axes of each group by its factor; a new array.

        ``factors`` is of shape (m,), ``w`` of shape (size_joint_feature,) or (p,
        size_joint_feature), p vectors at once; both are of the same precision.
        """
