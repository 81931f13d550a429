"""The prior, which is the vector of weights at which the regulariser is 0."""

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
from structsvm.estimators.encoding import Encoded
from structsvm.oracle.setup import copied, initialize
from structsvm.results.result import Result


def fitted_prior(estimator: Any, given: Any) -> Any:
    """Return a copy of the prior if it is a fitted estimator, or None if it is an array."""
    if not isinstance(given, BaseEstimator):
        return None
    if type(given) is not type(estimator):
        part = "best_estimator_" if hasattr(given, "best_estimator_") else "last step"
        outer = hasattr(given, "best_estimator_") or hasattr(given, "steps")
        raise ValueError(
            f"w_prior must be weights or a fitted {type(estimator).__name__}; got a "
            f"{type(given).__name__}{f': give its {part}' if outer else ''}"
        )
    check_is_fitted(given, "w_", msg="w_prior is a %(name)s that is not fitted")
    return copy.copy(given)  # it may be the same estimator, whose attributes the fit overwrites


def prior_vector(estimator: Any, given: Any, prior: Any, problem: Problem, data: Encoded) -> Vector:
    """Return the prior as a vector in the order of w; raise a ValueError if it is unusable.

    ``prior`` is the return value of :func:`fitted_prior`.
    """
    problem, encoding = copied(problem), estimator._encoding
    initialize(problem, data.X, data.Y)
    if prior is not None:
        weights = encoding.carried(prior, problem)
        if weights is None:
            _require_same_layout(_layout(estimator, problem), _layout(prior, prior.problem_))
            weights = prior._encoding.weights_given(prior.w_, prior.problem_)
        return np.asarray(encoding.weights_trained(weights, problem))
    size, name = int(problem.size_joint_feature), type(estimator).__name__
    if isinstance(given, (str, Mapping)) or not hasattr(given, "__len__"):
        got = f"{given!r:.60}"
        if isinstance(given, Result):
            got = "a Result: give the estimator that it belongs to"
        raise ValueError(
            f"w_prior must be a fitted {name}, or an array of shape ({size},) "
            f"in the order of w_, for the features as they are given; got {got}"
        )
    return np.asarray(encoding.weights_trained(checked_w("w_prior", given, size), problem))


def _layout(estimator: Any, problem: Any) -> dict[str, Any]:
    """Return the names of the features and labels, and the numbers of columns and weights."""
    found: dict[str, Any] = estimator._encoding.names(problem)
    if (names := getattr(estimator, "feature_names_in_", None)) is not None:
        found["features"] = np.asarray(names).tolist()
    if (number := getattr(estimator, "n_features_in_", None)) is not None:
        found["columns"] = int(number)
    return found | {"weights": int(problem.size_joint_feature)}


def _require_same_layout(here: dict[str, Any], there: dict[str, Any]) -> None:
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
