"""Sequences of different lengths stored step by step, so that all of them advance at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices
from structsvm.data.containers import n_examples
from structsvm.data.conversion import require_no_iterator
from structsvm.data.examples import ExampleContainer
from structsvm.data.matrices import (
    in_floats,
    require_matrix,
    stacked_matrices,
)
from structsvm.data.mixed import MixedRows
from structsvm.problems.classification.states import StateRows
from structsvm.problems.classification.weighted_labels import WeightedLabels


class ChainLayout:
    """The places where the positions of the sequences are stored.

    The sequences are ranked by falling length. First come the first positions of all sequences in
    that order, then all second positions, and so on: the sequences that reach a step are always the
    first ones of the step before.

    Parameters
    ----------
    lengths : ndarray of shape (n,), int
        The lengths of the sequences, > 0.
    width : int, default=1
        The number of rows that each position has, one after the other.

    Attributes
    ----------
    rank : ndarray of shape (n,)
        The rank of every sequence.
    starts : ndarray of shape (n_steps + 1,)
        Where each step begins; the last entry is the number of all positions.
    sequence, step : ndarray of shape (n_positions,)
        Which sequence a stored position belongs to, and which of its steps it is.
    """

    width = 1  # files of earlier versions hold no other

    def __init__(self, lengths: Indices, width: int = 1) -> None:
        self.lengths, self.width = lengths, width
        order = np.argsort(-lengths, kind="stable")
        self.rank = np.empty_like(order)
        self.rank[order] = np.arange(len(order))
        longest = int(lengths.max(initial=0))
        # How many sequences are longer than 0, 1, 2 ... positions.
        sizes = len(lengths) - np.searchsorted(np.sort(lengths), np.arange(longest), side="right")
        self.starts = np.concatenate([[0], np.cumsum(sizes)])
        self.step = np.repeat(np.arange(longest), sizes)
        self.sequence = order[np.arange(self.starts[-1]) - self.starts[self.step]]

    def __len__(self) -> int:
        return len(self.lengths)

    def steps(self) -> Iterator[slice]:
        """The slice of stored positions of every step, from the first."""
        for start, stop in zip(self.starts[:-1], self.starts[1:], strict=True):
            yield slice(int(start), int(stop))

    @cached_property
    def before(self) -> Indices:
        """The places of the predecessors of all positions but the first ones."""
        later = np.arange(len(self.lengths), self.starts[-1])
        # A sequence has the same rank in every step, so its positions are one step's size apart.
        return later - np.diff(self.starts)[self.step[later] - 1]

    @cached_property
    def last(self) -> Indices:
        """The places of the last positions of the sequences."""
        return self.positions(np.arange(len(self.lengths)), self.lengths - 1)

    @cached_property
    def places(self) -> Indices:
        """The places of all stored rows in sequences that are one after the other."""
        starts = np.cumsum(self.lengths) - self.lengths
        return self._rows_of(starts[self.sequence] + self.step)

    def positions(self, sequence: Any, step: Any) -> Any:
        """The places of these steps of these sequences."""
        return self.starts[step] + self.rank[sequence]

    def rows(self, i: int) -> Indices:
        """The rows of one sequence."""
        return self._rows_of(self.positions(i, np.arange(self.lengths[i])))

    def taken(self, which: Any) -> tuple[ChainLayout, Indices]:
        """The layout of some of the sequences, and the places of their rows in this one."""
        kept = np.arange(len(self.lengths))[which]
        layout = ChainLayout(self.lengths[kept], self.width)
        return layout, self._rows_of(self.positions(kept[layout.sequence], layout.step))

    def _rows_of(self, positions: Indices) -> Indices:
        return (positions[:, None] * self.width + np.arange(self.width)).ravel()

    def sums(self, values: Any) -> Any:
        """The sums over each sequence of numbers at its positions, shape (n,)."""
        return np.bincount(self.sequence, values, len(self.lengths))


@dataclass(eq=False, repr=False)
class Packed(ExampleContainer):
    """n sequences of rows, or of labels, in the order of a :class:`ChainLayout`.

    A labelling is stored as label codes and read as the labels.

    Parameters
    ----------
    rows : array or CSR matrix with the rows of the layout
    layout : ChainLayout
    names : ndarray, optional
        The labels by code, where ``rows`` are label codes.
    weights : ndarray of shape (n_positions,), optional
        The weights of the labels; None where all are 1.
    states : States, optional
        Of the columns of ``rows``; needed for products.
    """

    rows: Any
    layout: ChainLayout
    names: Any = None
    weights: Any = None
    states: Any = None

    of_rows = ("rows", "weights")

    @classmethod
    def of(
        cls, sequences: Any, layout: ChainLayout, names: Any = None, weights: Any = None
    ) -> Packed:
        """Pack sequences that are stored one after the other."""
        places = layout.places
        return cls(sequences[places], layout, names, None if weights is None else weights[places])

    def flat(self) -> Any:
        """The rows, or label codes, of the sequences one after the other."""
        found = np.empty_like(self.rows)
        found[self.layout.places] = self.rows
        return found

    def example(self, i: int) -> Any:
        places = self.layout.rows(i)
        if self.names is None:
            return self.rows[places]
        labels = self.names[self.rows[places]]
        return labels if self.weights is None else WeightedLabels(labels, self.weights[places])

    @cached_property
    def features(self) -> StateRows:
        """The rows, for products with the weights of the states."""
        found: StateRows = self.states.rows(self.rows)
        return found


def checked_arrays(X: Any, numbers: Sequence[int] | None = None) -> list[Any]:
    """The inputs in a list; a ValueError unless they are matrices with the same columns.

    Messages call them by these numbers; by default by their places.
    """
    arrays = list(map(X.__getitem__, range(n_examples(X))))
    numbers = range(len(arrays)) if numbers is None else numbers
    for i, x in zip(numbers, arrays, strict=True):
        require_no_iterator(f"X[{i}]", x)
        if isinstance(x, (list, tuple)) and any(isinstance(row, Mapping) for row in x):
            raise ValueError(
                f"X[{i}] holds dicts; expected a matrix with a row for each position. Fit a "
                "sklearn.feature_extraction.DictVectorizer to the dicts of all sequences, and give "
                "[vectorizer.transform(x) for x in X]"
            )
        try:
            require_matrix(x)
        except ValueError as error:
            raise ValueError(f"X[{i}], one sequence: {error}") from None
        if x.shape[0] == 0:
            raise ValueError(
                f"X[{i}] has no rows; a sequence has at least one position: leave empty sequences "
                "out, with their labels"
            )
        if x.shape[1] != arrays[0].shape[1]:
            raise ValueError(
                f"X[{i}] has {x.shape[1]} columns but X[{numbers[0]}] has {arrays[0].shape[1]}"
            )
    return arrays


def packed(X: Any, width: int = 1) -> Packed:
    """Inputs in one container, in floats; each position has ``width`` rows."""
    if isinstance(X, Packed):
        return X
    arrays = checked_arrays(X)
    for i, x in enumerate(arrays):
        if x.shape[0] % width:
            raise ValueError(
                f"X[{i}] has {x.shape[0]} rows; expected a row for each of max_length={width} "
                "candidates at each of at least one position"
            )
    layout = ChainLayout(np.array([x.shape[0] for x in arrays]) // width, width)
    if isinstance(arrays[0], MixedRows):
        return Packed.of(MixedRows.stacked(arrays), layout)
    return Packed.of(stacked_matrices([in_floats(x) for x in arrays]), layout)
