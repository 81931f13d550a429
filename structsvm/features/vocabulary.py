"""Columns for features that are given as dicts of name and value."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.matrices import require_matrix
from structsvm.exceptions import warn_user

logger = logging.getLogger(__name__)

#: Fraction of unknown features above which a warning is given.
SUSPICIOUS = 0.5
#: Larger numbers are infinite in double precision.
LARGEST = 1e308
#: Types of values that hold further features.
NESTED = (dict, list, tuple, set, frozenset)
#: The usual types of numbers; values of other types are checked more closely.
NUMBERS = {bool, int, float, np.bool_, np.float64, np.float32, np.int64}


#: The features of a row: names and values, or names alone, whose values are 1.
Features = Mapping[str, Any] | Collection[str]


class Vocabulary:
    """Columns for the features of rows.

    A name with a number or bool has its own column, and so does each pair of a name and a string,
    as in CRFsuite: ``{"word": "the", "capital": True}`` sets the columns ``word:the`` and
    ``capital`` to 1. A value may be a list or a set of strings, ``{"in": ["a", "b"]}`` for
    ``in:a`` and ``in:b``, or again a dict: ``{"next": {"word": "cat"}}`` for ``next:word:cat``. In
    place of a dict, a list of strings has the names of features that are 1.
    """

    def __init__(self) -> None:
        self._columns: dict[str, int] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {"names": self.names}  # in files smaller than a dict

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._columns = {name: j for j, name in enumerate(state["names"])}

    @property
    def names(self) -> list[str]:
        return list(self._columns)

    def learn(self, rows: Iterable[Features]) -> None:
        """Give all features a column."""
        columns = self._columns
        for features in rows:
            for name, value in _flat(features):
                name = f"{name}:{value}" if isinstance(value, str) else name
                columns.setdefault(name, len(columns))
        wrong = [name for name in columns if not isinstance(name, str)]
        if wrong:
            raise ValueError(f"names of features must be strings; got {wrong[0]!r}")
        if not columns:
            raise ValueError("X has no features: all its dicts are empty")

    def matrix(self, rows: Iterable[Features], place: Callable[[int], str]) -> Any:
        """A CSR matrix of these rows; ``place`` names a row in messages."""
        column, total = self._columns.get, 0
        ends, indices, values = [0], [], []
        for row, features in enumerate(rows):
            for name, value in _flat(features):
                total += 1
                if isinstance(value, str):
                    name, value = f"{name}:{value}", 1.0
                elif type(value) not in NUMBERS:
                    _require_number(name, value, place(row))
                known = column(name)
                if known is not None:
                    indices.append(known)
                    values.append(value)
            ends.append(len(indices))
        report_unknown(total - len(indices), total, "features")
        data = _numbers(values)
        wrong = ~np.isfinite(data)
        if wrong.any():
            entry = int(np.argmax(wrong))
            row = int(np.searchsorted(ends, entry, side="right")) - 1
            name = self.names[indices[entry]]
            raise ValueError(f"{place(row)}[{name!r}] is {data[entry]}; features must be finite")
        X = _csr(data, indices, ends, len(self._columns))
        require_matrix(X)
        return X


def _flat(features: Features) -> Iterable[tuple[str, Any]]:
    """Names and values, with what dicts and lists of strings among the values hold."""
    if not isinstance(features, Mapping):
        return [(name, 1.0) for name in features]
    if any(isinstance(value, NESTED) for value in features.values()):
        return list(_unnested(features))
    return features.items()


def _unnested(features: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in features.items():
        if isinstance(value, Mapping):
            yield from ((f"{name}:{inner}", own) for inner, own in _unnested(value))
        elif isinstance(value, NESTED) and all(isinstance(each, str) for each in value):
            yield from ((f"{name}:{each}", 1.0) for each in value)
        else:
            yield name, value


def report_unknown(unknown: int, total: int, what: str) -> None:
    """Log how many features were ignored, and warn if they are many."""
    if unknown:
        report: Callable[[str], None] = warn_user if unknown > SUSPICIOUS * total else logger.info
        report(f"{unknown} of {total} {what} of X are not among those trained on: ignored")


def _require_number(name: Any, value: Any, place: str) -> None:
    if not isinstance(value, (Real, np.bool_)):
        raise ValueError(
            f"{place}[{name!r}] is of type {type(value).__name__}; the value of a feature must be "
            "a number, a bool, a string, a list of strings or a dict of these"
        )


def _numbers(values: Sequence[Any]) -> Any:
    """Values in double precision; larger numbers become infinite."""
    try:
        return np.array(values, dtype=np.float64)
    except OverflowError:
        return np.array(
            [value if abs(value) < LARGEST else np.inf for value in values], dtype=float
        )


def _csr(data: Any, indices: Sequence[int], ends: Sequence[int], d: int) -> sparse.csr_matrix:
    """A CSR matrix in single precision if it can hold all the numbers, else in double."""
    with np.errstate(over="ignore"):
        single = data.astype(np.float32)
    data = single if np.array_equal(single, data) else data
    X = sparse.csr_matrix((data, np.array(indices, dtype=np.int32), ends), (len(ends) - 1, d))
    X.sum_duplicates()  # a name and its string may be another name
    X.eliminate_zeros()
    return X
