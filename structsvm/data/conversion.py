"""The conversion of users' data to numpy arrays, with checks for data that are not numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from structsvm.data.names import shown
from structsvm.data.remedies import BLOCKS

if TYPE_CHECKING:
    from narwhals import DataFrame

#: Advice on data that are not numbers, by the kind of their dtype.
REMEDIES = {
    "U": (
        "encode text, documents by sklearn.feature_extraction.text.TfidfVectorizer and categories "
        "by sklearn.preprocessing.OneHotEncoder; digits in text become numbers by .astype(float)"
    ),
    "M": "subtract a date and divide by a unit, such as numpy.timedelta64(1, 'D')",
    "m": "divide durations by a unit, such as numpy.timedelta64(1, 's')",
    # scikit-learn's checks of estimators look for the first words.
    "c": "Complex data not supported, pass real and imaginary parts as columns",
    "V": "pass its fields as columns, by numpy.lib.recfunctions.structured_to_unstructured",
}
REMEDIES["S"] = REMEDIES["U"]
#: Types of labels in lists.
SCALARS = (str, bytes, bool, int, float, np.generic)


def converted(name: str, values: Any, expected: str, dtype: Any = None) -> Any:
    """Convert values to a numpy array, or raise a ValueError that names the values.

    The argument ``expected`` is a text for the message: what the values should be. Numbers that are
    too large for the dtype become infinite.
    """
    require_sequence(name, values)
    if sparse.issparse(values):
        flat = ".ravel()" if 1 in values.shape else ""
        raise ValueError(f"{name} is a sparse matrix; pass {name}.toarray(){flat}")
    try:
        with np.errstate(over="ignore"):
            return np.asarray(values, dtype=dtype)
    except Exception as error:  # of any type, since users may define __array__ and __float__
        require_ordered_each(name, values)
        require_values(name, values)
        raise ValueError(
            f"{name} must {expected}; numpy cannot convert this {type(values).__name__} "
            f"({type(error).__name__}: {error}): pass an array or a list of such values"
        ) from error


def is_missing(label: Any) -> bool:
    """Return whether a label is missing: None, NaN or a marker such as pandas.NA."""
    try:
        return label is None or bool(label != label)
    except TypeError:
        return True


def first_missing(array: Any) -> int | None:
    """Return the index of the first missing value in a flattened array, or None."""
    flat = array.ravel()
    if array.dtype == object:
        single = (not hasattr(value, "__len__") and is_missing(value) for value in flat)
        absent = np.fromiter(single, dtype=bool)
    else:
        absent = flat != flat
    return int(absent.argmax()) if absent.any() else None


def require_values(name: str, array: Any) -> None:
    """Raise a ValueError for the first missing value of an array.

    Ignore data that are not arrays.
    """
    place = first_missing(array) if isinstance(array, np.ndarray) else None
    if place is not None:
        row, *column = (int(i) for i in np.unravel_index(place, array.shape))
        where = f"row {row}" + "".join(f", column {j}" for j in column)
        raise ValueError(
            f"{name} has no value in {where} ({array.flat[place]}); fill in or drop such entries"
        )


def table_of(name: str, data: Any) -> DataFrame[Any] | None:
    """Return a table as a DataFrame of narwhals, without a copy.

    For data that are not a table, return None.

    Raises
    ------
    TypeError
        If the table is lazy: its rows have not been computed yet.
    ValueError
        If two columns have the same name.
    """
    if not hasattr(type(data), "columns"):
        return None
    import narwhals.stable.v2 as narwhals  # the import is slow, and arrays do not need it

    data = narwhals.to_native(data, pass_through=True)
    data = _of_arrow(data) if hasattr(data, "column_names") else data
    try:
        table = narwhals.from_native(data, pass_through=True)
    except narwhals.exceptions.DuplicateError as error:
        names = data.column_names if hasattr(data, "column_names") else data.columns
        label, count = Counter(names).most_common(1)[0]
        raise ValueError(
            f"{name} has {count} columns with the name {label!r}; rename them"
        ) from error
    if isinstance(table, narwhals.LazyFrame):
        lazy = name if hasattr(data, "lazy") else f"narwhals.from_native({name})"
        raise TypeError(f"{name} is a {type(data).__name__}; pass {lazy}.collect()")
    return table if isinstance(table, narwhals.DataFrame) else None


def _of_arrow(data: Any) -> Any:
    """Convert a table to a Table of pyarrow, or to pandas if the table has a pandas index."""
    index = (data.schema.pandas_metadata or {}).get("index_columns", ())
    if any(isinstance(column, str) for column in index):
        return data.to_pandas()
    return import_module("pyarrow").table(data)  # also a RecordBatch


def first_text(values: Any) -> int | None:
    """Return the index of the first string that is not a number.

    If all strings are numbers, return the index of the first string. Without strings, return None.
    """
    texts = [i for i, value in enumerate(values) if isinstance(value, (str, bytes))]
    return next((i for i in texts if not _is_number(values[i])), texts[0] if texts else None)


def _is_number(text: Any) -> bool:
    try:
        return float(text) == float(text)
    except ValueError:
        return False


def require_no_iterator(name: str, data: Any) -> None:
    """Raise a ValueError if the data are an iterator, such as a generator."""
    if isinstance(data, Iterator):
        whole, inside, _ = name.partition("[")
        remedy = f"[list(each) for each in {whole}]" if inside else f"list({name})"
        raise ValueError(
            f"{name} is an iterator ({type(data).__name__}), which can be read only once; pass "
            f"{remedy}{BLOCKS if name == 'X' else ''}"
        )


def require_sequence(name: str, data: Any) -> None:
    """Raise a ValueError if the data are an iterator or a set, which has no order."""
    if isinstance(data, (Iterator, Set)):
        require_no_iterator(name, data)
        require_ordered(name, data)


def require_ordered(name: str, data: Any) -> None:
    """Raise a ValueError if the data are a set, whose order differs between runs."""
    if isinstance(data, Set):
        raise ValueError(
            f"{name} is a set ({type(data).__name__}), whose order differs from run to run; give a "
            "list, or in the place of a single value a string"
        )


def require_ordered_each(name: str, rows: Any) -> None:
    """Raise a ValueError for the first element that is a set, such as an unordered pair."""
    rows = rows.ravel() if isinstance(rows, np.ndarray) else rows
    rows = rows if isinstance(rows, (Sequence, Set, np.ndarray)) else ()
    if any(issubclass(kind, Set) for kind in set(map(type, rows))):
        for i, row in enumerate(rows):
            require_ordered(f"{name}[{i}]", row)


def require_not_swapped(X: Any, y: Any, where: str = "") -> None:
    """Raise a ValueError if X has the shape of labels, and y the shape of features.

    The text ``where``, for example ``[0]``, follows the names X and y in the message.
    """
    x, features = _shape(X), _shape(y)
    if len(x) == 1 and len(features) > 1 and x[0] == features[0]:
        raise ValueError(
            f"X and y look swapped: X{where} has the shape of labels, {x}, and y{where} the shape "
            f"of features, {features}; give the features first"
        )


def require_parts_not_swapped(X: Any, y: Any) -> None:
    """Raise a ValueError if the first elements suggest that inputs and labels are swapped."""
    if isinstance(X, (list, tuple)) and isinstance(y, (list, tuple)) and X and y:
        require_not_swapped(X[0], y[0], "[0]")


def _shape(data: Any) -> tuple[int, ...]:
    """Return the shape of an array or of a list of scalars, or () for any other data."""
    if isinstance(data, (list, tuple)):
        return (len(data),) if all(isinstance(value, SCALARS) for value in data) else ()
    return tuple(getattr(data, "shape", ()))


def require_real(name: str, array: Any) -> None:
    """Raise a ValueError for text, dates, complex numbers and records.

    Objects are accepted.
    """
    kind = array.dtype.kind
    place = first_text(array.flat) if kind in "OUS" else None
    if place is not None:
        row, *_ = np.unravel_index(place, np.atleast_1d(array).shape)
        text = "text" if kind == "O" else f"dtype {array.dtype}"
        (value,) = array.flat[place : place + 1].tolist()
        found = f"{text}, such as {value!r:.60} in row {row}"
        raise _no_numbers(name, found, "U")
    if kind in REMEDIES:
        raise _no_numbers(name, f"dtype {array.dtype}", kind)


def require_column(name: str, values: Any) -> None:
    """Raise a ValueError if the values are a string, for example a column's name."""
    if isinstance(values, str):
        raise ValueError(
            f"{name} is the string {values!r:.60}; pass the column itself, such as "
            f"table[{values!r:.60}]"
        )


def require_same_index(name: str, values: Any, other: str, rows: Any) -> None:
    """Raise a ValueError if both values and rows have pandas indexes and the indexes differ."""
    rows = rows.to_native() if hasattr(rows, "to_native") else rows  # a DataFrame of narwhals
    if not (hasattr(values, "iloc") and hasattr(rows, "iloc")) or values.index.equals(rows.index):
        return
    raise ValueError(
        f"{name} must have the index of {other}, {shown(rows.index.tolist())}; got "
        f"{shown(values.index.tolist())}. Pass {name}.loc[{other}.index] to match rows by index, "
        f"or {name}.to_numpy() if they are in the order of {other}"
    )


def require_same_indices(values: Any, tables: Any) -> None:
    """Raise a ValueError if an output ``y[i]`` and the table X[i] have different pandas indexes.

    The values of the outputs are not checked by this function.
    """
    if isinstance(values, (list, tuple)) and isinstance(tables, Iterable):
        for i, (own, rows) in enumerate(zip(values, tables, strict=False)):
            require_same_index(f"y[{i}]", getattr(own, "labels", own), f"X[{i}]", rows)


def _no_numbers(name: str, what: str, kind: str) -> ValueError:
    remedy = f": {REMEDIES[kind]}" if name == "X" or name.endswith(" of X") else ""
    return ValueError(f"{name} must hold real numbers; got {what}{remedy}")
