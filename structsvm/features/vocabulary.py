"""Vocabularies, which assign columns to features that are given as names and values."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from itertools import accumulate, chain, islice
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.data.conversion import is_missing
from structsvm.data.matrices import checked_numbers, require_matrix, require_powers
from structsvm.data.mixed import MixedRows
from structsvm.data.names import shown
from structsvm.data.sparse_indices import LARGEST
from structsvm.exceptions import warn_user
from structsvm.features.plain_rows import NUMBERS, numbers, plain_entries

logger = logging.getLogger(__name__)

#: A warning is given if more than this fraction of the features is unknown.
SUSPICIOUS = 0.5
#: Number of rows that are read at a time.
BLOCK = 10_000
#: Types that may hold a list of names.
NAMES = (list, tuple, set, frozenset)
#: Types of values that may hold further features.
NESTED = (dict, np.ndarray, *NAMES)
#: Types of values that are vectors, if vectors are allowed.
ARRAYS = (np.ndarray, list, tuple)

#: The features of a row: names and values, or only names, whose values are then 1.
Features = Mapping[str, Any] | Collection[str]
#: Columns and values of the entries of rows, and an array with 0 and the end of each row.
Entries = tuple[Indices, Vector, Indices]
#: The features read from some rows: see :meth:`Vocabulary._one_by_one`.
Part = tuple[Any, Any, Any, list[tuple[int, str, Any]]]


class Vocabulary:
    """A mapping that assigns columns to the features of rows.

    A name has one column if its value is a number or a bool. If values are strings, each pair of a
    name and a value has one column, as in CRFsuite: ``{"word": "the", "capital": True}`` sets the
    columns ``word:the`` and ``capital`` to 1. A value may be a list or a set of strings: ``{"in":
    ["a", "b"]}`` sets ``in:a`` and ``in:b``. A value may also be a dict: ``{"next": {"word":
    "cat"}}`` sets ``next:word:cat``. A row may also be a list of strings, the names of features
    with value 1.

    Parameters
    ----------
    vectors : bool, default=False
        Whether a value may be an array or a list of numbers, such as an embedding. For example,
        ``{"vector": v}`` sets ``vector[0]``, ``vector[1]`` and so on. The columns of vectors are
        dense and come after all other columns. In a row without the name "vector", ``vector[0]``,
        ``vector[1]`` and so on are 0.
    begin : Vocabulary, optional
        A vocabulary whose columns come first, even if its features do not occur in the rows. The
        columns of vectors, such as embeddings, are not taken from ``begin``.
    """

    def __init__(self, vectors: bool = False, begin: Vocabulary | None = None) -> None:
        self._columns: dict[str, int] = {} if begin is None else dict(begin._columns)
        self._n_begun = len(self._columns)
        # The names whose values are strings.
        self._texts: set[str] = set() if begin is None else set(begin._texts)
        self._vectors = Vectors() if vectors else None
        self._is_known = False

    def __getstate__(self) -> dict[str, Any]:
        # A list is smaller than a dict.
        names, texts = list(self._columns), sorted(self._texts)
        return {"names": names, "texts": texts, "vectors": self._vectors}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._columns = {name: j for j, name in enumerate(state["names"])}
        self._n_begun = 0
        self._texts = set(state["texts"])
        self._vectors = state["vectors"]
        self._is_known = True

    @property
    def names(self) -> list[str]:
        return [*self._columns, *(self._vectors.names if self._vectors else ())]

    @property
    def _sizes(self) -> dict[str, int]:
        """The length of each name's vectors."""
        return self._vectors.sizes if self._vectors else {}

    def matrix(self, rows: Iterable[Features], place: Callable[[int], str]) -> Any:
        """Return a CSR matrix of the rows, or a MixedRows if there are vectors.

        The first call assigns columns to features. Later calls ignore new features. The function
        ``place`` returns the name of a row for messages.
        """
        columns, values, ends, vectors = self._read(rows, place)
        shape = len(ends) - 1, len(self._columns)
        X = sparse.csr_matrix((in_single_if_exact(values), columns, ends), shape)
        X.sum_duplicates()  # a name with a string may equal another name
        X.eliminate_zeros()
        if self._columns:
            require_matrix(X)
        if self._vectors is None or not self._sizes:
            return X
        dense = in_single_if_exact(self._vectors.matrix(vectors, shape[0], place))
        if not self._columns:
            return dense
        dtype = np.result_type(X, dense)
        return MixedRows(X.astype(dtype, copy=False), dense.astype(dtype, copy=False))

    def extended(self, rows: Iterable[Features], place: Callable[[int], str]) -> Any:
        """Return a matrix of additional training rows.

        New features in the additional rows get new columns.
        """
        self._is_known, self._n_begun = False, 0
        return self.matrix(rows, place)

    def entries(self, rows: Iterable[Features], place: Callable[[int], str]) -> Entries | None:
        """Return the entries of rows in existing columns, or None if some feature is a vector."""
        if self._sizes:
            return None
        columns, values, ends, _ = self._read(rows, place)
        require_powers(float(np.abs(values).max(initial=0)), np.float64, underflow=False)
        return columns, values, ends

    def _read(self, rows: Iterable[Features], place: Callable[[int], str]) -> Any:
        """Return the columns and values of all features, the ends of the rows, and the vectors.

        If features have no column, their values become 0, and a warning or a log message counts
        them.
        """
        rows, parts, n = iter(rows), [], 0
        while block := list(islice(rows, BLOCK)):
            parts.append(self._at_once(block) or self._one_by_one(block, n, place))
            n += len(block)
        columns, values, counts, vectors = parts[0] if len(parts) == 1 else _joined(parts)
        if not self._is_known:
            self._require_names()
            shared = vectors or columns.min(initial=self._n_begun) < self._n_begun
            if self._n_begun and not shared:
                names = list(self._columns)
                raise ValueError(
                    "X has none of the features that w_prior was fitted to, which are "
                    f"{shown(names[: self._n_begun])}; it has {shown(names[self._n_begun :])}"
                )
            self._is_known = True
        unknown = (columns < 0).nonzero()[0]
        columns[unknown] = values[unknown] = 0
        number = len(unknown) + sum(name not in self._sizes for _, name, _ in vectors)
        if number:
            total = len(columns) + len(vectors)
            report = warn_user if number > SUSPICIOUS * total else logger.info
            report(f"{number} of {total} features of X are not among those trained on: ignored")
        ends = np.zeros(n + 1, dtype=np.int64 if len(columns) > LARGEST else np.int32)
        ends[1:] = counts.cumsum()
        return columns, values, ends, vectors

    def _at_once(self, rows: list[Features]) -> Part | None:
        """Read rows that are lists of names; return None if the rows have another form."""
        known = self._columns, self._texts, self._sizes
        found = plain_entries(rows, *known, learns=not self._is_known)
        return None if found is None else (*found, [])

    def _one_by_one(self, rows: list[Features], first: int, place: Callable[[int], str]) -> Part:
        """Read rows with features of any form."""
        columns, texts = self._columns, self._texts
        sizes, places, values, ends, vectors = self._sizes, [], [], [0], []
        for row, features in enumerate(rows, first):
            for name, value in _flat(features):
                if isinstance(name, bytes):
                    require_text(name)
                if name in sizes and not isinstance(value, ARRAYS):
                    raise ValueError(
                        f"{place(row)}[{name!r}] is {value!r:.60}, but {name!r} is a vector of "
                        f"{sizes[name]} numbers in training; give one, or leave the feature out"
                    )
                if isinstance(value, str):
                    if name not in texts:
                        if not self._is_known:
                            texts.add(name)
                        elif name in columns:
                            raise _other_kind(name, value, place(row), "a number")
                    name, value = f"{name}:{value}", 1.0
                elif self._vectors is not None and isinstance(value, ARRAYS):
                    _require_names(name, value, place(row))
                    if name in columns:
                        raise ValueError(
                            f"{place(row)}[{name!r}] is of type {type(value).__name__}, but "
                            f"{name!r} is a single number elsewhere; give the two different names"
                        )
                    if not self._is_known:
                        sizes.setdefault(name, np.size(value))
                    vectors.append((row, name, value))
                    continue
                elif type(value) not in NUMBERS:
                    _require_number(name, value, place(row), self._vectors is not None)
                known = columns.get(name, -1) if self._is_known else self._new_column(name)
                if known < 0 and value != value:
                    raise not_finite(name, value, place(row))
                if known < 0 and name in texts:
                    raise _other_kind(name, value, place(row), "text")
                places.append(known)
                values.append(value)
            ends.append(len(places))
        data, found = numbers(values), np.array(places, dtype=np.int32)
        wrong = np.flatnonzero(~np.isfinite(data) & (found >= 0))
        if len(wrong):
            row = int(np.searchsorted(ends, wrong[0], side="right")) - 1
            name, value = self.names[found[wrong[0]]], data[wrong[0]]
            raise not_finite(name, value, place(first + row))
        return found, data, np.diff(ends), vectors

    def _new_column(self, name: str) -> int:
        return self._columns.setdefault(name, len(self._columns))

    def _require_names(self) -> None:
        """Raise a ValueError if there are no columns, or if two columns share a name."""
        if wrong := [name for name in self._columns if not isinstance(name, str)]:
            raise ValueError(f"names of features must be strings; got {wrong[0]!r}")
        vectors = self._vectors or Vectors()
        if shared := [name for name in vectors.names if name in self._columns]:
            raise ValueError(
                f"the column {shared[0]!r} of the vector {shared[0].rpartition('[')[0]!r} has the "
                "name of another feature; rename one of the two"
            )
        begins = tuple(f"{name}:" for name in vectors.sizes)
        if strings := [name for name in self._columns if name.startswith(begins)]:
            raise ValueError(
                f"X holds the feature {strings[0]!r}, but the name before its colon stands for a "
                "vector elsewhere; give the two different names"
            )
        if not self.names:
            raise ValueError("X has no features: all its dicts are empty")


class Vectors:
    """Dense columns for arrays of numbers.

    Attributes
    ----------
    sizes : dict of str and int
        The length of the arrays of each name.
    """

    def __init__(self) -> None:
        self.sizes: dict[str, int] = {}

    @property
    def names(self) -> list[str]:
        return [f"{name}[{j}]" for name, size in self.sizes.items() for j in range(size)]

    def matrix(
        self, found: Sequence[tuple[int, str, Any]], n: int, place: Callable[[int], str]
    ) -> Any:
        """Return an array of n rows that contains the vectors in `found`.

        Unknown names are ignored.
        """
        ends = dict(zip(self.sizes, accumulate(self.sizes.values()), strict=True))
        X = np.zeros((n, sum(self.sizes.values())))
        for row, name, value in found:
            size = self.sizes.get(name)
            if size is None:
                continue
            where = f"{place(row)}[{name!r}]"
            numbers = checked_numbers(where, value)
            if numbers.shape != (size,) or not size:
                expected = "a vector has one dimension, and at least one number"
                if numbers.ndim == 1 and size:
                    expected = f"expected ({size},), as where it occurs first in training"
                raise ValueError(f"{where} has shape {numbers.shape}; {expected}")
            X[row, ends[name] - size : ends[name]] = numbers
        wrong = np.argwhere(~np.isfinite(X))
        if len(wrong):
            row, j = wrong[0].tolist()
            raise ValueError(
                f"{place(row)}: {self.names[j]} is {X[row, j]}; features must be finite"
            )
        require_matrix(X)
        return X


def in_single_if_exact(data: Any) -> Any:
    """Return the numbers in single precision if the conversion is exact.

    If the conversion is not exact, return the numbers unchanged.
    """
    with np.errstate(over="ignore"):
        single = data.astype(np.float32)
    return single if np.array_equal(single, data) else data


def _flat(features: Features) -> Iterable[tuple[str, Any]]:
    """Return names and values, flattening nested dicts and lists of strings."""
    if not isinstance(features, Mapping):
        return [(name, 1.0) for name in in_order(features)]
    if any(isinstance(value, NESTED) for value in features.values()):
        return list(_unnested(features))
    return features.items()


def in_order(names: Collection[Any]) -> Collection[Any]:
    """Return the names as a list, in their order.

    If the names are a set, the list is sorted, since the order of a set differs between runs.
    """
    return sorted(names, key=str) if isinstance(names, Set) else names


def _unnested(features: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in features.items():
        require_text(name)
        if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "UO":
            value = value.tolist()
        if isinstance(value, Mapping):
            yield from ((f"{name}:{inner}", own) for inner, own in _unnested(value))
        elif isinstance(value, NAMES) and all(isinstance(each, str) for each in value):
            yield from ((f"{name}:{each}", 1.0) for each in in_order(value))
        else:
            yield name, value


def require_text(name: Any) -> None:
    """Raise a ValueError if the name of a feature is bytes."""
    if isinstance(name, bytes):
        raise ValueError(
            f"names of features must be strings; got the bytes {name!r:.60}: decode them, such as "
            "by name.decode()"
        )


def _require_names(name: str, value: Any, place: str) -> None:
    """Raise a ValueError if a number is masked, or if a string in a list is missing."""
    if value is np.ma.masked:
        raise ValueError(f"{place}[{name!r}] is masked: fill it in, or leave it out")
    if isinstance(value, (list, tuple)) and any(isinstance(each, str) for each in value):
        for j, each in enumerate(value):
            if is_missing(each):
                raise ValueError(f"{place}[{name!r}][{j}] is {each}: leave it out of the list")


def not_finite(name: str, value: Any, place: str, how: str = "") -> ValueError:
    """Return the error about an infinite or missing feature.

    ``how`` completes the advice.
    """
    remedy = ""
    if is_missing(value):
        value = "NaN" if value is not None else None
        remedy = f": leave it out, or fill it in{how}"
    return ValueError(f"{place}[{name!r}] is {value}; features must be finite{remedy}")


def _other_kind(name: str, value: Any, place: str, known: str) -> ValueError:
    return ValueError(
        f"{place}[{name!r}] is {value!r:.60}, but {name!r} is always {known} in training; convert "
        "it, or leave the feature out"
    )


def _require_number(name: Any, value: Any, place: str, vectors: bool) -> None:
    _require_names(name, value, place)
    if not hasattr(value, "__len__") and is_missing(value):
        raise not_finite(name, value, place)
    if isinstance(value, bytes):
        raise ValueError(
            f"{place}[{name!r}] is the bytes {value!r:.60}; decode them, such as by value.decode()"
        )
    if not isinstance(value, (Real, np.bool_)):
        raise ValueError(
            f"{place}[{name!r}] is of type {type(value).__name__}; the value of a feature must be "
            "a number, a bool, a string, a list of strings"
            + (", an array of numbers or a dict of these" if vectors else " or a dict of these")
        )


def _joined(parts: Sequence[Part]) -> Any:
    """Join the entries and the vectors of several blocks of rows."""
    nothing: Part = np.empty(0, np.int32), np.empty(0), np.empty(0, np.intp), []
    columns, values, counts, vectors = zip(nothing, *parts, strict=True)
    return *map(np.concatenate, (columns, values, counts)), list(chain.from_iterable(vectors))
