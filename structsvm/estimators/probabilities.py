"""Probabilities of an estimator's outputs, and the temperature of the probabilities."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any, TypeVar, cast

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.utils.validation import check_is_fitted

from structsvm.data.arrays import Self, Vector
from structsvm.data.validation import require_number
from structsvm.exceptions import warn_user
from structsvm.objective.surrogate import Loss

#: The range of temperatures that ``fit_temperature`` chooses from.
COLDEST, HOTTEST = 1e-2, 1e2
#: Smallest probability in a logarithm; smaller ones are raised to it.
LEAST = 1e-12
#: The temperature of a trained estimator, until ``fit_temperature`` changes it.
TRAINED = 1.0

Method = TypeVar("Method", bound=Callable[..., Any])


class _IfCalibrated:
    """A method that an estimator has only while its scores define probabilities.

    If the scores define no probabilities, accessing the decorated method raises an AttributeError.
    """

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method
        self.__doc__ = method.__doc__

    def __get__(self, estimator: Any, owner: type) -> Any:
        if estimator is None:
            return self.method
        if advice := estimator._not_calibrated():
            raise AttributeError(advice)
        return MethodType(self.method, estimator)


def if_calibrated(method: Method) -> Method:
    """Decorate a method to raise an AttributeError while scores define no probabilities."""
    return cast(Method, _IfCalibrated(method))


def normalised(p: Vector) -> Vector:
    """Convert probabilities of shape (m, ...) to double precision, and let each row sum to 1.

    Single precision or long sums may leave the sum of a given row noticeably off 1.
    """
    p = p.astype(np.float64)
    return np.asarray(p / p.sum(axis=tuple(range(1, p.ndim)), keepdims=True))


class HasProbabilities:
    """The base class of estimators with probabilities, proportional to exp(score / temperature).

    Attributes
    ----------
    temperature_ : float
        The temperature, which is 1 after training.
    """

    temperature_: float
    loss: Loss

    def _temperature(self, given: float | None) -> float:
        """Return ``given`` or ``temperature_``; raise an AttributeError if both are missing."""
        if given is not None:
            require_number("temperature", given, "> 0")
            return given
        if advice := self._not_calibrated():
            raise AttributeError(f"{advice}, or give temperature=")
        return self.temperature_

    def _of_parts(self: Any, X: Any, temperature: float | None) -> Any:
        """Return the probabilities of the parts of all outputs, from the problem's task."""
        check_is_fitted(self, "w_")
        given = self._temperature(temperature)
        return self._of_all(X, lambda x: self.problem_.task(x).probabilities(self.w_, given))

    def _not_calibrated(self) -> str:
        """Return advice on how to get probabilities, or '' if the scores define probabilities."""
        loss = getattr(self, "result_", self).loss  # a solver object may have another loss
        if loss != "hinge" or getattr(self, "temperature_", TRAINED) != TRAINED:
            return ""
        name = type(self).__name__
        return (
            f"{name} trains for decisions, and its scores are not yet probabilities: call "
            "fit_temperature(X, y) with data that were not trained on, or train with "
            f"{name}(loss='log_loss')"
        )

    def fit_temperature(self, X: Any, y: Any) -> Self:
        """Set ``temperature_`` to maximise the likelihood of the true outputs of new data.

        The method minimises the mean of -log p, where p is the probability from ``predict_proba``
        for a part of a true output (Guo et al., On Calibration of Modern Neural Networks, ICML
        2017). Parts are classes, labels, arcs or segments. The predictions do not change. Do not
        pass training examples, which would make the probabilities too extreme. A warning is given
        if the best temperature is at an end of the searched range, for example because no
        prediction is wrong.
        """
        check_is_fitted(self, "w_")
        return self._choose_temperature(self._of_truth(X, y))

    def _of_truth(self: Any, X: Any, y: Any) -> Callable[[float], Vector]:
        """Return a function that maps a temperature to probabilities of the true outputs' parts."""
        data = self._encoded(X, y)
        task = self.problem_.task(data.X, data.Y)
        return lambda temperature: task.probabilities_of_truth(self.w_, temperature)

    def _choose_temperature(self, of_truth: Callable[[float], Vector]) -> Self:
        """Set ``temperature_`` to the value that minimises the log loss of the true outputs."""

        def log_loss(log_temperature: float) -> float:
            p = of_truth(float(np.exp(log_temperature)))
            return -float(np.log(np.maximum(p, LEAST)).mean())

        ends = float(np.log(COLDEST)), float(np.log(HOTTEST))
        found = minimize_scalar(log_loss, bounds=ends)
        if min(map(log_loss, ends)) <= found.fun:
            warn_user(
                "fit_temperature found no best temperature: the true outputs are most likely at an "
                f"end of its range, {COLDEST:g} to {HOTTEST:g}, as where no prediction is wrong, "
                "and its probabilities will mislead; give it more data that were not trained on"
            )
        self.temperature_ = float(np.exp(found.x))
        return self
