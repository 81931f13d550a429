"""Weights of another fit as the prior of this one: the same kind of estimator, for other data."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from structsvm.contract.problem import Problem
from structsvm.data.arrays import Vector
from structsvm.data.names import difference
from structsvm.data.validation import checked_w
from structsvm.estimators.encoded import Encoded
from structsvm.oracle.setup import copied, initialize
from structsvm.results.result import Result


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
        if isinstance(given, (str, Mapping)) or not hasattr(given, "__len__"):
            got = f"{given!r:.60}"
            if isinstance(given, Result):
                got = "a Result: give the estimator that it belongs to"
            raise ValueError(
                f"w_prior must be a fitted {type(self).__name__}, or an array of shape ({size},) "
                f"in the order of w_, for the features as they are given; got {got}"
            )
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
        return copy.copy(given)  # it may be this one, whose attributes the fit overwrites

    def _carried(self, other: Any, problem: Problem) -> Vector:
        """The weights of another estimator, which was fitted to the same features and outputs."""
        here, there = self._layout(problem), other._layout(other.problem_)
        for what, value in here.items():
            before = there.get(what, value)
            if isinstance(value, int) and before != value:
                raise ValueError(
                    f"w_prior was fitted with {before} {what}; here are {value}. Fit it to the "
                    "same features and labels, with the same parameters, such as fit_intercept"
                )
            if not isinstance(value, int) and (other_names := difference(before, value)):
                raise ValueError(
                    f"w_prior was fitted to other {what}: it {other_names}. Fit it to the same, in "
                    "the same order, or give an array of weights for those of here"
                )
        return self._weights_trained(other._weights_given(other.w_, other.problem_), problem)

    def _layout(self, problem: Any) -> dict[str, Any]:
        """The names and numbers of features and outputs that the weights depend on.

        Names are compared where both fits have some.
        """
        found: dict[str, Any] = {}
        if (names := getattr(self, "feature_names_in_", None)) is not None:
            found["features"] = np.asarray(names).tolist()
        if (number := getattr(self, "n_features_in_", None)) is not None:
            found["columns"] = int(number)
        return found | {"weights": int(problem.size_joint_feature)}

    def _weights_given(self, w: Vector, problem: Any) -> Vector:
        """The weights of the features as they were given, in the order of ``w_``."""
        return w

    def _weights_trained(self, weights: Vector, problem: Any) -> Vector:
        """w, from the weights of the features as they were given."""
        return weights
