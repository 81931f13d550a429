"""Features of rows that are read all at once: names alone, or dicts of strings and numbers."""

from __future__ import annotations

from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from structsvm.data.arrays import Indices

#: The usual types of numbers; values of other types are checked more closely.
NUMBERS = {bool, int, float, np.bool_, np.float64, np.float32, np.int64}
#: Larger numbers are infinite in double precision.
LARGEST = 1e308


class PlainRows(NamedTuple):
    """The features of some rows, one after the other.

    Attributes
    ----------
    names : list of str
        The name of each feature's column: of a string, with the string after a colon.
    values : ndarray of shape (n_features,)
        Finite numbers.
    counts : ndarray of shape (n_rows,), int
        The number of features of each row.
    texts : set of str
        The names whose values are strings.
    """

    names: list[str]
    values: Any
    counts: Indices
    texts: set[str]

    @classmethod
    def of(cls, rows: list[Any]) -> PlainRows | None:
        """Read lists of names, or dicts; None where a name, a value or a row is of another kind."""
        names, kinds = list(chain.from_iterable(rows)), set(map(type, rows))
        counts = np.fromiter(map(len, rows), np.intp, len(rows))
        if not set(map(type, names)) <= {str}:
            return None
        if kinds <= {list, tuple}:
            return cls(names, np.ones(len(names)), counts, set())
        if kinds != {dict}:
            return None
        given = list(chain.from_iterable(map(dict.values, rows)))
        if not (types := set(map(type, given))) <= {str, *NUMBERS}:
            return None
        texts: set[str] = set()
        if str in types:
            texts = {name for name, value in zip(names, given, strict=True) if type(value) is str}
            names = [
                f"{name}:{value}" if type(value) is str else name
                for name, value in zip(names, given, strict=True)
            ]
            given = [1.0 if type(value) is str else value for value in given]
        values = numbers(given)
        return cls(names, values, counts, texts) if np.isfinite(values).all() else None


def numbers(values: list[Any]) -> Any:
    """Values in double precision; larger numbers become infinite."""
    try:
        return np.array(values, dtype=np.float64)
    except OverflowError:
        return np.array([v if abs(v) < LARGEST else np.inf for v in values], dtype=np.float64)
