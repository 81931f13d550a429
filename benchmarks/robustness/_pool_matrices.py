"""Matrices with something wrong or extreme."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas
from scipy import sparse

from benchmarks.robustness._pool import Make, Pool, mapped, rows
from benchmarks.robustness._pool_objects import UNREADABLE


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


def _read_only(array: Any) -> Any:
    array.flags.writeable = False
    return array


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
    "read-only": lambda: _read_only(rows()), "memmap": lambda: mapped(rows()),
    "memmap float32": lambda: mapped(rows().astype(np.float32)),
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
