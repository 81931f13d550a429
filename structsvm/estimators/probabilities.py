"""The temperature at which an estimator's scores become probabilities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from structsvm.data.arrays import Vector
from structsvm.data.validation import require_positive
from structsvm.exceptions import warn_user

#: Temperatures that ``fit_temperature`` chooses from.
COLDEST, HOTTEST = 1e-2, 1e2
#: Smallest probability whose logarithm is counted.
LEAST = 1e-12
#: The temperature of a trained estimator, until ``fit_temperature`` sets another.
TRAINED = 1.0


class HasProbabilities:
    """Base class of the estimators whose outputs have probabilities, ~ exp(score / temperature).

    Attributes
    ----------
    temperature_ : float
        1 after training.
    """

    temperature_: float
    result_: Any

    def _temperature(self, given: float | None) -> float:
        """The temperature given, or the estimator's own, with a warning where that fits nothing."""
        if given is not None:
            require_positive("temperature", given)
            return given
        if self.result_.loss == "hinge" and self.temperature_ == TRAINED:
            name = type(self).__name__
            warn_user(
                f"{name} was trained for decisions, and its scores are not yet probabilities: call "
                "fit_temperature(X, y) with data that were not trained on, train with "
                f"{name}(loss='log_loss'), or give temperature="
            )
        return self.temperature_

    def _choose_temperature(self, of_truth: Callable[[float], Vector]) -> Any:
        """Set ``temperature_`` so that the true labels are most likely.

        ``of_truth`` returns their probabilities at a temperature.
        """

        def log_loss(log_temperature: float) -> float:
            p = of_truth(float(np.exp(log_temperature)))
            return -float(np.log(np.maximum(p, LEAST)).mean())

        ends = np.log(COLDEST), np.log(HOTTEST)
        self.temperature_ = float(np.exp(minimize_scalar(log_loss, bounds=ends).x))
        return self
