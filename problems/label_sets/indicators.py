"""Indicator matrices of label sets: their checks."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.matrices import one_array, require_unmasked

#: What to do with label sets in another form, at the end of messages.
OF_LABELS = ". sklearn.preprocessing.MultiLabelBinarizer makes such rows of lists of labels"


def checked_indicators(Y: Any, n_labels: int | None = None, name: str = "Y") -> Any:
    """Label sets as an array of int8, a row for each example and a column for each label.

    Parameters
    ----------
    Y : array-like, DataFrame or scipy.sparse matrix of shape (n, n_labels)
        1 where an example has the label, else 0.
    n_labels : int, optional
        The number of columns expected; default: any but 0.
    name : str, default='Y'
        What messages call Y.

    Raises
    ------
    ValueError
        Y is None, or has another shape, or entries other than 0 and 1; the message names one.
    """
    if Y is None:
        raise ValueError(
            f"{name} must have a row for each example and a column for each label; it is None"
        )
    if sparse.issparse(Y):
        Y = Y.toarray()
    require_unmasked(name, Y)
    if isinstance(Y, (list, tuple)):
        if any(isinstance(y, Set) for y in Y):
            raise ValueError(f"{name} must hold 0 and 1; it holds sets{OF_LABELS}")
        shapes = sorted({one_array(f"{name}[{i}]", y).shape for i, y in enumerate(Y)})
        if len(shapes) > 1:
            raise ValueError(
                f"{name} must have a 0 or 1 for every label in every row; its rows have the shapes "
                f"{shapes[0]} and {shapes[1]}{OF_LABELS}"
            )
    given = one_array(name, Y)
    if given.ndim != 2 or given.shape[1] == 0:
        raise ValueError(
            f"{name} must be 2-d, a row for each example and a column for each label, with at "
            f"least one; got shape {given.shape}{OF_LABELS}"
        )
    if n_labels is not None and given.shape[1] != n_labels:
        raise ValueError(
            f"{name} has {given.shape[1]} columns; expected {n_labels}, one for each label"
        )
    if given.dtype.kind not in "biuf" and not (given.dtype == object and _are_numbers(given)):
        raise ValueError(f"{name} must hold 0 and 1; got dtype {given.dtype}{OF_LABELS}")
    wrong = ~((given == 0) | (given == 1))
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        raise ValueError(f"{name} must hold 0 and 1; {name}[{i}, {j}] is {given[i, j]}{OF_LABELS}")
    return given.astype(np.int8)


def _are_numbers(array: Any) -> bool:
    return all(isinstance(value, (bool, int, float, np.number)) for value in array.ravel())
