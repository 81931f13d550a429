"""Optional methods of a problem: the soft oracle, its sums, and what they return."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structsvm.contract.missing import missing
from structsvm.data.arrays import Vector


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


class Axes(ABC):
    """Orthonormal axes of w, in groups, along which the Hessian of soft slacks is nearly diagonal.

    :meth:`Problem.curvature_axes` returns an instance of a subclass. Axes in a group have the same
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


class SoftOracle:
    """The smooth counterpart of the separation oracle, for one example and for many.

    :class:`structsvm.SmoothedLBFGS`, :class:`structsvm.SmoothedAdaGrad` and
    :class:`structsvm.SmoothedCCCP` need :meth:`soft_oracle` or :meth:`sum_soft_oracle`, and so does
    :class:`structsvm.torch.StructuredHingeLoss` for mu > 0.
    L-BFGS takes fewer steps with the curvature. ``solver='auto'`` plans it where
    :meth:`sum_soft_oracle` is offered and the oracle is exact.
    """

    def soft_oracle(self, x: Any, y: Any, w: Vector, mu: float) -> SoftOutput:
        """Return log-partition function and expectations of the loss-augmented scores.

        The smooth counterpart of :meth:`separation_oracle`, for the smoothed solvers: inference in
        a conditional random field, such as the forward-backward algorithm for a chain.

        Requires: mu > 0, the temperature.
        Ensures: the three values that :class:`structsvm.SoftOutput` defines.
        """
        raise NotImplementedError(missing(self, "soft_oracle"))

    def sum_soft_oracle(self, X: Any, Y: Any, w: Vector, mu: float, weights: Vector) -> SoftSum:
        """Apply :meth:`soft_oracle` to n examples and sum differences and losses.

        :class:`structsvm.SmoothedLBFGS` calls it at every step, hundreds of times per fit.

        Requires: ``weights`` has shape (n,): differences and losses are summed with these weights.
        Ensures: the values that :class:`structsvm.SoftSum` defines.
        """
        raise NotImplementedError(missing(self, "sum_soft_oracle"))

    def sum_soft_curvature(self, X: Any, Y: Any, w: Vector, mu: float, weights: Vector) -> Vector:
        """Return the weighted sum over n examples of the variances of the joint feature's entries.

        The variances belong to the distribution of :meth:`soft_oracle`. Divided by mu they are the
        diagonal of the Hessian of ``weights @ values``. :class:`structsvm.SmoothedLBFGS` scales the
        coordinates by it, since some features occur in many examples and others in few. It is
        called once per fit, and an estimate will do, for example without the covariances between
        the parts of an output.

        Requires: ``weights`` has shape (n,).
        Ensures: shape (size_joint_feature,), finite and >= 0.
        """
        raise NotImplementedError(missing(self, "sum_soft_curvature"))

    def curvature_axes(self, X: Any, Y: Any) -> Axes | None:
        """Return axes of w along which the Hessian of soft slacks is nearly diagonal.

        For joint features whose entries are correlated, such as dense ones:
        :class:`structsvm.SmoothedLBFGS` then scales the weights along these axes, instead of each
        weight by itself. It is called once per fit, with up to a thousand examples spread over the
        data, for problems with :meth:`sum_soft_curvature`.

        Requires: X and Y are as :meth:`prepare` returns them for some of the examples.
        Ensures: an :class:`structsvm.Axes`, or None for the entries of w themselves.
        """
        raise NotImplementedError(missing(self, "curvature_axes"))
