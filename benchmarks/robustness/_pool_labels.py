"""Labels and weights of examples with something wrong or extreme."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas
from scipy import sparse

from benchmarks.robustness._pool import Make, Pool, labels, mapped, rows
from benchmarks.robustness._pool_objects import UNREADABLE, Lengthless, Odd, Strange, Unreadable


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
    "memmap": lambda: mapped(labels()), "matrix": lambda: np.asmatrix(labels()),
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
    "bools": lambda: np.ones(12, bool), "memmap": lambda: mapped(np.ones(12)),
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
