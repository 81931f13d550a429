"""The conversion of a method's return values for single examples to one array."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from structsvm.data.arrays import Vector
from structsvm.data.containers import stacked
from structsvm.data.sparse_indices import fault_of_indices

#: Kinds of dtypes that are numbers without conversion.
NUMBERS = "biuf"
#: Kinds of dtypes that can be converted to float64. Objects may be exact fractions.
REAL = NUMBERS + "O"


class UnusableAnswer(Exception):
    """The exception for a return value other than finite numbers of the expected shape.

    Attributes
    ----------
    answer : object
    shape : tuple of int
        The expected shape.
    place : int
        The position of the example among the task's examples.
    expected : str
        The name of the expected type. Empty if numbers are expected.
    """

    def __init__(self, answer: Any, shape: tuple[int, ...], place: int, expected: str = "") -> None:
        super().__init__(f"expected {expected or f'numbers of shape {shape}'}")
        self.answer, self.shape, self.place, self.expected = answer, shape, place, expected


def numbers_of(answers: Sequence[Any], shape: tuple[int, ...], places: Sequence[int]) -> Vector:
    """Convert the values returned for the examples to a float64 array, one row per example.

    If a value is unusable, the error states the position of its example from ``places``. Numbers
    may be NaN or infinite.
    """
    try:
        array = np.array(answers)
    except ValueError:  # the shapes differ
        array = np.empty(0)
    if array.dtype.kind in NUMBERS and array.shape == (len(answers), *shape):
        return array.astype(np.float64, copy=False)
    pairs = zip(answers, places, strict=True)
    return np.array([_array_of(answer, shape, place) for answer, place in pairs])


def rows_of(answers: Sequence[Any], size: int, places: Sequence[int]) -> Any:
    """Return joint features or differences as rows of a matrix, in CSR format if all are sparse."""
    if not (answers and all(map(sparse.issparse, answers))):
        return numbers_of(answers, (size,), places)
    if all(_is_csr_row(row, size) for row in answers):
        rows = _joined(answers, size)
        if not fault_of_indices(rows):
            rows.sum_duplicates()
            return rows
    pairs = zip(answers, places, strict=True)
    return stacked([_csr_row(answer, size, place) for answer, place in pairs])


def is_usable(value: Any, shape: tuple[int, ...]) -> bool:
    """Whether ``value`` is a finite float64 array with the shape ``shape``."""
    if not (type(value) is np.ndarray and value.dtype == np.float64 and value.shape == shape):
        return False
    # The product is finite if all numbers are and none is huge: mostly one pass is enough.
    return bool(math.isfinite(np.vdot(value, value)) or np.isfinite(value).all())


def real_array(value: Any, single: bool = False) -> Vector:
    """Convert the value to a float64 array, and a sparse row to a 1-d array.

    If ``single`` is true, float32 stays float32. Raises a TypeError for text, None and complex
    numbers, although numpy would convert these values. A TypeError is also raised for sparse rows
    with indices out of range.
    """
    kind = type(value).__name__
    if sparse.issparse(value) and (fault := fault_of_indices(value)):
        raise TypeError(f"an invalid {kind}: {fault}")
    try:
        array = np.asarray(value)
        if array.dtype.kind == "O" and sparse.issparse(value):
            array = _dense_row(value)
        if single and array.dtype == np.float32:
            return array
        lacks = array.dtype.kind == "O" and any(number is None for number in array.flat)
        if array.dtype.kind in REAL and not lacks:
            return array.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise TypeError(kind) from error
    if lacks:  # numpy would make it NaN
        raise TypeError(f"{kind} with None in it")
    if array.dtype.kind == "c":
        raise TypeError("complex numbers")
    raise TypeError(f"{kind} of dtype {value.dtype}" if hasattr(value, "dtype") else kind)


def _array_of(answer: Any, shape: tuple[int, ...], place: int) -> Vector:
    try:
        array = real_array(answer)
    except TypeError as error:
        raise UnusableAnswer(answer, shape, place) from error
    if answer is None or array.shape != shape:
        raise UnusableAnswer(answer, shape, place)
    return array


def finite_array(answer: Any, shape: tuple[int, ...], place: int) -> Vector:
    """Convert the return value for one example to a finite float64 array of shape `shape`."""
    array = _array_of(answer, shape, place)
    if not (math.isfinite(np.vdot(array, array)) or np.isfinite(array).all()):
        raise UnusableAnswer(answer, shape, place)
    return array


def _dense_row(value: Any) -> NDArray[Any]:
    """Convert a sparse row to a 1-d array, or an array of another shape to zeros of its shape."""
    if value.shape[:-1] in ((), (1,)):
        return np.asarray(value.toarray()).reshape(-1)
    return np.broadcast_to(np.zeros((), dtype=value.dtype), value.shape)


def _csr_row(answer: Any, size: int, place: int) -> Any:
    if fault_of_indices(answer):  # checked first, since reshaping reads the indices
        raise UnusableAnswer(answer, (size,), place)
    row = answer.reshape((1, -1)) if answer.ndim == 1 else answer
    if row.shape != (1, size) or row.dtype.kind not in REAL:
        raise UnusableAnswer(answer, (size,), place)
    row = row.tocsr().astype(np.float64)
    row.sum_duplicates()
    return row


def _joined(found: Sequence[Any], size: int) -> Any:
    """Join CSR rows to one matrix, without a check of the indices."""
    data, indices = (
        np.concatenate([getattr(row, part) for row in found]) for part in ("data", "indices")
    )
    if data.dtype != np.float64:
        data = data.astype(np.float64)
    # With another type than that of the indices, scipy would search for the largest index.
    ends = np.cumsum([0, *(len(row.data) for row in found)], dtype=indices.dtype)
    return sparse.csr_matrix((data, indices, ends), (len(found), size))


def _is_csr_row(row: Any, size: int) -> bool:
    return bool(
        row.format == "csr"
        and row.shape in ((1, size), (size,))
        and row.dtype.kind in NUMBERS
        and row.indptr[-1] == len(row.indices) == len(row.data)
    )
