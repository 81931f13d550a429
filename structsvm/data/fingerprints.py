"""Hashes of data that are the same in every process."""

from __future__ import annotations

import pickle
from typing import Any
from zlib import crc32

import numpy as np
from joblib.hashing import NumpyHasher


class _Hasher(NumpyHasher):
    """joblib's hasher, with sets sorted: the order of a frozenset differs from run to run."""

    def save(self, obj: Any) -> None:
        if type(obj) in (set, frozenset):
            texts = all(type(value) is str for value in obj)
            obj = type(obj).__name__, sorted(obj if texts else map(fingerprint, obj))
        super().save(obj)


def fingerprint(value: Any) -> str:
    """A hash of an object by its content; an error of any kind where it cannot be pickled."""
    return str(_Hasher(hash_name="md5").hash(value))


def digests(X: Any) -> Any:
    """A number for each input: equal inputs have equal ones, others hardly ever.

    Inputs that are rows, or hold them in one matrix, are multiplied by a random vector; the
    products are in single precision, since their last digits differ with the number of rows.
    """
    rows, layout = getattr(X, "rows", X), getattr(X, "layout", None)
    if len(getattr(rows, "shape", ())) != 2:
        return np.array([_digest(X[i]) for i in range(len(X))])
    rows = rows.tocsr() if hasattr(rows, "tocsr") else rows
    values = rows @ np.random.default_rng(0).normal(size=rows.shape[1])
    if layout is not None:
        spans = getattr(layout, "arcs", layout)
        values = spans.sums(values.reshape(-1, getattr(layout, "width", 1)).sum(axis=1))
    return values.astype(np.float32)


def _digest(x: Any) -> float:
    """A number for an input; NaN, which equals none, where it cannot be pickled."""
    try:
        return float(crc32(pickle.dumps(x)))
    except Exception:  # of the input's own methods, too
        return np.nan
