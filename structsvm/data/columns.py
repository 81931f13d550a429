"""Tables as inputs: the columns that an estimator remembers, and the conversion to arrays.

A table is a DataFrame of pandas, polars or another library that narwhals reads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from structsvm.data.containers import listed
from structsvm.data.conversion import converted, first_text, require_real, table_of
from structsvm.data.names import require_names

if TYPE_CHECKING:
    from narwhals import DataFrame, Series

#: Kinds of the values of a column.
NUMBERS, TEXT, OTHERS = "numbers", "text", "others"
#: Remedies if the values of a column are not of the kind that they had in training.
REMEDIES = {
    NUMBERS: "convert the column, as by pandas.to_numeric, and drop rows without a number",
    TEXT: "convert the column to text, as by .astype(str)",
}
#: Options with which the tables of a library are stacked if their dtypes differ.
RELAXED = {"polars": {"how": "vertical_relaxed"}, "pyarrow": {"promote_options": "permissive"}}
#: Integers below this are exact as floats.
EXACT = 2**53


class Columns(NamedTuple):
    """The names of a table's columns, and the kinds of their values."""

    names: tuple[Any, ...]
    roles: tuple[str, ...]

    @classmethod
    def of(cls, table: DataFrame[Any]) -> Columns:
        """Return the names and kinds of the columns of a table."""
        return cls(tuple(table.columns), tuple(map(_role, table.iter_columns())))

    def require_same(
        self,
        place: str,
        table: Any,
        whose: str = "in training",
        row: Callable[[int], str] = "row {}".format,
    ) -> None:
        """Raise a ValueError unless a table has the same column names, order and kinds of values.

        For the error message, the function ``row`` returns the name of the row with a given index.
        """
        found = Columns.of(table)
        require_names(f"{place} has other columns", found.names, self.names, whose)
        roles = zip(found.names, found.roles, self.roles, strict=True)
        for name, role, known in roles:
            differs = role != known != OTHERS
            values = table.get_column(name).to_list() if differs else []
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
            values = table.get_column(name).to_list() if role == OTHERS else []
            kinds = list(map(_kind, values))
            if NUMBERS in kinds and TEXT in kinds:
                known, other = sorted((NUMBERS, TEXT), key=kinds.index)
                i = kinds.index(other)
                raise ValueError(
                    f"column {name!r} of {place} holds {known}, but {row(i)} holds "
                    f"{values[i]!r:.60}: {REMEDIES[known]}"
                )


def _role(column: Series[Any]) -> str:
    if _has_numbers(column):
        return NUMBERS
    kinds = {kind for value in column.to_list() if (kind := _kind(value))}
    return kinds.pop() if len(kinds) == 1 else OTHERS


def _has_numbers(column: Series[Any]) -> bool:
    """Whether the dtype of a column is numeric or Boolean."""
    return column.dtype.is_numeric() or str(column.dtype) == "Boolean"


def _kind(value: Any) -> str | None:
    """Return TEXT for a string, NUMBERS for a number, and None for a missing or other value."""
    if isinstance(value, str):
        return TEXT
    return NUMBERS if isinstance(value, (Real, np.bool_)) and value == value else None


def compare_columns(estimator: Any, argument: str, data: Any, reset: bool) -> None:
    """Raise a ValueError if a table's columns differ from the columns that ``fit`` received.

    ``fit`` passes ``reset=True``, and the estimator then stores the columns.
    """
    _replaced(estimator, argument, data, reset, lambda _, table: table)


def require_columns_of(estimator: Any, argument: str, place: str, data: Any) -> None:
    """Raise a ValueError if the table's columns differ from the columns that ``fit`` received."""
    known = getattr(estimator, "_tables", {}).get(argument)
    if known is not None and (table := table_of(place, data)) is not None:
        known.require_same(place, table, f"in {argument}")


def arrays_in(estimator: Any, argument: str, data: Any, reset: bool) -> Any:
    """Return the data with each table replaced by an array.

    The data may be a table, a list or Series of tables, or a list or Series of named tuples that
    contain tables. Raises a ValueError if a table's columns differ from the first table's columns,
    or from the columns that ``fit`` received (:func:`compare_columns`).
    """
    return _replaced(estimator, argument, listed(data), reset, _integers_or_numbers)


def rows_in(estimator: Any, argument: str, data: Any, reset: bool) -> Any:
    """Return the data with each table replaced by a list of tuples.

    The data have the form that :func:`arrays_in` describes.
    """
    return _replaced(
        estimator, argument, listed(data), reset, lambda _, table: list(table.iter_rows())
    )


def stacked_tables(parts: Sequence[Any], tables: Sequence[Any], places: Sequence[str]) -> Any:
    """Stack narwhals tables that were made from ``parts``.

    Not all of the ``parts`` need to be tables.

    Raise a ValueError if the type or the columns of a part differ from the first part's.
    """
    kind = type(parts[0])
    for part, place in zip(parts, places, strict=True):
        if type(part) is not kind:
            raise ValueError(
                f"{place} must be of type {kind.__name__}, as {places[0]} is; got "
                f"{type(part).__name__}"
            )
    known, library = Columns.of(tables[0]), tables[0].__native_namespace__()
    for table, place in zip(tables, places, strict=True):
        known.require_same(place, table, f"in {places[0]}")
    concat = getattr(library, "concat", None) or library.concat_tables
    joined = concat([table.to_native() for table in tables], **RELAXED.get(library.__name__, {}))
    return table_of("X", joined)


def require_real_columns(place: str, table: DataFrame[Any]) -> None:
    """Raise a ValueError for the first column that contains values other than real numbers."""
    for column in table.iter_columns():
        if not _has_numbers(column):
            _numbers_of(place, column)


def numbers(place: str, data: Any, names: Sequence[Any] | None = None) -> Any:
    """Return the numbers in the columns ``names`` of a table, by default in all columns.

    Raise a ValueError for the first column that contains a value other than a number.
    """
    table: Any = table_of(place, data)
    chosen = map(table.get_column, table.columns if names is None else names)
    columns = [_numbers_of(place, column) for column in chosen]
    return np.column_stack(columns) if columns else np.empty((len(table), 0))


def _numbers_of(place: str, column: Series[Any]) -> Any:
    called, values = f"column {column.name!r} of {place}", column.to_native()
    if not _has_numbers(column):
        values = converted(called, values, "hold real numbers")
        require_real(called, values)
    dtype = np.float32 if str(column.dtype) == "Float32" else np.float64
    return converted(called, values, "hold real numbers", dtype)


def _integers_or_numbers(place: str, table: DataFrame[Any]) -> Any:
    """Return the numbers of a table, as integers if all its columns have an integer dtype."""
    rows = numbers(place, table)
    whole = all(dtype.is_integer() for dtype in table.schema.values())
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
        table = table_of(place, part)
        if table is None:
            return part
        if key in known:
            whose = "in training" if key in fitted else "in the first"
            known[key].require_same(place, table, whose)
        else:
            known[key] = Columns.of(table)
            if reset:
                known[key].require_unmixed(place, table)
        return replacement(place, table)

    if type(data) in (list, tuple):
        made: Any = [replaced(argument, f"{argument}[{i}]", x) for i, x in enumerate(data)]
    else:
        made = replaced(argument, argument, data)
    if reset:
        estimator._tables = others | known
    return made
