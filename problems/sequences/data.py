"""Sequences in lists or as rows of a table, and the columns of their features."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.data.columns import NUMBERS, Columns, numbers, stacked_tables
from structsvm.data.containers import listed, n_examples
from structsvm.data.conversion import (
    first_missing,
    require_column,
    require_no_iterator,
    require_same_index,
    require_same_indices,
    require_sequence,
    table_of,
)
from structsvm.data.identifiers import numbered
from structsvm.data.matrices import (
    WORDS_LOST,
    checked_numbers,
    in_floats,
    one_array,
    require_matrix,
    stacked_matrices,
)
from structsvm.data.sparse_indices import as_csr
from structsvm.data.validation import checked_sample_weight
from structsvm.exceptions import warn_user
from structsvm.features.vocabulary import NAMES, Entries, Vocabulary, not_finite, require_text
from structsvm.problems.classification.labels import require_weights, row_labels
from structsvm.problems.classification.weighted_labels import flat_labels
from structsvm.problems.sequences.chain.data import checked_arrays


class Given(NamedTuple):
    """The rows of all sequences, and their original order.

    Attributes
    ----------
    rows : list of dicts or lists of names, DataFrame, array or CSR matrix
        The rows, sequence after sequence.
    lengths : ndarray of shape (n,), int
        The number of rows of each sequence.
    order : ndarray of shape (n_rows,), int, or None
        The index of each row in the original table; None for lists of sequences.
    """

    rows: Any
    lengths: Indices
    order: Indices | None

    @classmethod
    def of(cls, X: Any, groups: Any = None, may_be_empty: bool = False) -> Given:
        """Divide X into sequences; empty sequences raise a ValueError unless they are allowed."""
        X = as_csr(X) if (table := table_of("X", X)) is None else table
        if groups is not None:
            return cls._grouped(X, groups, may_be_empty)
        X = listed(X)
        if hasattr(X, "columns") or getattr(X, "ndim", None) == 2:
            raise ValueError(
                "X is a table; give groups, the sequence that each row belongs to; or [X], if it "
                "is a single sequence of a matrix. scikit-learn's cross_val_score and searches "
                "pass groups on only after sklearn.set_config(enable_metadata_routing=True), to "
                "ChainSVM().set_fit_request(groups=True).set_score_request(groups=True)"
            )
        n = n_examples(X)
        if n == 0 and not may_be_empty:
            raise ValueError("X is empty; expected at least one sequence")
        lengths = np.zeros(n, dtype=np.intp)
        some = [i for i in range(n) if not may_be_empty or _length(X[i])]
        if not some:
            return cls([], lengths, None)
        rows, lengths[some] = _listed([X[i] for i in some], some)
        return cls(rows, lengths, None)

    @classmethod
    def _grouped(cls, X: Any, groups: Any, may_be_empty: bool) -> Given:
        if hasattr(X, "to_frame"):
            raise ValueError(
                f"X is a single column; give a table, such as table[[{X.name!r}]] for "
                f"table[{X.name!r}]"
            )
        m = len(X) if isinstance(X, (list, tuple)) or hasattr(X, "columns") else n_examples(X)
        order, lengths = divided(groups, m, may_be_empty=may_be_empty)
        require_same_index("groups", groups, "X", X)
        if hasattr(X, "columns") and table_of("X", X) is None:
            raise ValueError("X must be a DataFrame of pandas or polars, if it is a table")
        if isinstance(X, (list, tuple)):
            rows = [X[i] for i in order]
            if not _are_described(rows):
                raise ValueError(
                    "with groups X is one table: a matrix, a DataFrame or a list with a dict for "
                    "each row; without groups it is a list of sequences. Got "
                    f"{_found(X, 'X')}"
                )
        else:
            rows = X[order]
        return cls(rows, lengths, order)

    def labels(self, y: Any) -> Any:
        """Return the labels of the rows in one array, in the order of ``rows``."""
        require_column("y", y)
        if self.order is None:
            y = listed(y)
            m = n_examples(y, "y")
            if m != len(self.lengths):
                raise ValueError(
                    f"X has {len(self.lengths)} sequences but y has {m}; they must be equal"
                )
            if hasattr(self.rows, "columns"):
                require_same_indices(y, self.sequences(self.rows))
            return flat_labels(self.lengths, y, "y") if self.lengths.any() else np.empty(0)
        labels = row_labels(y, len(self.order))
        if hasattr(y, "iloc"):
            require_same_index("y", y.iloc[self.order], "X", self.rows)
        return labels[self.order]

    def weights(self, sample_weight: Any) -> tuple[Vector, Vector | None]:
        """Return the weights of sequences, and the weights of rows or None if there are none."""
        of_rows = None
        if sample_weight is not None and not (self.order is None and _are_numbers(sample_weight)):
            of_rows, sample_weight = self._weights_of_rows(sample_weight), None
        return checked_sample_weight(sample_weight, len(self.lengths)), of_rows

    def _weights_of_rows(self, sample_weight: Any) -> Vector:
        if self.order is not None:
            flat = checked_numbers("sample_weight", sample_weight)
            if flat.shape != self.order.shape:
                raise ValueError(
                    f"sample_weight must hold a weight for each of the {len(self.order)} rows of "
                    f"X; got shape {flat.shape}"
                )
            if hasattr(sample_weight, "iloc"):
                require_same_index("sample_weight", sample_weight.iloc[self.order], "X", self.rows)
            flat = flat[self.order]
        else:
            parts = [checked_numbers("sample_weight", part) for part in sample_weight]
            if len(parts) != len(self.lengths):
                raise ValueError(
                    f"sample_weight must hold an array for each of {len(self.lengths)} sequences; "
                    f"got {len(parts)}"
                )
            for i, (part, length) in enumerate(zip(parts, self.lengths, strict=True)):
                if part.shape != (length,):
                    raise ValueError(
                        f"sample_weight[{i}] must hold a weight for each of the {length} positions "
                        f"of X[{i}]; got shape {part.shape}"
                    )
            flat = np.concatenate(parts)
        require_weights(flat, "sample_weight")
        return flat

    def weights_of_labels(self, sample_weight: Any) -> Vector:
        """Return the weight of each label in the accuracy, in the order of ``rows``."""
        weights, of_rows = self.weights(sample_weight)
        if of_rows is None:
            return np.repeat(weights, self.lengths)
        return checked_sample_weight(of_rows, len(of_rows))

    def sequences(self, flat: Any) -> list[Any]:
        """Divide an array or list with an entry for each row into sequences."""
        ends = [0, *self.lengths.cumsum().tolist()]
        return [flat[start:stop] for start, stop in pairwise(ends)]

    def as_given(self, flat: NDArray[Any]) -> list[NDArray[Any]] | NDArray[Any]:
        """Divide ``flat`` into sequences, or restore the order of rows in the user's table."""
        if self.order is None:
            return self.sequences(flat)
        restored = np.empty_like(flat)
        restored[self.order] = flat
        return restored

    def place(self, row: int) -> str:
        """Return the name of a row for error messages."""
        if self.order is not None:
            return f"row {self.order[row]} of X"
        i = int(np.searchsorted(np.cumsum(self.lengths), row, side="right"))
        return f"X[{i}][{row - int(self.lengths[:i].sum())}]"


def _listed(X: list[Any], numbers: list[int]) -> tuple[Any, list[int]]:
    """Return the rows of sequences, and the lengths; ``numbers`` holds indices for messages."""
    places = [f"X[{i}]" for i in numbers]
    for place, sequence in zip(places, X, strict=True):
        require_no_iterator(place, sequence)
    tables = list(map(table_of, places, X))
    if any(table is not None for table in tables):
        return stacked_tables(X, tables, places), list(map(len, X))
    if isinstance(X[0], Mapping) and not sparse.issparse(X[0]):  # some are dicts too
        raise ValueError(
            "X must be a list of sequences, each a list of dicts, but X[0] is a dict: give "
            "[X], and [y], if this is a single sequence; or groups, which say the sequence of "
            "each position"
        )
    if not isinstance(X[0], (str, list, tuple)):
        arrays = checked_arrays(X, numbers)
        return stacked_matrices(arrays), [x.shape[0] for x in arrays]
    for i, sequence in zip(numbers, X, strict=True):
        if isinstance(sequence, (list, tuple)) and len(sequence) == 0:
            raise ValueError(
                f"X[{i}] is empty; a sequence has at least one position: leave empty sequences "
                "out, with their labels"
            )
        if not _are_described(sequence):
            raise ValueError(
                f"X[{i}] must be a matrix, or a list with a dict of features, or a list of their "
                f"names, for each position; got {_found(sequence, f'X[{i}]')}"
            )
    return list(chain.from_iterable(X)), list(map(len, X))


def divided(
    groups: Any, m: int, name: str = "X", may_be_empty: bool = False
) -> tuple[Indices, Indices]:
    """Sort the m rows of a table by sequence; return their indices and the sequences' lengths.

    ``name`` is the name of the table in error messages.
    """
    expected = f"say of each of the {m} rows of {name} which sequence it belongs to"
    group = numbered("groups", groups, m, expected)
    if m == 0 and not may_be_empty:
        raise ValueError(f"{name} is empty; expected at least one row")
    _warn_of_parts(group, name)
    return np.argsort(group, kind="stable"), np.bincount(group)


def _warn_of_parts(group: Indices, name: str) -> None:
    """Warn if the rows of a sequence are not adjacent, since their order may have been lost."""
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    again = np.delete(starts, np.unique(group[starts], return_index=True)[1])
    if len(again):
        warn_user(
            f"groups: {len(np.unique(group[again]))} of {group.max() + 1} sequences have rows that "
            f"are not together, first in row {again[0]} of {name}; they are taken in the order of "
            "the table. If that is another order than in the sequences, sort the table first"
        )


def _are_numbers(weights: Any) -> bool:
    require_sequence("sample_weight", weights)
    if not isinstance(weights, Iterable):
        return True
    return all(one_array("sample_weight", weight).ndim == 0 for weight in weights)


def _are_described(sequence: Any) -> bool:
    """Whether a sequence has a dict, or a list of names, for each position."""
    if not isinstance(sequence, (list, tuple)):
        return False
    kinds = set(map(type, sequence))
    if kinds <= {list, tuple} and set(map(type, chain.from_iterable(sequence))) <= {str}:
        return True  # the usual cases, quickly
    return kinds <= {dict} or all(map(_is_described, sequence))


def _is_described(x: Any) -> bool:
    return isinstance(x, Mapping) or (
        isinstance(x, NAMES) and all(isinstance(name, str) for name in x)
    )


def _found(sequence: Any, name: str) -> str:
    """Describe, for an error message, the first item without features, or a value of wrong type."""
    for j, x in enumerate(sequence if isinstance(sequence, (list, tuple)) else ()):
        if not _is_described(x):
            return f"{type(x).__name__} {x!r:.60} as {name}[{j}]"
    return f"{type(sequence).__name__} {sequence!r:.60} as {name}"


def _length(sequence: Any) -> int:
    """Return the number of positions, or 1 for a value that is not a sequence."""
    if hasattr(sequence, "shape"):
        return int(sequence.shape[0]) if len(sequence.shape) else 1
    return len(sequence) if isinstance(sequence, (list, tuple)) else 1


class MatrixRows:
    """Rows of a matrix, or of a table of numbers with named columns.

    Attributes
    ----------
    names : list of str, or None
        The names of the columns.
    """

    def __init__(self, given: Given, columns: Columns | None) -> None:
        self.names: list[str] | None = None
        self._width: int = given.rows.shape[-1]
        self._columns = columns
        if columns is not None:
            for name in columns.names:
                require_text(name)
            self.names = [str(name) for name in columns.names]

    def matrix(self, given: Given) -> Any:
        """Return the rows as a matrix, which must have the columns of the training data."""
        X = given.rows
        if isinstance(X, list):
            raise ValueError("X must hold rows of a matrix, as those trained on; got dicts")
        if hasattr(X, "columns"):
            if self._columns is not None:
                self._columns.require_same("X", X, row=given.place)
            X = numbers("X", X).astype(np.float64, copy=False)
        require_matrix(X)
        if X.shape[1] != self._width:
            raise ValueError(f"X has {X.shape[1]} columns; expected {self._width}")
        return in_floats(X)

    def extended(self, given: Given) -> Any:
        """Return the matrix of further rows for training; the columns stay the same."""
        return self.matrix(given)

    def entries(self, given: Given) -> None:
        """Return None, since rows of a matrix have no names."""


class DictRows:
    """Rows that are dicts of features, or that come from a table with text."""

    def __init__(self, columns: Columns | None, begin: Any = None) -> None:
        earlier = begin._vocabulary if isinstance(begin, DictRows) else None
        self._vocabulary: Vocabulary = Vocabulary(vectors=True, begin=earlier)
        self._columns = columns

    @property
    def names(self) -> list[str] | None:
        return self._vocabulary.names

    def matrix(self, given: Given) -> Any:
        """Return the rows as a CSR matrix with a column for each feature of the training rows.

        Features that the training rows lack are ignored and counted.
        """
        return self._vocabulary.matrix(self._described(given), given.place)

    def extended(self, given: Given) -> Any:
        """Return the matrix of further rows for training, with new columns for new features."""
        return self._vocabulary.extended(self._described(given), given.place)

    def entries(self, given: Given) -> Entries | None:
        """Return the entries of the matrix of the rows, or None if some features are vectors."""
        return self._vocabulary.entries(self._described(given), given.place)

    def _described(self, given: Given) -> list[Any]:
        """Return the rows as dicts or lists of names; raise a ValueError for other rows."""
        rows: Any = given.rows
        if not (isinstance(rows, list) or hasattr(rows, "columns")):
            known = "dicts of features" if self._columns is None else "a table with columns of text"
            raise ValueError(f"X must hold {known}, as that trained on; got a matrix")
        if hasattr(rows, "columns"):
            if self._columns is not None:
                self._columns.require_same("X", rows, row=given.place)
            _require_filled(rows, given.place)
            rows = rows.rows(named=True)
        return list(rows)


def _require_filled(table: Any, place: Callable[[int], str]) -> None:
    """Raise a ValueError if the table has a missing value."""
    for column in table.iter_columns():
        row, values = first_missing(column.to_numpy()), column.to_list()
        if row is not None:
            has_text = any(isinstance(value, str) for value in values)
            of_words = has_text and column.implementation.is_pandas_like()
            raise not_finite(column.name, values[row], place(row), WORDS_LOST if of_words else "")


def row_features(given: Given, begin: Any = None) -> tuple[MatrixRows | DictRows, Any]:
    """Return a MatrixRows or DictRows with the columns of all features, and the matrix of rows.

    If ``begin`` holds the named features of other rows, their columns come first.
    """
    features: MatrixRows | DictRows
    columns = Columns.of(given.rows) if hasattr(given.rows, "columns") else None
    if columns is not None:
        columns.require_unmixed("X", given.rows, given.place)
    has_text = columns is not None and any(role != NUMBERS for role in columns.roles)
    if isinstance(given.rows, list) or has_text:
        features = DictRows(columns, begin)
    else:
        features = MatrixRows(given, columns)
    return features, features.matrix(given)
