"""Hashes of data that are the same in every process."""

from __future__ import annotations

from typing import Any

from joblib.hashing import NumpyHasher


class _Hasher(NumpyHasher):  # type: ignore[misc]
    """joblib's hasher, with sets sorted: the order of a frozenset differs from run to run."""

    def save(self, obj: Any) -> None:
        if type(obj) in (set, frozenset):
            texts = all(type(value) is str for value in obj)
            obj = type(obj).__name__, sorted(obj if texts else map(fingerprint, obj))
        super().save(obj)


def fingerprint(value: Any) -> str:
    """A hash of an object by its content; an error of any kind where it cannot be pickled."""
    return str(_Hasher(hash_name="md5").hash(value))
