"""Partitions of an item set as labels: read, numbered, compared and enumerated."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.matrices import is_missing, one_array, require_unmasked

#: Numbers of items up to which a dict numbers clusters faster than sorting does.
FEW = 100


def codes_of(labels: Any, m: int, name: str = "y") -> Indices:
    """Labels of any kind as codes 0..k-1 of shape (m,); a ValueError where one is missing."""
    labels = _label_array(labels, name)
    if labels.shape != (m,):
        raise ValueError(
            f"{name} must hold a label for each of {m} items; got an array of shape {labels.shape}"
        )
    missing = np.flatnonzero([is_missing(label) for label in labels.tolist()])
    if len(missing):
        raise ValueError(
            f"{name} lacks the label of item {missing[0]}; every item of a partition must have a "
            "cluster: label it, or drop the item"
        )
    if labels.dtype.kind in "if" and np.any(labels == -1):
        raise ValueError(
            f"{name} has the label -1 for item {np.argmax(labels == -1)}, which means unknown in "
            "structsvm and noise in scikit-learn; use another label, since every item of a "
            "partition must have a cluster"
        )
    try:
        return np.unique(labels, return_inverse=True)[1].reshape(m)
    except TypeError as error:
        kinds = set(map(type, labels.tolist()))
        if len(kinds) > 1 or not all(issubclass(kind, Hashable) for kind in kinds):
            raise ValueError(f"the labels of {name} must be of one kind: {error}") from None
    return in_order(_places(labels))


def _label_array(labels: Any, name: str) -> Any:
    """Labels as a 1-d array, in which a tuple is one label."""
    require_unmasked(name, labels)
    if hasattr(labels, "shape"):
        return one_array(name, labels)
    if isinstance(labels, (str, bytes, dict, set, frozenset)) or not isinstance(labels, Iterable):
        raise ValueError(
            f"{name} must be a list or array of labels in the order of the items; got "
            f"{labels!r:.60}"
        )
    labels = list(labels)
    # numpy would make a 2-d array of tuples of equal length.
    if any(isinstance(label, tuple) for label in labels):
        array = np.empty(len(labels), dtype=object)
        for i, label in enumerate(labels):
            array[i] = label
        return array
    # numpy would convert numbers among strings to strings: 1 and "1" would be one cluster.
    strings = [isinstance(label, str) for label in labels]
    if any(strings) and not all(s or is_missing(x) for s, x in zip(strings, labels, strict=True)):
        raise ValueError(f"the labels of {name} must be of one kind; some are strings, others not")
    return np.array(labels, dtype=object) if any(strings) else one_array(name, labels)


def _places(labels: Any) -> Indices:
    """The place where each label is first, for labels that cannot be sorted."""
    first: dict[Any, int] = {}
    return np.array([first.setdefault(label, i) for i, label in enumerate(labels)], dtype=np.intp)


def in_order(labels: Indices) -> Indices:
    """The same partition with its clusters numbered in the order of their first items."""
    if len(labels) <= FEW:
        numbers: dict[int, int] = {}
        return np.array([numbers.setdefault(c, len(numbers)) for c in labels.tolist()], np.intp)
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    # argsort of argsort: the rank of each cluster's first item.
    return np.argsort(np.argsort(first))[codes]


def overlaps(codes: Indices, others: Indices) -> tuple[Indices, Indices, Vector]:
    """The clusters a of one partition and b of the other with common items, and their numbers."""
    width = int(others.max()) + 1
    both, counts = np.unique(codes * width + others, return_counts=True)
    return both // width, both % width, counts.astype(np.float64)


def partitions(m: int, k: int | None = None) -> Iterator[Indices]:
    """All partitions of m items, each once; only those into k clusters if k is given."""

    def extend(codes: list[int], used: int) -> Iterator[list[int]]:
        left = m - len(codes)
        # Too few items are left to open all k clusters.
        if k is not None and used + left < k:
            return
        if not left:
            yield codes
            return
        # An item joins a used cluster or opens the next one, so that each partition comes once.
        for code in range(min(used + 1, m if k is None else k)):
            yield from extend([*codes, code], max(used, code + 1))

    return (np.array(codes, dtype=np.intp) for codes in extend([0], 1))
