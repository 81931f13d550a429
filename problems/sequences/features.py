"""Matrices of rows that are given as dicts, as a table or as a matrix, with the same columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.matrices import in_floats, require_matrix
from structsvm.features.vocabulary import Vocabulary, report_unknown, require_text
from structsvm.problems.sequences.given import Given


class MatrixRows:
    """Rows of a matrix; they have no names.

    Attributes
    ----------
    names : list of str, or None
        The names of the columns.
    """

    names: list[str] | None = None

    def __init__(self, given: Given) -> None:
        self._width: int = given.rows.shape[-1]

    def matrix(self, given: Given) -> Any:
        """The rows as a matrix; a ValueError unless it has the columns trained on."""
        X = given.rows
        if _is_table(X) and _is_numeric(X):
            X = np.asarray(X, dtype=np.float64)
        if isinstance(X, list) or _is_table(X):
            raise ValueError("X must hold rows of a matrix, as those trained on; got dicts or text")
        require_matrix(X)
        if X.shape[1] != self._width:
            raise ValueError(f"X has {X.shape[1]} columns; expected {self._width}")
        return in_floats(X)


class TableRows:
    """Rows of a table of numbers, whose columns are found by name."""

    def __init__(self, given: Given) -> None:
        for name in given.rows.columns:
            require_text(name)
        self.names: list[str] | None = [str(name) for name in given.rows.columns]

    def matrix(self, given: Given) -> Any:
        """The rows as a matrix; other columns are ignored and counted."""
        table, names = given.rows, self.names or []
        if not (_is_table(table) and _is_numeric(table)):
            raise ValueError("X must be a table of numbers, as that trained on")
        places = {str(name): j for j, name in enumerate(table.columns)}
        _require_columns(names, places)
        report_unknown(len(places) - len(names), len(places), "columns")
        X = np.asarray(table, dtype=np.float64)[:, [places[name] for name in names]]
        require_matrix(X)
        return X


class DictRows:
    """Rows given as dicts of features, or a table with text that is read as such."""

    def __init__(self, given: Given, begin: Any = None) -> None:
        self._vocabulary: Vocabulary
        earlier = begin._vocabulary if isinstance(begin, DictRows) else None
        self._vocabulary = Vocabulary(vectors=True, begin=earlier)
        self._columns = list(given.rows.columns) if _is_table(given.rows) else []

    @property
    def names(self) -> list[str] | None:
        return self._vocabulary.names

    def matrix(self, given: Given) -> Any:
        """The rows as a CSR matrix, whose columns are the features of the first rows given.

        Other features are ignored and counted.
        """
        if not (isinstance(given.rows, list) or _is_table(given.rows)):
            raise ValueError("X must hold dicts of features, as that trained on; got a matrix")
        if _is_table(given.rows):
            _require_columns(self._columns, given.rows.columns)
        return self._vocabulary.matrix(_dicts(given), given.place)


def row_features(given: Given, begin: Any = None) -> tuple[MatrixRows | TableRows | DictRows, Any]:
    """The kind of rows that were given, with the columns of all their features; and the matrix.

    With ``begin``, the features of other rows, named features begin with these.
    """
    features: MatrixRows | TableRows | DictRows
    if isinstance(given.rows, list) or (_is_table(given.rows) and not _is_numeric(given.rows)):
        features = DictRows(given, begin)
    else:
        features = TableRows(given) if _is_table(given.rows) else MatrixRows(given)
    return features, features.matrix(given)


def _dicts(given: Given) -> Any:
    rows = given.rows
    if isinstance(rows, list):
        return rows
    return rows.to_dicts() if hasattr(rows, "to_dicts") else rows.to_dict("records")


def _require_columns(names: list[Any], columns: Any) -> None:
    missing = [name for name in names if name not in columns]
    if missing:
        raise ValueError(f"X lacks the columns {missing} of the table trained on")


def _is_table(rows: Any) -> bool:
    return hasattr(rows, "columns")


def _is_numeric(table: Any) -> bool:
    """Whether all columns of a DataFrame, of pandas or polars, hold numbers or bools."""
    if hasattr(table, "iloc"):
        return all(dtype.kind in "biuf" for dtype in table.dtypes)
    if hasattr(table, "to_dicts"):
        return all(dtype.is_numeric() or str(dtype) == "Boolean" for dtype in table.dtypes)
    raise ValueError("X must be a DataFrame of pandas or polars, if it is a table")
