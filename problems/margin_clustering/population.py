"""The best different clusterings that a search has found so far."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.optimize import linear_sum_assignment

from structsvm.data.arrays import Indices
from structsvm.problems.margin_clustering.ranking import ranked
from structsvm.problems.margin_clustering.smoothed_margin import Member

#: Two clusterings count as the same from this fraction of rows in the same cluster on,
SAME_ROWS = 0.99
#: if their objectives differ by less than this fraction.
SAME_OBJECTIVE = 1e-3


class Population:
    """Clusterings in order of objective, at most ``size``, no two of them the same."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._members: list[Member] = []

    def __len__(self) -> int:
        return len(self._members)

    def __getitem__(self, rank: int) -> Member:
        return self._members[rank]

    def __iter__(self) -> Iterator[Member]:
        return iter(self._members)

    def add(self, member: Member) -> None:
        """Keep a clustering if it is among the best; only the best of equal clusterings is kept."""
        kept: list[Member] = []
        for one in ranked([*self._members, member], lambda one: one.objective):
            if not any(_same(one, other) for other in kept):
                kept.append(one)
        self._members = kept[: self.size]


def matching(labels: Indices, others: Indices, k: int) -> Indices:
    """Match each cluster of ``labels`` with a cluster of ``others``, so that most rows agree.

    The total over all clusters is maximised, by the Hungarian method.
    """
    return np.asarray(linear_sum_assignment(_shared(labels, others, k), maximize=True)[1])


def _same(one: Member, other: Member) -> bool:
    """Whether two clusterings are almost equal, up to the numbers of their clusters."""
    most = max(abs(one.objective), abs(other.objective))
    if abs(one.objective - other.objective) > SAME_OBJECTIVE * most:
        return False
    k = len(one.W)
    matched = matching(one.labels, other.labels, k)
    shared = _shared(one.labels, other.labels, k)[np.arange(k), matched].sum()
    return bool(shared >= SAME_ROWS * len(one.labels))


def _shared(labels: Indices, others: Indices, k: int) -> Indices:
    """The contingency table of two labellings, shape (k, k)."""
    return np.bincount(labels * k + others, minlength=k * k).reshape(k, k)
