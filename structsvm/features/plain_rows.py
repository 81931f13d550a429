"""Fast reading of rows that are lists of feature names."""

from __future__ import annotations

from itertools import chain, compress, repeat
from typing import Any

import numpy as np

from structsvm.compiled import compiled
from structsvm.data.arrays import Indices

#: The usual types of numbers. Values of other types are checked more closely.
NUMBERS = {bool, int, float, np.bool_, np.float64, np.float32, np.int64}
#: Integers above this number become infinite in double precision.
LARGEST = 1e308


@compiled("names")
def plain_entries(
    rows: list[Any],
    columns: dict[str, int],
    texts: set[str],
    vectors: dict[str, int],
    learns: bool,
) -> tuple[Any, Any, Indices] | None:
    """Read the features of rows that are lists of names.

    Parameters
    ----------
    rows : list
    columns : dict of str and int
        The column of each name. If ``learns`` is True, new names are added to this dictionary.
    texts, vectors : set and dict of str
        The names whose values are strings, and the names whose values are vectors.
    learns : bool
        Whether each new name gets a new column.

    Returns
    -------
    columns, values : ndarrays of shape (n_features,)
        The columns and values of the features, one row after another, with column -1 for an unknown
        name.
    counts : ndarray of shape (n_rows,), int
        The number of features of each row.

    The result is None if the rows have a different form and must be read one by one.
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
    """Return the values in double precision.

    Integers that are too large become infinite.
    """
    try:
        return np.array(values, dtype=np.float64)
    except OverflowError:
        given = [np.inf if isinstance(v, int) and abs(v) > LARGEST else v for v in values]
        return np.array(given, dtype=np.float64)
