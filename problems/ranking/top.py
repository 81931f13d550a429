"""The searches for the ranking of largest loss minus margin, where the first k documents count.

:mod:`structsvm.problems.ranking.search` says what determines a ranking. For each number of relevant
documents among the first k, the documents further down are best ranked by score, as long as none
of these documents moves up among the first k.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.ranking.scored import FirstSums, Scored, leading

#: Numbers in the tables of a group of splits, at most, unless a single split needs more.
TABLE = 4_000_000


def best_top(scored: Scored, k: Indices, credits: Any) -> Indices:
    """The best ranking for losses of the first k documents and of their order, in O(k^2).

    Parameters
    ----------
    scored : Scored
    k : ndarray of shape (n_splits,), int
        From 1 to the number of documents.
    credits : ndarray of shape (n_splits, k.max() + 1)
        What the loss falls by if a relevant document is at each position; positions 0 and above k
        are not read.

    Returns
    -------
    ndarray of int
        For each relevant document the number of others above.
    """
    by_score = scored.swapped()
    found = by_score.copy()
    for some in _groups(k, (k + 1) ** 2):
        tops = _Tops(scored, some, k[some], by_score)
        tables, heads = _orders(tops, credits[some, : tops.width])
        chosen = (heads + tops.below).argmax(axis=1)
        found[tops.entries] = np.maximum(by_score[tops.entries], tops.others_at(chosen))
        _trace(tops, tables, chosen, found)
    return found


def best_set(scored: Scored, k: Indices, credit: Vector) -> Indices:
    """The best ranking for losses of the set of the first k documents, in O(m log m).

    ``credit`` is what the loss of each split falls by for every relevant document in the set; all
    else is as in :func:`best_top`. A relevant document never comes up into the set, which would
    lower the loss; so those in it are best ranked by score, too.
    """
    by_score = scored.swapped()
    found = by_score.copy()
    for some in _groups(k, k + 1):
        tops = _Tops(scored, some, k[some], by_score)
        values = tops.above + tops.below - credit[some, None] * np.arange(tops.width)
        chosen = values.argmax(axis=1)
        lower = tops.place >= chosen[tops.one]
        entries, least = tops.entries[lower], tops.others_at(chosen)[lower]
        found[entries] = np.maximum(by_score[entries], least)
    return found


class _Tops:
    """Some splits, with margins by the number of relevant documents among the first k.

    Attributes
    ----------
    width : int
        One more than the largest k.
    entries : ndarray of shape (n,)
        The places of their relevant documents among the relevant documents of all splits.
    one, place : ndarray of shape (n,)
        The split of each, from 0 in ``splits``, and its number there, from 0.
    """

    def __init__(self, scored: Scored, splits: Indices, k: Indices, by_score: Indices) -> None:
        self.scored, self.splits, self.k = scored, splits, k
        self.width = int(k.max(initial=0)) + 1
        self.start, self.size = scored.relevant.starts[splits], scored.relevant.sizes[splits]
        self.one = np.repeat(np.arange(len(splits)), self.size)
        self.place = np.arange(len(self.one)) - (np.cumsum(self.size) - self.size)[self.one]
        self.entries = self.start[self.one] + self.place
        self.n_others = scored.others.sizes[splits][:, None]
        self._inside = np.minimum(np.arange(self.width), self.size[:, None])
        least = k[:, None] - np.arange(self.width)
        self._possible = (least >= 0) & (least <= self.n_others)
        self._least = np.clip(least, 0, self.n_others)
        self._column = np.broadcast_to(splits[:, None], least.shape)
        self.unit = scored.unit[splits][:, None]
        # How many relevant documents have, by score, fewer others above than the least number.
        self._fewer = leading(-by_score, scored.relevant, self._column, 1 - self._least)
        alone = scored.low_sum(scored.relevant.split, by_score) - by_score * scored.high
        self._sums = FirstSums(alone, scored.relevant)

    def others_at(self, chosen: Indices) -> Indices:
        """For each relevant document the others among the first k, if ``chosen`` are relevant."""
        return (self.k - chosen)[self.one]

    @cached_property
    def below(self) -> Any:
        """Minus the margins of the documents further down, -inf where that is impossible."""
        last = self.size[:, None]
        free = np.maximum(self._inside, self._fewer)
        margins = self._held(self._inside, free) + self._by_score(free, last)
        return np.where(self._possible, margins * self.unit, -np.inf)

    @cached_property
    def above(self) -> Any:
        """Minus the margins of relevant documents ranked by score, -inf where there are fewer."""
        margins = self._by_score(np.zeros_like(self._inside), self._inside)
        allowed = np.arange(self.width) <= np.minimum(self.size, self.k)[:, None]
        return np.where(allowed, margins * self.unit, -np.inf)

    def _by_score(self, first: Indices, last: Indices) -> Any:
        return self._sums(self._column, last) - self._sums(self._column, first)

    def _held(self, first: Indices, last: Indices) -> Any:
        split, high_sum = self._column, self.scored.high_sum
        sums = (last - first) * self.scored.low_sum(split, self._least)
        return sums - self._least * (high_sum(split, last) - high_sum(split, first))


def _orders(tops: _Tops, credits: Any) -> tuple[list[Any], Any]:
    """Values of orders of the first k, by the number of others above each relevant document.

    Returns
    -------
    tables : list of arrays of shape (n_splits, width - i)
        The values of the best order of relevant documents 1, ..., i, by the others above the last.
    heads : ndarray of shape (n_splits, width)
        The values of the best order of the first k, by the number of relevant documents; -inf where
        it is impossible.
    """
    scored, above = tops.scored, np.arange(tops.width)
    credits = np.where(above <= tops.k[:, None], credits, np.inf)
    sums = scored.low_sum(tops.splits[:, None], np.minimum(above, tops.n_others))
    sums = np.where(above <= tops.n_others, sums, -np.inf)
    best, tables = np.zeros(credits.shape), []
    heads = np.full(credits.shape, -np.inf)
    heads[:, 0] = 0
    for i in range(1, min(tops.width, int(tops.size.max(initial=0)) + 1)):
        score = scored.high[tops.start + np.minimum(i, tops.size) - 1][:, None]
        width = tops.width - i
        margins = (above[:width] * score - sums[:, :width]) * tops.unit
        tables.append(best[:, :width] - margins - credits[:, i:])
        best = np.maximum.accumulate(tables[-1], axis=1)
        heads[:, i] = np.where(i <= tops.size, best[:, -1], -np.inf)
    return tables, heads


def _trace(tops: _Tops, tables: list[Any], chosen: Indices, found: Indices) -> None:
    """Write the numbers of others above the ``chosen`` first relevant documents."""
    most = np.full(len(chosen), tops.width)
    for i, table in reversed(list(enumerate(tables))):
        inside = np.arange(table.shape[1]) <= most[:, None]
        above = np.where(inside, table, -np.inf).argmax(axis=1)
        some = i < chosen
        most = np.where(some, above, most)
        found[tops.start[some] + i] = above[some]


def _groups(k: Indices, cells: Indices) -> Iterator[Indices]:
    """Splits of about the same k, with about TABLE cells in all."""
    order = np.argsort(k, kind="stable")
    group = np.cumsum(cells[order]) // TABLE
    yield from np.split(order, np.flatnonzero(np.diff(group)) + 1)
