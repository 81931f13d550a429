"""Matrices of rows that are given as dicts, as a table or as a matrix, with the same columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from structsvm.data.columns import NUMBERS, Columns, numbers
from structsvm.data.conversion import first_missing, is_table
from structsvm.data.matrices import WORDS_LOST, in_floats, require_matrix
from structsvm.features.vocabulary import Vocabulary, not_finite, require_text
from structsvm.problems.sequences.given import Given


class MatrixRows:
    """Rows of a matrix, or of a table of numbers, whose columns have names.

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
        """The rows as a matrix; a ValueError unless it has the columns trained on."""
        X = given.rows
        if isinstance(X, list):
            raise ValueError("X must hold rows of a matrix, as those trained on; got dicts")
        if is_table(X):
            if self._columns is not None:
                self._columns.require_same("X", X, row=given.place)
            X = numbers("X", X).astype(np.float64, copy=False)
        require_matrix(X)
        if X.shape[1] != self._width:
            raise ValueError(f"X has {X.shape[1]} columns; expected {self._width}")
        return in_floats(X)


class DictRows:
    """Rows given as dicts of features, or a table with text that is read as such."""

    def __init__(self, columns: Columns | None, begin: Any = None) -> None:
        self._vocabulary: Vocabulary
        earlier = begin._vocabulary if isinstance(begin, DictRows) else None
        self._vocabulary = Vocabulary(vectors=True, begin=earlier)
        self._columns = columns

    @property
    def names(self) -> list[str] | None:
        return self._vocabulary.names

    def matrix(self, given: Given) -> Any:
        """The rows as a CSR matrix, whose columns are the features of the first rows given.

        Other features are ignored and counted.
        """
        rows = given.rows
        if not (isinstance(rows, list) or is_table(rows)):
            known = "dicts of features" if self._columns is None else "a table with columns of text"
            raise ValueError(f"X must hold {known}, as that trained on; got a matrix")
        if is_table(rows):
            if self._columns is not None:
                self._columns.require_same("X", rows, row=given.place)
            _require_filled(rows, given.place)
            rows = rows.to_dicts() if hasattr(rows, "to_dicts") else rows.to_dict("records")
        return self._vocabulary.matrix(rows, given.place)


def _require_filled(table: Any, place: Callable[[int], str]) -> None:
    """Raise a ValueError for a missing value, with the code of this library that fills it in."""
    for name in table.columns:
        row = first_missing(table[name].to_numpy())
        if row is None:
            continue
        values = table[name].to_list()
        text = any(isinstance(value, str) for value in values)
        fill, lost = "fillna", WORDS_LOST if text else ""
        if hasattr(table, "to_dicts"):  # of polars
            fill, lost = "fill_null" if values[row] is None else "fill_nan", ""
        filler = "" if text else 0
        code = f"table[{name!r}].{fill}({filler!r})"
        raise not_finite(name, values[row], place(row), f", such as by {code}{lost}")


def row_features(given: Given, begin: Any = None) -> tuple[MatrixRows | DictRows, Any]:
    """The kind of rows that were given, with the columns of all their features; and the matrix.

    With ``begin``, the features of other rows, named features begin with these.
    """
    features: MatrixRows | DictRows
    columns = Columns.of("X", given.rows) if is_table(given.rows) else None
    if columns is not None:
        columns.require_unmixed("X", given.rows, given.place)
    has_text = columns is not None and any(role != NUMBERS for role in columns.roles)
    if isinstance(given.rows, list) or has_text:
        features = DictRows(columns, begin)
    else:
        features = MatrixRows(given, columns)
    return features, features.matrix(given)
