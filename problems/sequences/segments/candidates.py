"""The candidate segments of many sequences, stored step by step."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices
from structsvm.data.containers import in_double, n_examples
from structsvm.data.conversion import require_no_iterator
from structsvm.data.examples import ExampleContainer
from structsvm.data.matrices import in_floats, require_matrix, stacked_matrices
from structsvm.problems.classification.states import StateRows, States
from structsvm.problems.sequences.chain.packed import ChainLayout


class Candidates(ExampleContainer):
    """Matrices of candidate segments, position by position in the order of a :class:`ChainLayout`.

    Parameters
    ----------
    rows : array or CSR matrix of shape (n_positions * longest, d)
    layout : ChainLayout
    longest : int
        The number of candidates that end at a position.
    states : States, optional
        Of the d features; needed for products.
    """

    def __init__(
        self, rows: Any, layout: ChainLayout, longest: int, states: States | None = None
    ) -> None:
        self.rows, self.layout, self.longest, self.states = rows, layout, longest, states

    @classmethod
    def of(cls, rows: Any, layout: ChainLayout, longest: int) -> Candidates:
        """Store matrices that are one below the other."""
        return cls(rows[_expanded(layout.places, longest)], layout, longest)

    def with_states(self, states: States) -> Candidates:
        """The same candidates, for products with the weights of these states."""
        return Candidates(self.rows, self.layout, self.longest, states)

    @cached_property
    def features(self) -> StateRows:
        """The rows, for products."""
        assert self.states is not None
        return self.states.rows(self.rows)

    def __len__(self) -> int:
        return len(self.layout.lengths)

    def example(self, i: int) -> Any:
        places = self.layout.positions(i, np.arange(self.layout.lengths[i]))
        return self.rows[_expanded(places, self.longest)]

    def in_double(self) -> Candidates:
        return Candidates(in_double(self.rows), self.layout, self.longest, self.states)

    def part(self, which: Any) -> Candidates:
        layout, places = self.layout.taken(which)
        rows = self.rows[_expanded(places, self.longest)]
        return Candidates(rows, layout, self.longest, self.states)


def _expanded(places: Indices, longest: int) -> Indices:
    """The rows of the candidates at these positions."""
    return (places[:, None] * longest + np.arange(longest)).ravel()


def checked_candidates(X: Any, longest: int) -> int:
    """The number of features; a ValueError unless every input has all candidates as rows."""
    d = 0
    for i in range(n_examples(X)):
        require_no_iterator(f"X[{i}]", X[i])
        try:
            require_matrix(X[i])
        except ValueError as error:
            raise ValueError(f"X[{i}], one sequence: {error}") from None
        m, columns = X[i].shape
        if m == 0 or m % longest:
            raise ValueError(
                f"X[{i}] has {m} rows; expected a row for each of max_length={longest} candidates "
                "at each of at least one position"
            )
        d = d or columns
        if columns != d:
            raise ValueError(f"X[{i}] has {columns} columns but X[0] has {d}")
    return d


def packed_candidates(X: Any, longest: int) -> Candidates:
    """Matrices of candidates in one container, in floats."""
    matrices = [in_floats(X[i]) for i in range(n_examples(X))]
    lengths = np.array([x.shape[0] for x in matrices], dtype=np.intp) // longest
    return Candidates.of(stacked_matrices(matrices), ChainLayout(lengths), longest)
