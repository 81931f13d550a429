"""Rows of many examples in one array, a different number for each."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.matrices import stacked_matrices


class Ragged:
    """The rows of n examples, one example after the other.

    ``ragged[i]`` are the rows of the i-th example, ``ragged[places]`` a smaller one.

    Parameters
    ----------
    values : array or CSR matrix of shape (n_rows, ...)
    sizes : ndarray of shape (n,), int
        The number of rows of every example.

    Attributes
    ----------
    starts : ndarray of shape (n + 1,)
        The first row of every example; the last entry is the number of all rows.
    """

    def __init__(self, values: Any, sizes: Any) -> None:
        self.values, self.sizes = values, sizes
        self.starts = np.concatenate([[0], np.cumsum(sizes)])
        self.shape = (len(sizes),)

    @classmethod
    def of(cls, parts: list[Any]) -> Ragged:
        """Stack arrays, or matrices of which some may be sparse."""
        return cls(
            stacked_matrices(parts), np.array([part.shape[0] for part in parts], dtype=np.intp)
        )

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"Ragged({[self[i] for i in range(len(self))]!r})"

    def __getitem__(self, which: Any) -> Any:
        if isinstance(which, (int, np.integer)):
            place = range(len(self))[which]
            return self.values[self.starts[place] : self.starts[place + 1]]
        places = np.arange(len(self))[which]
        sizes = self.sizes[places]
        ends = np.cumsum(sizes)
        shifts = np.repeat(self.starts[places] - (ends - sizes), sizes)
        return Ragged(self.values[np.arange(len(shifts)) + shifts], sizes)
