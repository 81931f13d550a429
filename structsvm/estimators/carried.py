"""Weights of another fit as the prior of this one: the same kind of estimator, for other data."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from structsvm.contract.problem import Problem
from structsvm.data.arrays import Vector
from structsvm.data.validation import checked_w
from structsvm.estimators.encoded import Encoded
from structsvm.oracle.setup import copied, initialize


class CarriesWeights:
    """Base class of the estimators whose weights may be the prior of another fit.

    An estimator that divides features, or shifts them, says by ``_weights_given`` and
    ``_weights_trained`` what that means for the weights.
    """

    w_: Vector
    problem_: Any
    #: During a fit, the estimator whose weights are the prior.
    _other: Any = None

    def _prior(self, given: Any, problem: Problem, data: Encoded) -> Vector | None:
        """The prior as the problem takes it, or a ValueError that says what does not fit."""
        if given is None:
            return None
        problem = copied(problem)
        initialize(problem, data.X, data.Y)
        if self._other is not None:
            return self._carried(self._other, problem)
        size = int(problem.size_joint_feature)
        return self._weights_trained(checked_w("w_prior", given, size), problem)

    def _source(self, given: Any) -> Any:
        """The estimator whose weights are the prior; None for other priors."""
        if not isinstance(given, BaseEstimator):
            return None
        if type(given) is not type(self):
            part = "best_estimator_" if hasattr(given, "best_estimator_") else "last step"
            outer = hasattr(given, "best_estimator_") or hasattr(given, "steps")
            raise ValueError(
                f"w_prior must be weights or a fitted {type(self).__name__}; got a "
                f"{type(given).__name__}{f': give its {part}' if outer else ''}"
            )
        check_is_fitted(given, "w_", msg="w_prior is a %(name)s that is not fitted")
        return given

    def _carried(self, other: Any, problem: Problem) -> Vector:
        """The weights of another estimator, which was fitted to the same features and outputs."""
        here, there = self._layout(problem), other._layout(other.problem_)
        for what, value in here.items():
            if there.get(what) != value:
                raise ValueError(
                    f"w_prior was fitted to other data: its {what} are {there.get(what)!r:.100}, "
                    f"and here they are {value!r:.100}"
                )
        return self._weights_trained(other._weights_given(other.w_, other.problem_), problem)

    def _layout(self, problem: Any) -> dict[str, Any]:
        """The facts about features and outputs that the weights depend on, by name."""
        found: dict[str, Any] = {}
        if (names := getattr(self, "feature_names_in_", None)) is not None:
            found["names of features"] = np.asarray(names).tolist()
        return found | {"numbers of weights": int(problem.size_joint_feature)}

    def _weights_given(self, w: Vector, problem: Any) -> Vector:
        """The weights of the features as they were given, in the order of ``w_``."""
        return w

    def _weights_trained(self, weights: Vector, problem: Any) -> Vector:
        """w, from the weights of the features as they were given."""
        return weights
