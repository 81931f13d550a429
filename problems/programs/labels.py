"""Outputs of programs: 0/1 vectors, possibly with weights in the loss or unknown entries."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.data.matrices import checked_numbers, one_array, require_unmasked

#: The value of an unknown variable.
UNKNOWN = -1


def values_of(y: Any) -> Any:
    """Return the vector of values of the output ``y``, or raise ``y`` if it is a ValueError."""
    if isinstance(y, ValueError):
        raise y
    return np.asarray(y[0] if isinstance(y, tuple) else y)


def weights_of(y: Any) -> Vector:
    """Return the weight that the loss gives to each variable of an output."""
    return np.asarray(y[1]) if isinstance(y, tuple) else np.ones(len(y))


def known_in(y: Any) -> Any:
    """Return a mask of the known variables, which are not -1 and have a weight > 0 in the loss."""
    return (values_of(y) != UNKNOWN) & (weights_of(y) > 0)


def checked(y: Any, v: int, unknown: bool = False) -> Any:
    """Check an output of v variables; return integers, and the weights if the output has them.

    If ``unknown`` is True, entries may be -1.
    """
    if isinstance(y, tuple):
        if len(y) != 2:
            raise ValueError(
                f"an output must be a vector, or a pair of values and weights; got {y!r:.60}"
            )
        return _checked_values(y[0], v, unknown), checked_weights("the weights", y[1], v)
    return _checked_values(y, v, unknown)


def ignoring_unknown(y: Any) -> Any:
    """Return the output with the value 0 and the weight 0 for unknown entries."""
    return (with_zeros(y), weights_of(y) * known_in(y)) if has_unknown(y) else y


def with_zeros(y: Any) -> Any:
    """Return the vector of an output, with 0 for unknown entries."""
    return np.where(known_in(y), values_of(y), 0)


def has_unknown(y: Any) -> bool:
    """Whether an entry of an output is -1; False for values that are not outputs."""
    values = y[0] if isinstance(y, tuple) and len(y) == 2 else y
    try:
        array = one_array("y", values)
        return array.dtype.kind in "if" and bool((array == UNKNOWN).any())
    except ValueError:
        return False


def _checked_values(y: Any, v: int, unknown: bool) -> Any:
    require_unmasked("y", y)
    y = one_array("y", y)
    if y.shape != (v,) or y.dtype.kind not in "biuf":
        raise ValueError(
            f"an output must hold 0 or 1 for each of {v} variables, or {UNKNOWN} where it is not "
            f"known; got shape {y.shape} of {y.dtype}"
        )
    wrong = ~np.isin(y, (0, 1, UNKNOWN) if unknown else (0, 1))
    if wrong.any():
        i = int(np.argmax(wrong))
        if y[i] == UNKNOWN:
            raise ValueError(
                f"the output has unknown entries ({UNKNOWN}): PartialIntegerProgram takes such "
                "outputs, and IntegerProgramSVM does if there are some when it is fitted; or give "
                "pairs of values and weights, with weight 0 where the value is unknown"
            )
        also = f", {UNKNOWN} for unknown" if unknown else f"; unknown entries are {UNKNOWN}"
        raise ValueError(
            f"an output must hold 0 or 1 for each variable{also}; got {y[i]} for variable {i}"
        )
    return y.astype(np.int64)


def checked_weights(name: str, given: Any, v: int) -> Vector:
    """Check the weights of v variables in the loss; ``name`` is their name in error messages."""
    weights = checked_numbers(name, given)
    if weights.shape != (v,) or not (np.isfinite(weights) & (weights >= 0)).all():
        raise ValueError(
            f"{name} must be finite and >= 0, one for each of {v} variables, 0 where its value is "
            f"not known; got {weights!r:.60}"
        )
    return weights
