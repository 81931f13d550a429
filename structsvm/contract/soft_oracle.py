"""The return values of the soft oracle of a problem and of its task."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class SoftOutput(NamedTuple):
    """The smoothed slack of one example, returned by :meth:`Problem.soft_oracle`.

    The loss-augmented scores s(y') = loss(y, y') - <w, Psi(x, y) - Psi(x, y')> define a conditional
    random field at temperature mu, p(y') = exp(s(y') / mu) / Z. Here, y' runs over all outputs,
    including the true y. Z is the sum of all exp(s(y') / mu). The value mu log Z is an upper bound
    on the slack. The value mu log Z is differentiable with respect to w, and tends to the slack as
    mu tends to 0.

    Attributes
    ----------
    value : float
        mu log Z, the smoothed slack.
    joint_feature_difference : ndarray of shape (size_joint_feature,)
        The expectation E_p[Psi(x, y) - Psi(x, y')], which is minus the gradient of ``value`` with
        respect to w.
    loss : float
        The expectation E_p[loss(y, y')].
    """

    value: float
    joint_feature_difference: NDArray[np.float64]
    loss: float


class SoftSum(NamedTuple):
    """The result of :meth:`Task.soft` for n examples.

    Attributes
    ----------
    values : ndarray of shape (n,)
        ``SoftOutput.value`` of each example: the log-partition function, multiplied by the
        temperature.
    joint_feature_difference : ndarray of shape (size_joint_feature,)
        The sum of ``SoftOutput.joint_feature_difference``, weighted by the examples' weights.
    loss : float
        The sum of ``SoftOutput.loss``, weighted by the examples' weights.
    slacks : ndarray of shape (n,) or None
        The slack of each example, max_y' s(y'), or None if the soft oracle does not compute the
        slacks. If ``slacks`` is None, the separation oracle computes the slacks when needed.
    """

    values: NDArray[np.float64]
    joint_feature_difference: NDArray[np.float64]
    loss: float
    slacks: NDArray[np.float64] | None = None


class Axes(ABC):
    """Groups of orthonormal axes of w along which the Hessian of soft slacks is nearly diagonal.

    :meth:`Task.axes` returns an object of a subclass of this class. All orthonormal axes that span
    the same space are equivalent, because all axes in a group have the same curvature.
    """

    @abstractmethod
    def along(self, curvature: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the curvature of the soft slacks along each group's axes.

        ``curvature`` is the curvature along the entries of w. The result has shape (m,) for m
        groups. The result is >= 0 if ``curvature`` is >= 0. An estimate suffices.
        """

    @abstractmethod
    def times(self, factors: NDArray[Any], w: NDArray[Any]) -> NDArray[Any]:
        """Multiply the part of w along each group's axes by the group's factor.

        Return a new array.

        ``factors`` has shape (m,). ``w`` has shape (size_joint_feature,), or (p,
        size_joint_feature) for p vectors. ``factors`` and ``w`` have equal precision.
        """
