"""The loss that motile uses for training, under the names that motile imports."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.data.matrices import checked_numbers
from structsvm.data.validation import checked_w
from structsvm.problems.programs.labels import checked_weights
from structsvm.problems.programs.program import Compiled, Program
from structsvm.problems.programs.search import best


class HammingCosts:
    """A loss: the number of known variables that are wrong.

    Parameters
    ----------
    ground_truth : ndarray of shape (v,)
        The true values, 0 or 1.
    mask : ndarray of shape (v,), optional
        The weights >= 0 of the variables, for example 1 for variables that count and 0 for the
        others. By default all variables count.
    """

    def __init__(self, ground_truth: Any, mask: Any = None) -> None:
        truth = _checked_truth(ground_truth)
        v = len(truth)
        weights = np.ones(v) if mask is None else checked_weights("the weights in mask", mask, v)
        # |y - y'| = y' + (1 - 2 y') y for y' in {0, 1}.
        self._coefficients = weights * (1 - 2 * truth)
        self._offset = float(weights @ truth)

    def get_coefficients(self) -> Vector:
        """Return the coefficients of the variables in the loss, shape (v,)."""
        return self._coefficients

    def get_offset(self) -> float:
        """Return the loss of the vector of zeros."""
        return self._offset


class SoftMarginLoss:
    r"""The slack of one integer program as a function of w, for training by :class:`BundleMethod`.

    .. math::

        L(w) = \max_y \; \langle w, \phi y' - \phi y \rangle + \Delta(y', y)

    The maximum is taken over the 0/1 vectors y that satisfy the constraints. The matrix phi holds
    the features, and y' is the true output. :class:`BundleMethod` finds w. A prediction minimises
    the cost <w, phi y> over y. The w of BundleMethod is the negative of the weights of
    :class:`structsvm.problems.IntegerProgramSVM`, which maximises scores. With Hamming costs for v
    variables, the regulariser lambda of BundleMethod corresponds to C = v / lambda in
    problems.IntegerProgramSVM.

    The class has the same name and arguments as a class of the PyPI package ``structsvm``, so that
    the tracking library motile can use it. HiGHS finds the optimum.

    Parameters
    ----------
    constraints : ilpy.Constraints, or constraints as of :class:`structsvm.problems.Program`
        Constraints on v variables, for example constraint objects of the package ilpy. The package
        ilpy need not be installed.
    features : ndarray of shape (d, v)
        The features phi, with a column for each variable.
    ground_truth : ndarray of shape (v,)
        The true output y', a 0/1 vector. If the true output violates constraints, for example
        because it has 0 for unknown variables, the loss may be negative.
    costs : HammingCosts or alike, optional
        The loss Delta, which is ``get_offset() + get_coefficients() @ y``. Default: the Hamming
        loss.

    Raises
    ------
    TypeError
        If ``costs`` lacks the method ``get_offset`` or ``get_coefficients``.
    ValueError
        If the shapes do not match, if a number is NaN or infinite, if a constraint is not linear,
        or if a true value is neither 0 nor 1. ``value_and_gradient`` raises a ValueError if no
        vector satisfies the constraints.

    Examples
    --------
    Choose at most one of three variables; the second variable is the true choice:

    >>> import numpy as np
    >>> from structsvm import BundleMethod, SoftMarginLoss
    >>> features = np.array([[1.0, -1.0, 0.5], [1.0, 1.0, 1.0]])
    >>> loss = SoftMarginLoss(([[1, 1, 1]], [1]), features, np.array([0, 1, 0]))
    >>> bundle = BundleMethod(loss.value_and_gradient, dims=2, regularizer_weight=0.1, eps=1e-6)
    >>> w = bundle.optimize()
    >>> (w @ features).round(2)
    array([ 1.33, -1.33,  0.67])
    """

    def __init__(
        self, constraints: Any, features: Any, ground_truth: Any, costs: Any = None
    ) -> None:
        truth = _checked_truth(ground_truth)
        features = checked_numbers("features", features)
        if features.ndim != 2 or features.shape[1] != len(truth):
            raise ValueError(
                f"features must have a column for each of {len(truth)} variables; got shape "
                f"{features.shape}"
            )
        costs = HammingCosts(truth) if costs is None else costs
        named = hasattr(costs, "get_offset") and hasattr(costs, "get_coefficients")
        if not named or isinstance(costs, type):
            raise TypeError(
                "costs must have the methods get_offset and get_coefficients, as HammingCosts has; "
                f"got {costs!r:.60}"
            )
        self._program = Compiled.of(Program(features.T, constraints))
        self._truth, self._offset = truth, float(costs.get_offset())
        self._losses = checked_numbers("the coefficients of costs", costs.get_coefficients())
        if self._losses.shape != truth.shape or not np.isfinite(self._losses).all():
            raise ValueError(
                f"costs must have a finite coefficient for each of {len(truth)} variables; got "
                f"{self._losses!r:.60}"
            )

    def value_and_gradient(self, w: Vector) -> tuple[float, Vector]:
        """Return the slack at w, and a subgradient of shape (d,)."""
        program = self._program
        scores = self._losses - program.scores(checked_w("w", w, program.features.shape[1]))
        y = best(program, scores, None, None)
        gradient = program.sum(self._truth - y)
        return float(self._offset + self._losses @ y + gradient @ w), gradient


def _checked_truth(given: Any) -> Vector:
    truth = checked_numbers("ground_truth", given)
    if truth.ndim != 1 or not np.isin(truth, (0, 1)).all():
        raise ValueError(
            "ground_truth must be a vector of 0 and 1, since variables of integer programs are "
            f"binary here; got {given!r:.60}"
        )
    return truth
