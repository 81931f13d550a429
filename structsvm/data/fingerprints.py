"""Hashes of data: equal data have equal hashes in every process."""

from __future__ import annotations

from typing import Any

from joblib.hashing import NumpyHasher


class _Hasher(NumpyHasher):  # type: ignore[misc]
    """joblib's hasher with sorted sets, since the order of a set differs between runs."""

    def save(self, obj: Any) -> None:
        if type(obj) in (set, frozenset):
            texts = all(type(value) is str for value in obj)
            obj = type(obj).__name__, sorted(obj if texts else map(fingerprint, obj))
        super().save(obj)


def fingerprint(value: Any) -> str:
    """Return a hash of an object's content.

    Raise an error if the object cannot be pickled.
    """
    return str(_Hasher(hash_name="md5").hash(value))
