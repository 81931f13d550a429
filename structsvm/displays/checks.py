"""Checks of what displays are made from: arrays, results, attributes of estimators."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from structsvm.data.matrices import checked_numbers, one_array
from structsvm.data.names import brief
from structsvm.results.status import Outcome


def checked_array(name: str, values: Any, shape: tuple[Any, ...], finite: bool = True) -> Any:
    """The values as an array of numbers of this shape, in which a name stands for any size."""
    array = checked_numbers(name, values)
    sizes = dict(zip(shape, array.shape, strict=False))
    wanted = tuple(max(1, sizes.get(n, 1)) if isinstance(n, str) else n for n in shape)
    if array.shape != wanted:
        text = ", ".join(map(str, shape)) + "," * (len(shape) == 1)
        some = ", none of them 0" * (0 in array.shape)
        raise ValueError(f"{name} must be of shape ({text}){some}; got shape {array.shape}")
    if finite and not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite; got NaN or infinity")
    return array


def checked_labels(name: str, values: Any, n: int) -> Any:
    """The values as an array of n labels."""
    array = one_array(name, values)
    if array.shape != (n,):
        raise ValueError(f"{name} must be of shape ({n},); got shape {array.shape}")
    return array


def require_at_most(name: str, number: int, most: int, remedy: str) -> None:
    """Raise a ValueError where a picture of this number would not be readable."""
    if number > most:
        raise ValueError(
            f"a picture of {number} {name} is not readable, at most {most} are drawn; {remedy}"
        )


def require_result(result: Any) -> None:
    """Raise a TypeError unless it is the outcome of a solver."""
    if not isinstance(result, Outcome):
        raise TypeError(
            f"result must be a Result, such as an estimator's result_; got {brief(result)}"
        )


def fitted(estimator: Any, attribute: str, example: str) -> Any:
    """An attribute or method of a fitted estimator.

    Raises
    ------
    NotFittedError
        The estimator is not fitted.
    TypeError
        It is no instance of an estimator, or lacks the attribute, unlike the ``example``.
    """
    if isinstance(estimator, Outcome):
        drawn = (
            "draw it with from_result" if attribute == "result_" else "pass the fitted estimator"
        )
        raise TypeError(f"estimator is a Result; {drawn}")
    check_is_fitted(estimator)
    if not hasattr(estimator, attribute):
        inner = [name for name in ("best_estimator_", "steps") if hasattr(estimator, name)]
        raise TypeError(
            f"estimator must have {attribute}, as {example} has; {type(estimator).__name__} has "
            "none" + (f": pass one of its {inner[0]}" if inner else "")
        )
    return getattr(estimator, attribute)
