"""Arrays or sparse matrices with different numbers of rows, stored as one."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.containers import in_double, take
from structsvm.data.examples import ExampleContainer, Spans
from structsvm.data.matrices import stacked_matrices


class Ragged(Spans, ExampleContainer):
    """The rows of n examples, stored one after another; ``ragged[i]`` has the i-th example's rows.

    Parameters
    ----------
    values : array or CSR matrix of shape (n_rows, ...)
    sizes : ndarray of shape (n,), int
        The number of rows of each example.
    """

    def __init__(self, values: Any, sizes: Any) -> None:
        Spans.__init__(self, sizes)
        self.values = values

    @classmethod
    def of(cls, parts: list[Any]) -> Ragged:
        """Make a Ragged from arrays or sparse matrices, one for each example."""
        return cls(
            stacked_matrices(parts), np.array([part.shape[0] for part in parts], dtype=np.intp)
        )

    def example(self, i: int) -> Any:
        return self.values[self.rows(i)]

    def part(self, which: Any) -> Ragged:
        return Ragged(take(self.values, self.rows_of(which)), self.sizes[which])

    def in_double(self) -> Ragged:
        return Ragged(in_double(self.values), self.sizes)
