"""Tables as data: the columns that a fitted model remembers, and the conversion to arrays.

A table is a DataFrame of pandas or polars. A table of pyarrow is converted to pandas.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from structsvm.data.containers import listed
from structsvm.data.conversion import (
    converted,
    first_text,
    is_table,
    of_arrow,
    require_column_names,
    require_real_columns,
)
from structsvm.data.names import require_names

#: Kinds of the values of a column.
NUMBERS, TEXT, OTHERS = "numbers", "text", "others"
#: Remedies if the values of a column are not of the kind that they had in training.
REMEDIES = {
    NUMBERS: "convert the column, as by pandas.to_numeric, and drop rows without a number",
    TEXT: "convert the column to text, as by .astype(str)",
}
#: Integers below this are exact as floats.
EXACT = 2**53


class Columns(NamedTuple):
    """The names of a table's columns, and the kinds of their values."""

    names: tuple[Any, ...]
    roles: tuple[str, ...]

    @classmethod
    def of(cls, place: str, table: Any) -> Columns:
        """Return the columns of a table; ``place`` names the table in messages."""
        require_column_names(place, table)
        return cls(tuple(table.columns), tuple(_role(table[name]) for name in table.columns))

    def require_same(
        self,
        place: str,
        table: Any,
        whose: str = "in training",
        row: Callable[[int], str] = "row {}".format,
    ) -> None:
        """Raise a ValueError unless a table has the same column names, order and kinds of values.

        ``row`` returns the name of a row.
        """
        found = Columns.of(place, table)
        require_names(f"{place} has other columns", found.names, self.names, whose)
        roles = zip(found.names, found.roles, self.roles, strict=True)
        for name, role, known in roles:
            values = list(table[name]) if role != known and known in (NUMBERS, TEXT) else []
            wrong = [i for i, value in enumerate(values) if _kind(value) not in (known, None)]
            if wrong:
                i = wrong[first_text([values[i] for i in wrong]) or 0]
                raise ValueError(
                    f"column {name!r} of {place} held {known} {whose}; {row(i)} holds "
                    f"{values[i]!r:.60}: {REMEDIES[known]}"
                )

    def require_unmixed(
        self, place: str, table: Any, row: Callable[[int], str] = "row {}".format
    ) -> None:
        """Raise a ValueError for the first column of the table that holds both numbers and text."""
        for name, role in zip(self.names, self.roles, strict=True):
            kinds = list(map(_kind, table[name])) if role == OTHERS else []
            if NUMBERS in kinds and TEXT in kinds:
                known, other = sorted((NUMBERS, TEXT), key=kinds.index)
                i = kinds.index(other)
                raise ValueError(
                    f"column {name!r} of {place} holds {known}, but {row(i)} holds "
                    f"{list(table[name])[i]!r:.60}: {REMEDIES[known]}"
                )


def _role(column: Any) -> str:
    dtype = column.dtype
    if getattr(dtype, "kind", "O") in "biuf" or str(dtype) == "Boolean":
        return NUMBERS
    if hasattr(dtype, "is_numeric") and dtype.is_numeric():
        return NUMBERS
    kinds = {kind for value in column if (kind := _kind(value))}
    return kinds.pop() if len(kinds) == 1 else OTHERS


def _kind(value: Any) -> str | None:
    """Return the kind of a value, or None if it is missing, or neither a number nor text."""
    if isinstance(value, str):
        return TEXT
    is_number = isinstance(value, (Real, np.bool_)) and value == value
    return NUMBERS if is_number else None


def compare_columns(estimator: Any, argument: str, data: Any, reset: bool) -> None:
    """Raise a ValueError if a table has other columns than this argument had in the fit.

    ``reset`` is True in the fit, in which the estimator remembers the columns.
    """
    _replaced(estimator, argument, data, reset, lambda _, table: table)


def require_columns_of(estimator: Any, argument: str, place: str, data: Any) -> None:
    """Raise a ValueError if a table at `place` has other columns than `argument` had in the fit."""
    known = getattr(estimator, "_tables", {}).get(argument)
    if known is not None and is_table(table := of_arrow(data)):
        known.require_same(place, table, f"in {argument}")


def arrays_in(estimator: Any, argument: str, data: Any, reset: bool) -> Any:
    """Return the data with each table replaced by an array.

    The data are a table, or a list or Series of tables or of named tuples that hold tables. Raises
    a ValueError if a table has other columns than the first table, or than in the fit: see
    :func:`compare_columns`.
    """
    return _replaced(estimator, argument, listed(data), reset, _integers_or_numbers)


def rows_in(estimator: Any, argument: str, data: Any, reset: bool) -> Any:
    """Return the data with each table replaced by a list of tuples; see :func:`arrays_in`."""
    return _replaced(
        estimator, argument, listed(data), reset,
        lambda _, table: list(zip(*(table[name] for name in table.columns), strict=True)),
    )  # fmt: skip


def stacked_tables(tables: Sequence[Any], places: Sequence[str]) -> Any:
    """Stack tables; raise a ValueError if one has other columns than the first."""
    first, kind = tables[0], type(tables[0])
    for table, place in zip(tables, places, strict=True):
        if type(table) is not kind:
            raise ValueError(
                f"{place} must be of type {kind.__name__}, as {places[0]} is; got "
                f"{type(table).__name__}"
            )
    known = Columns.of(places[0], first)
    for table, place in zip(tables, places, strict=True):
        known.require_same(place, table, f"in {places[0]}")
    library = import_module(kind.__module__.partition(".")[0])
    options = {} if hasattr(first, "iloc") else {"how": "vertical_relaxed"}
    return library.concat(tables, **options)


def numbers(place: str, table: Any) -> Any:
    """Return the numbers of a table; raise a ValueError for a column that has other values."""
    require_real_columns(place, table)
    columns = []
    for name in table.columns:
        dtype = np.float32 if table[name].dtype == np.float32 else np.float64
        called = f"column {name!r} of {place}"
        columns.append(converted(called, table[name], "hold real numbers", dtype))
    return np.column_stack(columns) if columns else np.empty((len(table), 0))


def _integers_or_numbers(place: str, table: Any) -> Any:
    """Return the numbers of a table, as integers if all its columns have an integer dtype."""
    rows, dtypes = numbers(place, table), [table[name].dtype for name in table.columns]
    # A dtype of polars has is_integer.
    whole = all(d.is_integer() if hasattr(d, "is_integer") else d.kind in "iu" for d in dtypes)
    return rows.astype(np.int64) if rows.size and whole and (np.abs(rows) < EXACT).all() else rows


def _replaced(
    estimator: Any, argument: str, data: Any, reset: bool, replacement: Callable[[str, Any], Any]
) -> Any:
    remembered: dict[str, Columns] = getattr(estimator, "_tables", {})
    others = {key: value for key, value in remembered.items() if key.partition(".")[0] != argument}
    known = {} if reset else {key: remembered[key] for key in remembered if key not in others}
    fitted = set(known)

    def replaced(key: str, place: str, part: Any) -> Any:
        if hasattr(part, "_fields"):
            made = [
                replaced(f"{key}.{name}", f"{place}.{name}", own)
                for name, own in zip(part._fields, part, strict=True)
            ]
            same = all(own is before for own, before in zip(made, part, strict=True))
            return part if same else part._make(made)
        part = of_arrow(part)
        if not is_table(part):
            return part
        if key in known:
            whose = "in training" if key in fitted else "in the first"
            known[key].require_same(place, part, whose)
        else:
            known[key] = Columns.of(place, part)
            if reset:
                known[key].require_unmixed(place, part)
        return replacement(place, part)

    if type(data) in (list, tuple):
        made: Any = [replaced(argument, f"{argument}[{i}]", x) for i, x in enumerate(data)]
    else:
        made = replaced(argument, argument, data)
    if reset:
        estimator._tables = others | known
    return made
