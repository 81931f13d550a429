"""Joint features of all examples, in slices that fit in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scipy import sparse

#: Largest number of numbers in the rows of a slice.
SLICE_NUMBERS = 4_000_000
#: Memory of a sparse row besides its entries, in numbers: each row is an object.
SPARSE_ROW = 500


class Slices:
    """Slices of n rows of this size, which count as dense until sparse ones are noted."""

    def __init__(self, n: int, size: int) -> None:
        self._n, self._size, self._numbers = n, size, size

    def __iter__(self) -> Iterator[slice]:
        start = 0
        while start < self._n:
            stop = min(self._n, start + max(1, SLICE_NUMBERS // self._numbers))
            yield slice(start, stop)
            start = stop

    def note(self, rows: Any) -> None:
        """Adapt the length of the next slice to the rows of this one."""
        if sparse.issparse(rows):
            self._numbers = min(self._size, SPARSE_ROW + rows.nnz // rows.shape[0])


def sliced_differences(task: Any, outputs: Any) -> Iterator[tuple[slice, Any]]:
    """The differences of all examples of a task, a slice of the examples at a time."""
    return _sliced(task, task.differences, outputs)


def sliced_joint_features(task: Any, outputs: Any) -> Iterator[tuple[slice, Any]]:
    """The joint features of all examples of a task with these outputs, in the same way."""
    return _sliced(task, task.joint_features, outputs)


def _sliced(task: Any, rows_of: Any, outputs: Any) -> Iterator[tuple[slice, Any]]:
    slices = Slices(task.n, task.size)
    for places in slices:
        rows = rows_of(outputs, range(places.start, places.stop))
        slices.note(rows)
        yield places, rows
