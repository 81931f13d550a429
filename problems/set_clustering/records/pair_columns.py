"""Checks of the columns of a table of pairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.columns import numbers
from structsvm.data.conversion import table_of
from structsvm.data.identifiers import numbered, require_identifiers

if TYPE_CHECKING:
    from narwhals import DataFrame


def as_table(pairs: Any, names: Iterable[Any]) -> DataFrame[Any]:
    """Return the table as a narwhals DataFrame; raise a ValueError if it lacks a named column."""
    table = table_of("pairs", pairs)
    if table is None:
        raise ValueError(
            f"pairs must be a DataFrame of pandas or polars; got {type(pairs).__name__}"
        )
    _require_columns(table, names)
    return table


def identifiers(pairs: DataFrame[Any], ids: Any) -> tuple[list[Any], list[Any]]:
    """Return the two records of each pair; raise a ValueError if a pair is listed twice."""
    if ids is None:
        index = getattr(pairs.to_native(), "index", None)
        if index is None or index.nlevels != 2:
            raise ValueError(
                "ids must name the two columns with the identifiers of the records, as "
                "ids=('left', 'right'); without it the index of a pandas DataFrame must have two "
                "levels"
            )
        names = [f"level {level} of the index of pairs" for level in (0, 1)]
        ends = plain(index.get_level_values(0)), plain(index.get_level_values(1))
    else:
        names = [f"column {name!r} of pairs" for name in ids]
        ends = plain(pairs.get_column(ids[0])), plain(pairs.get_column(ids[1]))
    for name, end in zip(names, ends, strict=True):
        require_identifiers(name, end)
    _require_one_type([*ends[0], *ends[1]], "both columns")
    seen: dict[Any, int] = {}
    for p, (left, right) in enumerate(zip(*ends, strict=True)):
        if left == right:
            raise ValueError(
                f"row {p} of pairs is of the record {left!r} with itself; drop such rows"
            )
        first = seen.setdefault((left, right) if left < right else (right, left), p)
        if first != p:
            raise ValueError(
                f"the pair of {left!r} and {right!r} is listed twice, in rows {first} and {p} of "
                "pairs; a pair has no order, so keep one of the rows, or average their features"
            )
    return ends


def require_two_names(ids: Any) -> None:
    """Raise a ValueError unless there are two different names of columns."""
    if isinstance(ids, str) or not isinstance(ids, Sequence) or len(set(ids)) != 2:
        raise ValueError(f"ids must be two names of columns; got {ids!r}")


def all_records(records: Iterable[Any], known: Sequence[Any]) -> list[Any]:
    """Return every record once; raise a ValueError unless the records of all pairs are included."""
    if isinstance(records, str):
        raise ValueError(f"records must be a list of identifiers; got the string {records!r}")
    everyone = plain(records)
    require_identifiers("records", everyone)
    _require_one_type(everyone, "all records")
    everyone = list(dict.fromkeys(everyone))
    stranger = next(iter(set(known).difference(everyone)), None)
    if stranger is not None:
        raise ValueError(
            f"a pair lists the record {stranger!r}, which is not among records; add it, or "
            "check that both have identifiers of one type"
        )
    return everyone


def _require_one_type(records: list[Any], which: str) -> None:
    """Raise a ValueError unless identifiers are all strings or all integers."""
    kinds = {type(record) for record in records}
    if not (kinds <= {str} or kinds <= {int}):
        raise ValueError(
            f"identifiers must be all of type str or all of type int, since 1, 1.0 and '1' are "
            f"different records; got {' and '.join(sorted(kind.__name__ for kind in kinds))}: "
            f"convert {which} to one of these"
        )


def feature_names(pairs: DataFrame[Any], features: Any, added: Sequence[str]) -> tuple[Any, ...]:
    """Return the columns of features, followed by the features that the table adds."""
    if isinstance(features, str):
        raise ValueError(f"features must be a list of columns; got the string {features!r}")
    names = tuple(features)
    _require_columns(pairs, names)
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise ValueError(f"features names the column {twice!r} twice; name each once")
    if not names:
        raise ValueError("pairs has no column of features besides ids, block and match")
    taken = next((name for name in added if name in names), None)
    if taken is not None:
        raise ValueError(
            f"the column {taken!r} of pairs has the name of a feature that the table adds; rename "
            "it, or leave it out of features"
        )
    return (*names, *added)


def _require_columns(pairs: DataFrame[Any], names: Iterable[Any]) -> None:
    lacking = [name for name in names if name not in pairs.columns]
    if lacking:
        raise ValueError(
            f"pairs has no column {lacking[0]!r}; its columns are {pairs.columns!r:.200}"
        )


def plain(values: Any) -> list[Any]:
    """Return values as a list, with Python numbers instead of numpy numbers."""
    return [each.item() if isinstance(each, np.generic) else each for each in values]


def blocks_of(pairs: DataFrame[Any], name: Any) -> list[Any]:
    """Return the column that names the block of each pair."""
    values = plain(pairs.get_column(name))
    numbered(f"column {name!r} of pairs", values, len(values), "hold the block of each pair")
    return values


def finite_numbers(pairs: DataFrame[Any], names: Sequence[Any]) -> Vector:
    """Return columns of finite numbers as a matrix."""
    found = np.asarray(numbers("pairs", pairs, names), dtype=np.float64)
    bad = np.argwhere(~np.isfinite(found.T))
    if len(bad):
        column, row = bad[0]
        raise ValueError(
            f"column {names[column]!r} of pairs has NaN or infinity, first in row {row}; fill it "
            "in, or leave such rows out"
        )
    return found


def matches_of(pairs: DataFrame[Any], name: Any) -> Any:
    """Return whether each pair matches, from a column of bools, or of 0 and 1."""
    found = finite_numbers(pairs, [name])[:, 0]
    wrong = found[~np.isin(found, (0, 1))]
    if len(wrong):
        raise ValueError(f"column {name!r} of pairs must hold bools, or 0 and 1; got {wrong[0]:g}")
    return found == 1


def blocks_of_records(
    blocks: list[Any], records: list[Any], ends: tuple[Indices, Indices]
) -> tuple[list[Any], Indices]:
    """Return the names of the blocks of pairs, and the block of each record."""
    number = {name: i for i, name in enumerate(dict.fromkeys(blocks))}
    of_pair = np.array([number[name] for name in blocks], dtype=np.intp)
    of_record = np.full(len(records), -1)
    for end in ends:
        of_record[end] = of_pair
    for end in ends:
        for p in np.flatnonzero(of_record[end] != of_pair):
            names = list(number)
            raise ValueError(
                f"the record {records[end[p]]!r} is in two blocks, {names[of_pair[p]]!r} and "
                f"{names[of_record[end[p]]]!r}; a record must be in one. Without a column of "
                "blocks they are the components of the pairs"
            )
    return list(number), of_record
