"""The comparison of outputs with other outputs of the same examples, to explain an error.

Outputs are compared only after a method of the problem or task has failed. Only plain values are
read: numbers, text, arrays, and tuples and lists of plain values. No method of a user's class is
called.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import numpy as np


class Likeness(IntEnum):
    """The results of comparing the forms of two outputs of the same example."""

    #: The output has the same form, and its numbers are finite.
    ALIKE = 0
    #: The result may or may not be an output: for example, it has another length or is no plain
    #: value.
    UNSETTLED = 1
    #: The output has another type, or it contains NaN or infinity and the other does not.
    UNLIKE = 2


def likeness(outputs: Sequence[Any], others: Sequence[Any]) -> Likeness:
    """Compare two outputs of each example, and return the Likeness of the least similar pair."""
    return max(_compared(outputs[i], others[i]) for i in range(len(outputs)))


def is_finite(value: Any) -> bool:
    """Whether a number, an array or a built-in container contains no NaN or infinity."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        return bool(np.isfinite(value).all())
    if isinstance(value, (float, complex, np.inexact)):
        return bool(np.isfinite(value))
    if isinstance(value, dict):
        value = list(value.values())
    return not isinstance(value, (list, tuple)) or all(map(is_finite, value))


def _compared(output: Any, other: Any) -> Likeness:
    kind = _kind(output)
    if kind != _kind(other):
        return Likeness.UNLIKE
    if kind == "number":
        is_worse = is_finite(other) and not is_finite(output)
        return Likeness.UNLIKE if is_worse else Likeness.ALIKE
    if kind == "text":
        return Likeness.ALIKE
    if kind != "sequence":
        return Likeness.UNSETTLED
    worst = max(map(_compared, output, other), default=Likeness.ALIKE)
    is_same = type(output) is type(other) and len(output) == len(other)
    return worst if is_same else max(worst, Likeness.UNSETTLED)


def _kind(value: Any) -> Any:
    if isinstance(value, (int, float, np.number, np.bool_)):
        return "number"
    if isinstance(value, (str, bytes)):
        return "text"
    is_array = type(value) is np.ndarray and value.ndim > 0
    return "sequence" if is_array or type(value) in (tuple, list) else type(value)
