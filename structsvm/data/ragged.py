"""Examples of different lengths, stored one after the other."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices
from structsvm.data.containers import take
from structsvm.data.examples import ExampleContainer
from structsvm.data.matrices import stacked_matrices


class Spans:
    """The positions of the rows of n examples that are stored one after the other.

    Parameters
    ----------
    sizes : ndarray of shape (n,), int
        The number of rows of every example.

    Attributes
    ----------
    starts : ndarray of shape (n + 1,)
        The first row of every example; the last entry is the number of all rows.
    """

    def __init__(self, sizes: Any) -> None:
        self.sizes, self.starts = sizes, np.concatenate([[0], np.cumsum(sizes)])

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def owner(self) -> Indices:
        """The example of every row."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def rows(self, i: int) -> slice:
        """The rows of one example."""
        return slice(int(self.starts[i]), int(self.starts[i + 1]))

    def rows_of(self, which: Any) -> Any:
        """The rows of several examples: for a slice of examples without step, a slice of rows."""
        kept = np.arange(len(self))[which]
        if isinstance(which, slice) and which.step in (None, 1) and len(kept):
            return slice(self.rows(kept[0]).start, self.rows(kept[-1]).stop)
        sizes = self.sizes[kept]
        shifts = np.repeat(self.starts[kept] - (np.cumsum(sizes) - sizes), sizes)
        return np.arange(len(shifts)) + shifts


class Ragged(Spans, ExampleContainer):
    """The rows of n examples, one example after the other; ``ragged[i]`` has the i-th's rows.

    Parameters
    ----------
    values : array or CSR matrix of shape (n_rows, ...)
    sizes : ndarray of shape (n,), int
        The number of rows of every example.
    """

    def __init__(self, values: Any, sizes: Any) -> None:
        super().__init__(sizes)
        self.values = values

    @classmethod
    def of(cls, parts: list[Any]) -> Ragged:
        """Stack arrays or sparse matrices."""
        return cls(
            stacked_matrices(parts), np.array([part.shape[0] for part in parts], dtype=np.intp)
        )

    def example(self, i: int) -> Any:
        return self.values[self.rows(i)]

    def part(self, which: Any) -> Ragged:
        return Ragged(take(self.values, self.rows_of(which)), self.sizes[which])
