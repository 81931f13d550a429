"""Matrices of rows that are given as dicts, as a table or as a matrix, with the same columns."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.exceptions import warn_user
from structsvm.matrices import require_matrix
from structsvm.problems.sequences.given import Given

logger = logging.getLogger(__name__)

#: Fraction of unknown features that is more than new data have.
SUSPICIOUS = 0.5
#: The usual types of numbers; values of others are looked at more closely.
NUMBERS = {bool, int, float, np.bool_, np.float64, np.float32, np.int64}


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
            X = X.to_numpy(dtype=np.float64)
        if isinstance(X, list) or _is_table(X):
            raise ValueError("X must hold rows of a matrix, as those trained on; got dicts or text")
        require_matrix(X)
        if X.shape[1] != self._width:
            raise ValueError(f"X has {X.shape[1]} columns; expected {self._width}")
        return X


class TableRows:
    """Rows of a table of numbers, whose columns are found by name."""

    def __init__(self, given: Given) -> None:
        self.names: list[str] | None = [str(name) for name in given.rows.columns]

    def matrix(self, given: Given) -> Any:
        """The rows as a matrix; other columns are ignored and counted."""
        table, names = given.rows, self.names or []
        if not (_is_table(table) and _is_numeric(table)):
            raise ValueError("X must be a table of numbers, as that trained on")
        places = {str(name): j for j, name in enumerate(table.columns)}
        missing = [name for name in names if name not in places]
        if missing:
            raise ValueError(f"X lacks the columns {missing} of the table trained on")
        _report_unknown(len(places) - len(names), len(places), "columns")
        X = table.to_numpy(dtype=np.float64)[:, [places[name] for name in names]]
        require_matrix(X)
        return X


class DictRows:
    """Rows given as dicts of features, or a table with text that is read as such."""

    def __init__(self, given: Given) -> None:
        self._vocabulary = Vocabulary()
        self._vocabulary.learn(_dicts(given))
        self.names: list[str] | None = self._vocabulary.names

    def matrix(self, given: Given) -> Any:
        """The rows as a CSR matrix; unknown features are ignored and counted."""
        if not (isinstance(given.rows, list) or _is_table(given.rows)):
            raise ValueError("X must hold dicts of features, as that trained on; got a matrix")
        return self._vocabulary.matrix(_dicts(given), given.place)


class Vocabulary:
    """Columns for the features of dicts.

    A name with a number or bool has a column of its own, and each pair of a name and a string has
    one, as in CRFsuite: ``{"word": "the", "capital": True}`` sets the columns ``word:the`` and
    ``capital`` to 1.
    """

    def __init__(self) -> None:
        self._columns: dict[str, int] = {}

    @property
    def names(self) -> list[str]:
        return list(self._columns)

    def learn(self, dicts: Iterable[Mapping[str, Any]]) -> None:
        """Give all features a column."""
        columns = self._columns
        for features in dicts:
            for name, value in features.items():
                name = f"{name}:{value}" if isinstance(value, str) else name
                columns.setdefault(name, len(columns))
        wrong = [name for name in columns if not isinstance(name, str)]
        if wrong:
            raise ValueError(f"names of features must be strings; got {wrong[0]!r}")
        if not columns:
            raise ValueError("X has no features: all its dicts are empty")

    def matrix(self, dicts: Iterable[Mapping[str, Any]], place: Callable[[int], str]) -> Any:
        """A CSR matrix with a row for each dict; ``place`` names a row in messages."""
        column, total = self._columns.get, 0
        ends, indices, values = [0], [], []
        for row, features in enumerate(dicts):
            total += len(features)
            for name, value in features.items():
                if isinstance(value, str):
                    name, value = f"{name}:{value}", 1.0
                elif type(value) not in NUMBERS:
                    _require_number(name, value, place(row))
                known = column(name)
                if known is not None:
                    indices.append(known)
                    values.append(value)
            ends.append(len(indices))
        _report_unknown(total - len(indices), total, "features")
        data = np.array(values, dtype=np.float64)
        wrong = ~np.isfinite(data)
        if wrong.any():
            row = int(np.searchsorted(ends, np.argmax(wrong), side="right")) - 1
            raise ValueError(f"{place(row)} has a feature that is NaN or infinite")
        X = _csr(data, indices, ends, len(self._columns))
        require_matrix(X)
        return X


def row_features(given: Given) -> MatrixRows | TableRows | DictRows:
    """The kind of rows that were given, with the columns of all their features."""
    if isinstance(given.rows, list) or (_is_table(given.rows) and not _is_numeric(given.rows)):
        return DictRows(given)
    return TableRows(given) if _is_table(given.rows) else MatrixRows(given)


def _dicts(given: Given) -> Any:
    return given.rows if isinstance(given.rows, list) else given.rows.to_dict("records")


def _require_number(name: Any, value: Any, place: str) -> None:
    if not isinstance(value, (Real, np.bool_)):
        raise ValueError(
            f"{place}[{name!r}] is of type {type(value).__name__}; the value of a feature must be "
            "a number, a bool or a string"
        )


def _csr(data: Any, indices: Sequence[int], ends: Sequence[int], d: int) -> sparse.csr_matrix:
    """A CSR matrix in single precision, where that holds all the numbers, or else in double."""
    with np.errstate(over="ignore"):
        single = data.astype(np.float32)
    data = single if np.array_equal(single, data) else data
    X = sparse.csr_matrix((data, np.array(indices, dtype=np.int32), ends), (len(ends) - 1, d))
    X.eliminate_zeros()
    return X


def _report_unknown(unknown: int, total: int, what: str) -> None:
    """Log how many features were ignored, and warn where they are many."""
    if unknown:
        report: Callable[[str], None] = warn_user if unknown > SUSPICIOUS * total else logger.info
        report(f"{unknown} of {total} {what} of X are not among those trained on: ignored")


def _is_table(rows: Any) -> bool:
    return hasattr(rows, "columns")


def _is_numeric(table: Any) -> bool:
    return all(dtype.kind in "biuf" for dtype in table.dtypes)
