"""Checks and numbering of the identifiers of sequences, queries, records and clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices
from structsvm.data.conversion import is_missing, require_column
from structsvm.data.matrices import WORDS_LOST, one_array


def numbered(name: str, values: Any, m: int, expected: str) -> Indices:
    """Replace m identifiers by numbers from 0; equal identifiers get equal numbers.

    Numbers follow the sorted order, or the order of first appearance if the identifiers have no
    order. A tuple counts as one identifier. In error messages, the text ``expected`` follows the
    words "They must".

    Raises
    ------
    ValueError
        If the identifiers are not m single values, if an identifier is missing, or if the types of
        identifiers cannot be compared.
    """
    require_column(name, values)
    column = _column(name, values)
    if column.shape != (m,):
        raise ValueError(f"{name} must {expected}; got shape {column.shape}")
    require_identifiers(name, column)
    if column.dtype != object:
        return np.unique(column, return_inverse=True)[1].reshape(m)
    first: dict[Any, int] = {}
    try:
        for row, value in enumerate(column.tolist()):
            first.setdefault(value, row)
    except TypeError as error:
        raise ValueError(f"{name} must hold a single value in row {row}: {error}") from None
    number = {value: i for i, value in enumerate(_sorted(name, first))}
    return np.array([number[value] for value in column.tolist()], dtype=np.intp)


def require_identifiers(
    name: str, values: Sequence[Any], otherwise: str = "leave these rows out"
) -> None:
    """Raise a ValueError for the first identifier that is missing or an empty string.

    The text ``otherwise`` is advice in the message, for users who cannot fill in a value.
    """
    if isinstance(values, np.ndarray) and values.dtype != object:
        text = values.dtype.kind in "US"
        absent = values == values.dtype.type() if text else values != values
    else:
        absent = np.fromiter(map(is_absent, values), dtype=bool)
    if absent.any():
        row = int(absent.argmax())
        found = (
            "empty text, which counts as missing"
            if isinstance(values[row], (str, bytes))
            else values[row]
        )
        raise ValueError(
            f"{name}: no value in row {row} ({found}); fill them, as by ffill() where only the "
            f"first row of each has it, or {otherwise}{WORDS_LOST}"
        )


def is_absent(value: Any) -> bool:
    """Whether an identifier is None, NaN, NaT, NA, masked or '', or a tuple with such a value."""
    if isinstance(value, tuple):
        return any(map(is_absent, value))
    if isinstance(value, (str, bytes)):
        return not value
    return value is np.ma.masked or (not hasattr(value, "__len__") and is_missing(value))


def _column(name: str, values: Any) -> Any:
    """Return identifiers as an array.

    Identifiers in a list keep their types: the dtype of the array is object.
    """
    if np.ma.isMaskedArray(values):
        values = values.tolist()  # masked values become None
    if isinstance(values, (list, tuple)):
        return np.fromiter(values, dtype=object, count=len(values))
    return one_array(name, values)


def _sorted(name: str, first: dict[Any, int]) -> list[Any]:
    """Return the distinct identifiers, sorted if they can be compared.

    ``first`` holds their rows.
    """
    try:
        return sorted(first)
    except TypeError:
        kinds = {type(value): value for value in reversed([*first])}
        if len(kinds) == 1:
            return [*first]
        a, b = sorted(kinds.values(), key=first.__getitem__)[:2]
        raise ValueError(
            f"{name}: types are mixed, {a!r} in row {first[a]} and {b!r} in row {first[b]}; "
            "convert all to one, as by list(map(str, ...))"
        ) from None
