"""The container of sequences of rows or labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

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
from structsvm.problems.sequences.chain.layout import ChainLayout


@dataclass(eq=False, repr=False)
class Packed(ExampleContainer):
    """A container of n sequences of rows or labels, in the order of a :class:`ChainLayout`.

    Labels are stored as label codes, and each element is an array of labels.

    Parameters
    ----------
    rows : array or CSR matrix with the rows of the layout
    layout : ChainLayout
    names : ndarray, optional
        The labels, indexed by code, if ``rows`` are label codes.
    weights : ndarray of shape (n_positions,), optional
        The weights of the labels; None if all are 1.
    states : States, optional
        The pairs (column of ``rows``, label) that have a weight in the model. Without ``states``,
        no scores of ``rows`` can be computed.
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
        """Return the rows or label codes of the sequences, one sequence after the other."""
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
        """The rows as :class:`StateRows`, for products with the weights of the states."""
        found: StateRows = self.states.rows(self.rows)
        return found


def checked_arrays(X: Any, numbers: Sequence[int] | None = None) -> list[Any]:
    """Return the inputs in a list; all must be matrices with the same columns.

    ``numbers`` holds the numbers of the inputs in error messages, by default their indices.
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
    """Pack inputs, converted to floats, in a container; each position has ``width`` rows."""
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
