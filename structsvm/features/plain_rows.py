"""Features of rows that are read all at once: names alone, or dicts of strings and numbers."""

from __future__ import annotations

from itertools import chain, compress, repeat
from typing import Any

import numpy as np

from structsvm.compiled import compiled
from structsvm.data.arrays import Indices, Vector

#: The usual types of numbers; values of other types are checked more closely.
NUMBERS = {bool, int, float, np.bool_, np.float64, np.float32, np.int64}
#: Larger numbers are infinite in double precision.
LARGEST = 1e308


@compiled("names")
def plain_entries(
    rows: list[Any],
    columns: dict[str, int],
    texts: set[str],
    vectors: dict[str, int],
    learns: bool,
) -> tuple[Indices, Vector, Indices] | None:
    """Read lists of names, or dicts of strings and finite numbers.

    Parameters
    ----------
    rows : list
    columns : dict of str and int
        The columns by name; of a string, by the name with the string after a colon.
    texts : set of str
        The names whose values are strings.
    vectors : dict of str and int
        The names whose values are vectors.
    learns : bool
        Whether new names get columns, and ``texts`` those of strings.

    Returns
    -------
    columns, values : ndarrays of shape (n_features,)
        Of the features, one row after the other; column -1 for an unknown name.
    counts : ndarray of shape (n_rows,), int
        The number of features of each row.

    None where something is of another kind, such as a value that was a string in training.
    """
    names, kinds = list(chain.from_iterable(rows)), set(map(type, rows))
    counts = np.fromiter(map(len, rows), np.intp, len(rows))
    if not (set(map(type, names)) <= {str} and vectors.keys().isdisjoint(names)):
        return None
    given, strings = [1.0] * len(names), set[str]()
    if kinds == {dict}:
        given = list(chain.from_iterable(map(dict.values, rows)))
        if not (types := set(map(type, given))) <= {str, *NUMBERS}:
            return None
        if str in types:
            pairs = list(zip(names, given, strict=True))
            strings = {name for name, value in pairs if type(value) is str}
            names = [f"{name}:{value}" if type(value) is str else name for name, value in pairs]
            given = [1.0 if type(value) is str else value for value in given]
    elif not kinds <= {list, tuple}:
        return None
    values = numbers(given)
    if not np.isfinite(values).all():
        return None
    if learns:
        texts |= strings
        for name in dict.fromkeys(names):
            columns.setdefault(name, len(columns))
    elif not columns.keys().isdisjoint(strings - texts):
        return None
    found = np.fromiter(map(columns.get, names, repeat(-1)), np.int32, len(names))
    is_other = texts and not texts.isdisjoint(compress(names, (found < 0).tolist()))
    return None if is_other else (found, values, counts)


def numbers(values: list[Any]) -> Any:
    """Values in double precision; larger numbers become infinite."""
    try:
        return np.array(values, dtype=np.float64)
    except OverflowError:
        return np.array([v if abs(v) < LARGEST else np.inf for v in values], dtype=np.float64)
