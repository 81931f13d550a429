"""Features of rows that are read all at once."""

from __future__ import annotations

from itertools import chain, compress, repeat
from typing import Any

import numpy as np

from structsvm.compiled import compiled
from structsvm.data.arrays import Indices

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
) -> tuple[Any, Any, Indices] | None:
    """Read lists of names.

    Parameters
    ----------
    rows : list
    columns : dict of str and int
        The columns by name.
    texts, vectors : set and dict of str
        The names whose values are strings, and vectors.
    learns : bool
        Whether new names get columns.

    Returns
    -------
    columns, values : ndarrays of shape (n_features,)
        Of the features, one row after the other; column -1 for an unknown name.
    counts : ndarray of shape (n_rows,), int
        The number of features of each row.

    None where something is of another kind: then rows have to be read one by one.
    """
    names = list(chain.from_iterable(rows))
    are_lists = set(map(type, rows)) <= {list, tuple} and set(map(type, names)) <= {str}
    if not are_lists or not vectors.keys().isdisjoint(names):
        return None
    if learns:
        for name in dict.fromkeys(names):
            columns.setdefault(name, len(columns))
    found = np.fromiter(map(columns.get, names, repeat(-1)), np.int32, len(names))
    if not texts.isdisjoint(compress(names, (found < 0).tolist())):
        return None
    return found, np.ones(len(names)), np.fromiter(map(len, rows), np.intp, len(rows))


def numbers(values: list[Any]) -> Any:
    """Values in double precision; larger numbers become infinite."""
    try:
        return np.array(values, dtype=np.float64)
    except OverflowError:
        given = [np.inf if isinstance(v, int) and abs(v) > LARGEST else v for v in values]
        return np.array(given, dtype=np.float64)
