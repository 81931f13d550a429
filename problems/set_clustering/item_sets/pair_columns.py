"""The columns of a table of pairs, checked."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.conversion import (
    converted,
    is_missing,
    of_arrow,
    require_column_names,
    require_real,
)
from structsvm.data.identifiers import require_identifiers

#: What to do where it is not known whether two records match, or in which block they are.
NO_MATCH = "leave out match and give y, the entity of each record"
NO_BLOCK = "leave out block: then blocks are the components of the pairs"


class PairColumns(NamedTuple):
    """The identifiers, features, blocks and matches of pairs.

    Attributes
    ----------
    records : list
        The identifiers in the order in which they appear.
    ends : tuple of two lists of n_pairs identifiers
    names : tuple
        The names of the features.
    features : ndarray of shape (n_pairs, n_features)
    blocks : list of n_pairs values, or None
    matches : ndarray of shape (n_pairs,), bool, or None
    """

    records: list[Any]
    ends: tuple[list[Any], list[Any]]
    names: tuple[Any, ...]
    features: Vector
    blocks: list[Any] | None
    matches: Any

    @classmethod
    def of(cls, pairs: Any, ids: Any, features: Any, block: Any, match: Any) -> PairColumns:
        """Read a DataFrame; a ValueError names the column or the pair that is wrong."""
        pairs = of_arrow(pairs)
        if not hasattr(pairs, "to_numpy") or not hasattr(pairs, "columns"):
            raise ValueError(
                f"pairs must be a DataFrame of pandas or polars; got {type(pairs).__name__}"
            )
        require_column_names("pairs", pairs)
        ends = _identifiers(pairs, ids)
        reserved = [*(ids or ()), *(name for name in (block, match) if name is not None)]
        _require_columns(pairs, reserved)
        if features is None:
            features = [name for name in pairs.columns if name not in reserved]
        names = _feature_names(pairs, features)
        _require_pairs(ends)
        return cls(
            records=list(
                dict.fromkeys(record for pair in zip(*ends, strict=True) for record in pair)
            ),
            ends=ends,
            names=names,
            features=np.column_stack([_numbers(pairs, name) for name in names]),
            blocks=None if block is None else _blocks(pairs, block),
            matches=None if match is None else _bools(pairs, match),
        )

    def among(self, records: Iterable[Any]) -> list[Any]:
        """All records, which must contain those of the pairs."""
        if isinstance(records, str):
            raise ValueError(f"records must be a list of identifiers; got the string {records!r}")
        everyone = _plain(records)
        require_identifiers("records", everyone)
        _require_one_type(everyone, "all records", "pandas.Series(records)")
        everyone = list(dict.fromkeys(everyone))
        stranger = next(iter(set(self.records).difference(everyone)), None)
        if stranger is not None:
            raise ValueError(
                f"a pair lists the record {stranger!r}, which is not among records; add it, or "
                "check that both have identifiers of one type"
            )
        return everyone

    def blocks_of_records(self, ends: tuple[Indices, Indices]) -> tuple[list[Any], Indices]:
        """The names of the blocks, and the block of each record."""
        assert self.blocks is not None
        number: dict[Any, int] = {}
        of_pair = np.array([number.setdefault(b, len(number)) for b in self.blocks], dtype=np.intp)
        of_record = np.full(len(self.records), -1)
        for end in ends:
            of_record[end] = of_pair
        for end in ends:
            wrong = np.flatnonzero(of_record[end] != of_pair)
            if len(wrong):
                names, p = list(number), wrong[0]
                raise ValueError(
                    f"the record {self.records[end[p]]!r} is in two blocks, "
                    f"{names[of_pair[p]]!r} and {names[of_record[end[p]]]!r}; both records of a "
                    "pair must be in one block, and a record in no other. Without a column of "
                    "blocks they are the components of the pairs"
                )
        return list(number), of_record


def _identifiers(pairs: Any, ids: Any) -> tuple[list[Any], list[Any]]:
    if ids is None:
        index = getattr(pairs, "index", None)
        if index is None or index.nlevels != 2:
            raise ValueError(
                "ids must name the two columns with the identifiers of the records, as "
                "ids=('left', 'right'); without it the index of a pandas DataFrame must have two "
                "levels"
            )
        names = [f"level {level} of the index of pairs" for level in (0, 1)]
        ends = _plain(index.get_level_values(0)), _plain(index.get_level_values(1))
    else:
        if isinstance(ids, str) or not isinstance(ids, Sequence) or len(set(ids)) != 2:
            raise ValueError(f"ids must be two names of columns; got {ids!r}")
        _require_columns(pairs, ids)
        names = [f"column {name!r} of pairs" for name in ids]
        ends = _values(pairs, ids[0]), _values(pairs, ids[1])
    for name, end in zip(names, ends, strict=True):
        require_identifiers(name, end)
    _require_one_type([*ends[0], *ends[1]], "both columns")
    return ends


def _require_one_type(identifiers: list[Any], which: str, column: str = "") -> None:
    """Raise a ValueError for identifiers that are not all strings, or all integers.

    The message advises to convert ``which``; ``column`` is their name in code.
    """
    kinds = {type(record) for record in identifiers}
    whole = all(record.is_integer() for record in identifiers if isinstance(record, float))
    ways = {
        float: ".astype(int).astype(str)" if whole else ".astype(str)",
        bytes: ".str.decode('utf-8')",
    }
    of_kinds = {kind.__name__: ways.get(kind, ".astype(str)") for kind in kinds - {str}}
    by = ", ".join(f"{column}{way} where they are {kind}" for kind, way in sorted(of_kinds.items()))
    remedy = f"convert {which} to str, as by {by}"
    if len(kinds) > 1:
        both = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise ValueError(
            "identifiers must be of one type, since 1 and '1' are different records; got "
            f"{both}: {remedy}"
        )
    if not kinds <= {str, int}:
        raise ValueError(
            f"identifiers must be of type str or int; got {kinds.pop().__name__}: {remedy}"
        )


def _require_columns(pairs: Any, names: Iterable[Any]) -> None:
    lacking = [name for name in names if name not in list(pairs.columns)]
    if lacking:
        raise ValueError(
            f"pairs has no column {lacking[0]!r}; its columns are {list(pairs.columns)!r:.200}"
        )


def _feature_names(pairs: Any, features: Any) -> tuple[Any, ...]:
    if isinstance(features, str):
        raise ValueError(f"features must be a list of columns; got the string {features!r}")
    names = tuple(features)
    _require_columns(pairs, names)
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise ValueError(f"features names the column {twice!r} twice; name each once")
    if not names:
        raise ValueError("pairs has no column of features besides ids, block and match")
    return names


def _require_pairs(ends: tuple[list[Any], list[Any]]) -> None:
    """Raise a ValueError for a pair listed twice, or of a record with itself."""
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


def _values(pairs: Any, name: Any) -> list[Any]:
    return _plain(pairs[name])


def _plain(values: Any) -> list[Any]:
    """Values as a list, with numbers of Python in the place of those of numpy."""
    return [each.item() if isinstance(each, np.generic) else each for each in values]


def _blocks(pairs: Any, name: Any) -> list[Any]:
    """A column of blocks."""
    values = _values(pairs, name)
    require_identifiers(f"column {name!r} of pairs", values, NO_BLOCK)
    for p, value in enumerate(values):
        if not isinstance(value, Hashable):
            raise ValueError(
                f"column {name!r} of pairs has a {type(value).__name__} in row {p}; expected a "
                "str, a number, or another value that can be a key of a dict"
            )
    return values


def _numbers(pairs: Any, name: Any) -> Vector:
    """A column of finite numbers."""
    called = f"column {name!r} of pairs"
    array = converted(called, pairs[name], "hold real numbers")
    require_real(called, array)
    numbers = converted(called, array, "hold real numbers", np.float64)
    bad = np.flatnonzero(~np.isfinite(numbers))
    if len(bad):
        raise ValueError(
            f"{called} has NaN or infinity, first in row {bad[0]}; fill it in, and add a column "
            "that says where"
        )
    return np.asarray(numbers)


def _bools(pairs: Any, name: Any) -> Any:
    for p, value in enumerate(_values(pairs, name)):
        if is_missing(value):
            raise ValueError(
                f"column {name!r} of pairs has {value} in row {p}; fill it in, or {NO_MATCH}"
            )
    numbers = _numbers(pairs, name)
    if not np.isin(numbers, (0, 1)).all():
        wrong = numbers[~np.isin(numbers, (0, 1))][0]
        raise ValueError(f"column {name!r} of pairs must hold bools, or 0 and 1; got {wrong:g}")
    return numbers == 1
