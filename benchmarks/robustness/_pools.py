"""Bad values of every kind of argument, each made by a function, once for every case."""

from __future__ import annotations

import datetime
import tempfile
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas
from scipy import sparse

Make = Callable[[], Any]
Pool = dict[str, Make]


class Odd:
    """An object that is none of the kinds that a parameter may be."""

    def __repr__(self) -> str:
        return "Odd()"


class Lengthless:
    """A sequence by its __getitem__ alone."""

    def __getitem__(self, i: Any) -> Any:
        raise IndexError(i)


class Strange(Exception):
    """An error of a type that nobody documents."""


class Unreadable:
    """Data whose conversion to an array fails."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __repr__(self) -> str:
        return f"Unreadable({self._error!r})"

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise self._error


class UnreadableRows(Unreadable):
    """The same with rows, as a tensor has them whose memory is elsewhere."""

    shape = (12, 3)

    def __len__(self) -> int:
        return 12

    def __getitem__(self, i: Any) -> Unreadable:
        range(12)[i]
        return Unreadable(self._error)


def rows(n: int = 12, d: int = 3, seed: int = 0) -> Any:
    """Gaussian rows about two centres."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) + 4 * (np.arange(n) % 2)[:, None] - 2


def labels(n: int = 12) -> Any:
    """A label for each of the rows."""
    return np.arange(n) % 2


def _constants(values: dict[str, Any]) -> Pool:
    return {name: (lambda value=value: value) for name, value in values.items()}


def _mapped(array: Any) -> Any:
    """The array, mapped from a file that can only be read."""
    with tempfile.TemporaryFile() as file:
        array.tofile(file)
        file.flush()
        return np.memmap(file, array.dtype, mode="r", shape=array.shape)


#: Data that fail when they are read, alone and in lists.
UNREADABLE: Pool = {
    f"{prefix}{cls.__name__}({error.__name__})": lambda cls=cls, error=error, put=put: put(
        cls(error("planted"))
    )
    for error in (ValueError, RuntimeError, Strange)
    for cls in (Unreadable, UnreadableRows)
    for prefix, put in (("", lambda one: one), ("list of ", lambda one: [one] * 12))
}

#: Values that suit hardly any parameter.
ANYTHING: Pool = {
    **_constants({
        "None": None, "True": True, "zero": 0, "one": 1, "minus one": -1, "two": 2, "1e30": 10**30,
        "-1e30": -(10**30), "1e400": 10**400, "half": 0.5, "negative": -0.5, "nan": np.nan,
        "inf": np.inf, "-inf": -np.inf, "1e-300": 1e-300, "5e-324": 5e-324, "1e300": 1e300,
        "complex": 1j, "text": "text", "empty text": "", "bytes": b"bytes", "auto": "auto",
        "Fraction": Fraction(1, 2), "Decimal": Decimal("0.5"), "int8": np.int8(2),
        "uint8": np.uint8(3), "float16": np.float16(0.5), "float32": np.float32(0.5),
        "longdouble": np.longdouble(0.5), "huge longdouble": np.longdouble("1e4000"),
        "numpy bool": np.True_, "numpy text": np.str_("text"), "numpy nan": np.float64("nan"),
        "datetime64": np.datetime64("2020-01-01"), "NaT": np.datetime64("NaT"),
        "date": datetime.date(2020, 1, 1), "Ellipsis": ..., "type": int, "range": range(3),
    }),
    "empty list": list, "empty dict": dict, "empty set": set, "tuple": lambda: (1, 2),
    "list": lambda: [1.0], "nested": lambda: [[1, 2], [3]], "dict": lambda: {"a": 1},
    "set": lambda: {1, 2}, "generator": lambda: (i for i in range(3)), "Odd": Odd,
    "lengthless": Lengthless, "0-d": lambda: np.array(1.0), "one element": lambda: np.ones(1),
    "flags": lambda: np.array([True, False]), "vector": lambda: np.arange(12.0),
    "objects": lambda: np.array([None, 1, "a"], dtype=object), "no numbers": lambda: np.array([]),
    "function": lambda: len, "lambda": lambda: lambda *a, **k: None, "slice": lambda: slice(2),
    "csr": lambda: sparse.csr_matrix(rows()), "Series": lambda: pandas.Series([1.0, 2.0]),
    "NA": lambda: pandas.NA, "masked": lambda: np.ma.masked_array([1.0, 2.0], [True, False]),
    "memmap": lambda: _mapped(np.arange(12.0)), "matrix of one row": lambda: np.asmatrix([1.0, 2]),
    "structured": lambda: np.zeros(12, dtype=[("a", float)]),
    "unreadable": lambda: Unreadable(RuntimeError("planted")),
    "list of unreadable": lambda: [Unreadable(Strange("planted"))],
}  # fmt: skip


def _entry(value: Any, dtype: Any = np.float64) -> Any:
    X = rows().astype(dtype)
    X[0, 0] = value
    return X


def _broken(form: str, attribute: str, place: int, value: int) -> Any:
    matrix = sparse.csr_matrix(rows()).asformat(form)
    getattr(matrix, attribute)[place] = value
    return matrix


def _resized(**arrays: Any) -> Any:
    matrix = sparse.csr_matrix(rows())
    for name, array in arrays.items():
        setattr(matrix, name, array)
    return matrix


def _scaled(scale: float, dtype: Any = np.float64) -> Make:
    def make() -> Any:
        with np.errstate(all="ignore"):
            return (scale * rows()).astype(dtype)

    return make


#: Matrices with something wrong or extreme.
MATRICES: Pool = {
    **{f"scale {s:g}": _scaled(s) for s in (
        1e-320, 1e-300, 1e-200, 1e-160, 1e-140, 1e-100, 1e-50, 1e-20, 1e-8, 1e8, 1e20, 1e50, 1e100,
        1e140, 1e148, 1e155, 1e200, 1e300,
    )},
    **{f"float32 scale {s:g}": _scaled(s, np.float32) for s in (
        1e-40, 1e-30, 1e-20, 1e-10, 1e10, 1e18, 1e20, 1e30, 1e37,
    )},
    "float16": _scaled(1, np.float16), "float16 large": _scaled(1e4, np.float16),
    "longdouble": _scaled(1, np.longdouble), "int8": _scaled(30, np.int8),
    "int64 large": lambda: (rows() * 1e18).astype(np.int64), "bool": lambda: rows() > 0,
    "uint8": lambda: np.abs(20 * rows()).astype(np.uint8), "complex": _scaled(1, np.complex128),
    "objects": _scaled(1, object), "text": lambda: rows().astype(str),
    "bytes": lambda: rows().astype("S8"), "mixed": lambda: _entry("a", object),
    "None": lambda: _entry(None, object), "Fraction": lambda: _entry(Fraction(1, 3), object),
    "Decimal": lambda: _entry(Decimal(1), object), "huge int": lambda: _entry(10**400, object),
    "list inside": lambda: _entry([1], object), "dates": lambda: np.zeros((12, 3), "M8[D]"),
    "durations": lambda: np.zeros((12, 3), "m8[s]"),
    "structured": lambda: np.zeros(12, dtype=[("a", float), ("b", int)]),
    "nan": lambda: _entry(np.nan), "inf": lambda: _entry(np.inf), "-inf": lambda: _entry(-np.inf),
    "nan in float32": lambda: _entry(np.nan, np.float32), "one huge": lambda: _entry(1e300),
    "one large": lambda: _entry(1e12), "offset": lambda: rows() + 1e9,
    "large offset": lambda: rows() + 1e17, "zeros": lambda: np.zeros((12, 3)),
    "constant": lambda: np.ones((12, 3)), "copies": lambda: np.repeat(rows(2), 6, axis=0),
    "two kinds": lambda: np.repeat([[0.0, 1], [1, 0]], 6, axis=0),
    "equal columns": lambda: np.repeat(rows(12, 1), 3, axis=1),
    "zero column": lambda: rows() * [1, 0, 1], "decades": lambda: rows() * [1e-9, 1, 1e9],
    "more decades": lambda: rows() * [1e-100, 1, 1e100],
    "no rows": lambda: rows(0), "no columns": lambda: rows(12, 0), "nothing": lambda: rows(0, 0),
    "one row": lambda: rows(1), "two rows": lambda: rows(2), "one column": lambda: rows(12, 1),
    "wide": lambda: rows(12, 40), "other columns": lambda: rows(12, 5),
    "other rows": lambda: rows(7), "1-d": lambda: rows()[:, 0], "3-d": lambda: rows()[None],
    "0-d": lambda: np.array(1.0), "list": lambda: rows().tolist(), "tuple": lambda: tuple(rows()),
    "ragged": lambda: [[1.0, 2], [3.0]], "generator": lambda: (row for row in rows()),
    "dict": lambda: {"a": 1}, "set": lambda: {1, 2}, "scalar": lambda: 5, "string": lambda: "rows",
    "nothing at all": lambda: None, "DataFrame": lambda: pandas.DataFrame(rows()),
    "DataFrame of text": lambda: pandas.DataFrame({"a": ["x"] * 12, "b": 1.0}),
    "DataFrame with NA": lambda: pandas.DataFrame({"a": pandas.array([1, None] * 6), "b": 1.0}),
    "Series": lambda: pandas.Series(rows()[:, 0]), "matrix": lambda: np.asmatrix(rows()),
    "masked": lambda: np.ma.masked_array(rows(), rows() > 1),
    "fortran": lambda: np.asfortranarray(rows()),
    "strided": lambda: rows(24, 6)[::2, ::2], "reversed": lambda: rows()[::-1, ::-1],
    "read-only": lambda: _read_only(rows()), "memmap": lambda: _mapped(rows()),
    "memmap float32": lambda: _mapped(rows().astype(np.float32)),
    "swapped bytes": lambda: rows().astype(">f8"),
    **{form: (lambda form=form: sparse.csr_matrix(rows()).asformat(form))
       for form in ("csr", "csc", "coo", "lil", "dok", "dia", "bsr")},
    "csr_array": lambda: sparse.csr_array(rows()),
    "coo_array 1-d": lambda: sparse.coo_array(rows()[0]),
    "csr float32": lambda: sparse.csr_matrix(rows().astype(np.float32)),
    "csr int": lambda: sparse.csr_matrix(rows().astype(int)),
    "csr complex": lambda: sparse.csr_matrix(rows() * 1j),
    "csr of zeros": lambda: sparse.csr_matrix((12, 3)),
    "csr nan": lambda: sparse.csr_matrix(_entry(np.nan)),
    "csr 1e200": lambda: sparse.csr_matrix(1e200 * rows()),
    "csr 1e-160": lambda: sparse.csr_matrix(1e-160 * rows()),
    "csr no rows": lambda: sparse.csr_matrix((0, 3)),
    "csr no columns": lambda: sparse.csr_matrix((12, 0)),
    "csr duplicates": lambda: sparse.csr_matrix(
        (np.ones(4), [0, 0, 1, 1], [0, 2, 4] + [4] * 10), (12, 3)
    ),
    "csr unsorted": lambda: sparse.csr_matrix((np.ones(3), [2, 0, 1], [0, 3] + [3] * 11), (12, 3)),
    "csr index high": lambda: _broken("csr", "indices", 3, 10**6),
    "csr index just high": lambda: _broken("csr", "indices", 3, 3),
    "csr index negative": lambda: _broken("csr", "indices", 3, -(10**6)),
    "csr indptr high": lambda: _broken("csr", "indptr", 4, 10**6),
    "csr indptr end": lambda: _broken("csr", "indptr", -1, 10**6),
    "csr indptr start": lambda: _broken("csr", "indptr", 0, 3),
    "csr indptr negative": lambda: _broken("csr", "indptr", 2, -5),
    "csc index high": lambda: _broken("csc", "indices", 3, 10**6),
    "coo row high": lambda: _broken("coo", "row", 3, 10**6),
    "coo column negative": lambda: _broken("coo", "col", 3, -7),
    "bsr index high": lambda: _broken("bsr", "indices", 3, 10**6),
    "csr data short": lambda: _resized(data=np.ones(5)),
    "csr indices short": lambda: _resized(indices=np.zeros(5, np.int32)),
    "csr indptr short": lambda: _resized(indptr=np.array([0, 3])),
    "csr indptr float": lambda: _resized(indptr=np.linspace(0, 36, 13)),
    "csr indices float": lambda: _resized(indices=np.zeros(36)),
    "csr data 2-d": lambda: _resized(data=np.ones((36, 1))),
    "csr data objects": lambda: _resized(data=np.full(36, None)),
    **UNREADABLE,
}  # fmt: skip


def _read_only(array: Any) -> Any:
    array.flags.writeable = False
    return array


def _one(value: Any) -> Any:
    """Labels as a list, one of them this value."""
    found: list[Any] = labels().tolist()
    found[0] = value
    return found


#: Labels with something wrong.
LABELS: Pool = {
    "one class": lambda: [1] * 12, "one of a class": lambda: _one(7),
    "all different": lambda: range(12),
    "short": lambda: labels(5), "long": lambda: labels(30), "empty": list, "None": lambda: None,
    "text": lambda: ["a", "b"] * 6, "mixed": lambda: _one("a"), "None inside": lambda: _one(None),
    "nan": lambda: _one(np.nan), "inf": lambda: _one(np.inf), "huge": lambda: _one(10**400),
    "list inside": lambda: _one([1]), "tuple inside": lambda: _one((1, 2)),
    "set inside": lambda: _one({1}),
    "dict inside": lambda: _one({}), "Odd inside": lambda: _one(Odd()),
    "NA": lambda: _one(pandas.NA),
    "floats": lambda: rows()[:, 0], "halves": lambda: labels() / 2,
    "complex": lambda: labels() * 1j,
    "bools": lambda: labels() > 0, "bytes": lambda: [b"a", b"b"] * 6,
    "mixed bytes": lambda: [b"a", "b"] * 6,
    "mixed text array": lambda: np.array(_one("a"), dtype=object),
    "text of numbers": lambda: ["0", "1"] * 6,
    "Fractions": lambda: [Fraction(1, 2), 1] * 6, "Decimals": lambda: [Decimal(1), 2] * 6,
    "dates": lambda: np.array(["2020-01-01", "2021-01-01"] * 6, "M8[D]"),
    "NaT": lambda: np.array(["2020-01-01", "NaT"] * 6, "M8[D]"),
    "structured": lambda: np.zeros(12, dtype=[("a", int)]), "2-d": lambda: np.eye(12),
    "column": lambda: labels()[:, None], "0-d": lambda: np.array(1), "scalar": lambda: 3,
    "string": lambda: "ab" * 6, "generator": lambda: (i % 2 for i in range(12)),
    "set": lambda: set(range(12)), "dict": lambda: dict.fromkeys(range(12)),
    "csr": lambda: sparse.eye(12).tocsr(), "masked": lambda: np.ma.masked_array(labels(), labels()),
    "Series": lambda: pandas.Series(labels()),
    "Series by name": lambda: pandas.Series(labels(), list("abcdefghijkl")),
    "DataFrame": lambda: pandas.DataFrame({"y": labels()}),
    "uint64": lambda: labels().astype(np.uint64),
    "negative": lambda: labels() - 1, "unknown": lambda: np.where(np.arange(12) < 4, labels(), -1),
    "all unknown": lambda: np.full(12, -1), "large": lambda: labels() * 2**62,
    "int8": lambda: labels().astype(np.int8),
    "float unknown": lambda: np.where(np.arange(12) < 4, labels(), -1.0),
    "longdouble": lambda: labels().astype(np.longdouble),
    "Categorical": lambda: pandas.Categorical(["a", "b"] * 6), "zero-width": lambda: [""] * 12,
    "surrogate": lambda: ["\ud800", "b"] * 6, "lengthless": Lengthless,
    "memmap": lambda: _mapped(labels()), "matrix": lambda: np.asmatrix(labels()),
    "matrix of a column": lambda: np.asmatrix(labels()).T,
    "unreadable inside": lambda: _one(Unreadable(Strange("planted"))), **UNREADABLE,
}  # fmt: skip


def _weights(value: Any) -> Make:
    def make() -> Any:
        found = np.ones(12)
        found[0] = value
        return found

    return make


#: Weights of examples with something wrong or extreme.
WEIGHTS: Pool = {
    **{f"one {value:g}": _weights(value) for value in (
        -1, np.nan, np.inf, 0, 1e-320, 1e-200, 1e150, 1e300,
    )},
    "zeros": lambda: np.zeros(12), "tiny": lambda: np.full(12, 1e-300),
    "huge": lambda: np.full(12, 1e300), "float16": lambda: np.ones(12, np.float16),
    "bools": lambda: np.ones(12, bool), "memmap": lambda: _mapped(np.ones(12)),
    "masked": lambda: np.ma.masked_array(np.ones(12), np.arange(12) == 0),
    "matrix": lambda: np.asmatrix(np.ones(12)), "column": lambda: np.ones((12, 1)),
    "structured": lambda: np.zeros(12, dtype=[("a", float)]), "complex": lambda: np.ones(12) * 1j,
    "text": lambda: ["1"] * 12, "dates": lambda: np.zeros(12, "M8[D]"),
    "generator": lambda: (1.0 for _ in range(12)), "set": lambda: {1.0}, "dict": lambda: {0: 1.0},
    "None inside": lambda: [None] + [1.0] * 11, "Fractions": lambda: [Fraction(1, 2)] * 12,
    "huge int": lambda: [10**400] * 12, "ragged": lambda: [[1.0] * 12, [1.0]],
    "of positions": lambda: [np.ones(12)] * 2, "csr": lambda: sparse.csr_matrix(np.ones(12)),
    "Series by name": lambda: pandas.Series(np.ones(12), list("abcdefghijkl")),
    "string": lambda: "1" * 12, "short": lambda: np.ones(5), "long": lambda: np.ones(30),
    "list of unreadable 2": lambda: [Unreadable(RuntimeError("planted"))] * 2, **UNREADABLE,
}  # fmt: skip


def _kernel(value: Any) -> Make:
    return lambda: lambda a, b: value


def _failing(a: Any, b: Any) -> Any:
    raise KeyError("failing")


#: Kernels and the like, as functions that do not do what is asked of them.
FUNCTIONS: Pool = {
    "returns None": _kernel(None), "returns nan": _kernel(np.nan), "returns inf": _kernel(np.inf),
    "returns text": _kernel("text"), "returns a vector": _kernel(np.ones(2)),
    "returns 1": _kernel(1.0),
    "returns 1e300": _kernel(1e300), "returns 1j": _kernel(1j), "fails": lambda: _failing,
    "takes one": lambda: lambda a: 1.0, "takes none": lambda: lambda: 1.0,
    "asymmetric": lambda: lambda a, b: float(a[0] - b[0]),
    "indefinite": lambda: lambda a, b: -float(a @ b),
    "product": lambda: lambda a, b: float(a @ b), "class": lambda: dict,
}  # fmt: skip

#: Names that some parameter has, to be given to another one.
NAMES: Pool = _constants({
    name: name for name in (
        "linear", "rbf", "poly", "precomputed", "whiten", "diffusion", "graph", "scale", "auto",
        "nmi", "rand", "f", "error", "f1", "roc_area", "prbep", "precision_at_k", "recall_at_k",
        "iterative", "spectral", "discrete", "greedy", "relaxed", "mean", "marginal",
        "margin", "slack", "permutation", "uniform", "gap", "RBF", "circles", "../digits",
    )
})  # fmt: skip
