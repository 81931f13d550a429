"""The return values of the soft oracle of a problem, and of its task."""

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
    """The soft outputs of n examples, summed, as :meth:`Task.soft` returns them.

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


class Axes(ABC):
    """Orthonormal axes of w, in groups, along which the Hessian of soft slacks is nearly diagonal.

    :meth:`Task.axes` returns an instance of a subclass. Axes in a group have the same
    curvature, so only the space that they span matters.
    """

    @abstractmethod
    def along(self, curvature: NDArray[np.float64]) -> NDArray[np.float64]:
        """The curvature along each group's axes, shape (m,), from the curvature of w's entries.

        An estimate will do; it is >= 0 like ``curvature``.
        """

    @abstractmethod
    def times(self, factors: NDArray[Any], w: NDArray[Any]) -> NDArray[Any]:
        """Stretch w along the axes of each group by the group's factor; return a new array.

        ``factors`` is of shape (m,), ``w`` of shape (size_joint_feature,) or (p,
        size_joint_feature), p vectors at once; both have the same precision.
        """
