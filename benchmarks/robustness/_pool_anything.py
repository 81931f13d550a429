"""Values that any parameter may be given: numbers, objects, functions and names."""

from __future__ import annotations

import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas
from scipy import sparse

from benchmarks.robustness._pool import Make, Pool, mapped, rows
from benchmarks.robustness._pool_objects import Lengthless, Odd, Strange, Unreadable


def _constants(values: dict[str, Any]) -> Pool:
    return {name: (lambda value=value: value) for name, value in values.items()}


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
    "memmap": lambda: mapped(np.arange(12.0)), "matrix of one row": lambda: np.asmatrix([1.0, 2]),
    "structured": lambda: np.zeros(12, dtype=[("a", float)]),
    "unreadable": lambda: Unreadable(RuntimeError("planted")),
    "list of unreadable": lambda: [Unreadable(Strange("planted"))],
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

#: Bad values that any argument may get.
PLAIN = {**ANYTHING, **NAMES}
