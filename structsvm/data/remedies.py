"""Advice that ends an error message about labels of an unexpected form."""

from __future__ import annotations

from typing import Any

import numpy as np

#: The advice to someone who passes an iterator as X.
BLOCKS = "; if it yields pairs (X, y), pass structsvm.Blocks(X) to an estimator that takes Blocks"


def label_remedy(name: str, values: Any, length: int) -> str:
    """Return advice: code that turns the values into one label per row, or '' if no code is known.

    The argument ``name`` is the user's expression for the values: a variable, perhaps with an
    index.
    """
    array = np.asarray(values)
    if array.ndim < 2 or array.dtype.kind not in "biufUO":
        return ""
    if array.size == length:
        call = "ravel()"
    elif array.ndim == 2 and len(array) == length and _is_one_hot(array):
        call = "argmax(axis=1)"
    else:
        return ""
    whole, indexed, _ = name.partition("[")
    one = "labels" if indexed else whole
    code = f"{one if isinstance(values, np.ndarray) else f'numpy.asarray({one})'}.{call}"
    return f"; pass [{code} for labels in {whole}]" if indexed else f"; pass {code}"


def _is_one_hot(array: Any) -> bool:
    if array.dtype.kind not in "biuf":
        return False
    return bool(np.isin(array, (0, 1)).all() and (array.sum(axis=1) == 1).all())
