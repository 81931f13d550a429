"""The searches for the ranking of largest loss minus margin.

In the best ranking, the relevant documents are in order of score, and the irrelevant documents are
in order of score. The number of irrelevant documents above each relevant document determines the
best ranking.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.examples import Spans
from structsvm.problems.ranking.splits import FirstSums, Part, Scored, leading

#: ``rise(split, i, a)``: increase of the loss when, after a others, one more document that is not
#: relevant goes above the relevant documents from number i on, up to a term without i.
Rise = Callable[[Indices, Indices, Indices], Vector]


def best_places(scored: Scored, rise: Rise) -> Indices:
    """Find the place of each irrelevant document in the ranking of largest loss minus margin.

    The function requires that every further irrelevant document above a relevant document increases
    the loss at most as much as the previous one. The best ranking orders the irrelevant documents
    by score (Yue et al. 2007, Algorithm 1). The search begins with an irrelevant document of medium
    rank, whose place limits the possible places of the documents before and after it. The running
    time for m documents is O(m log m).

    Parameters
    ----------
    scored : Scored
    rise : callable
        A function of arrays. ``rise(split, i, a)`` is the increase of the loss in split number
        ``split`` if one more irrelevant document moves from the end of the ranking to the place
        just above relevant document ``i``. The argument ``a`` of ``rise`` is the number of
        irrelevant documents that are already above relevant document ``i``. ``rise`` may leave out
        terms of the increase that are the same for all ``i``. Relevant documents are counted from
        1. If the irrelevant document stays at the end of the ranking, ``i`` is 1 more than the
        number of relevant documents.

    Returns
    -------
    ndarray of int
        For each relevant document, the number of irrelevant documents above it.
    """
    relevant, others = scored.relevant, scored.others
    place = np.zeros(len(others.owner), dtype=np.intp)  # the first relevant document passed
    step = 1 << int(others.sizes.max(initial=0)).bit_length()
    while step := step // 2:
        some = np.flatnonzero(others.place % (2 * step) == step)
        split, number = others.owner[some], others.place[some]
        none = relevant.sizes[split] + 1
        before, after = number > step, number + step <= others.sizes[split]
        least = np.where(before, place[some - step * before], 1)
        most = np.where(after, place[some + step * after], none)
        choices = Spans(most - least + 1)
        one = choices.owner
        own, i = split[one], least[one] + np.arange(len(one)) - choices.starts[one]
        # Minus the margin, up to a term without i.
        scores = scored.high_sum(own, i - 1) - i * scored.low[some][one]
        gain = rise(own, i, number[one] - 1) + scores * scored.unit[own]
        place[some] = least + _first_largest(gain, choices)
    return up_to(place, others, relevant)


def up_to(place: Indices, of: Part, parts: Part) -> Indices:
    """For each document in ``parts``, count the documents in ``of`` that are placed above it.

    For each document in ``of``, ``place`` holds the rank in ``parts`` of the document just below
    it. Ranks are counted from 1 in each split.
    """
    inside = place <= parts.sizes[of.owner]
    entries = (parts.starts[of.owner] + place - 1)[inside]
    counts = np.cumsum(np.bincount(entries, minlength=len(parts.owner)))
    before = np.concatenate([[0], counts])[parts.starts]
    return np.asarray(counts - before[parts.owner])


def _first_largest(values: Vector, spans: Spans) -> Indices:
    """Return the index, from 0, of the first largest value in each span; no span is empty."""
    starts = spans.starts[:-1]
    largest = np.maximum.reduceat(values, starts)
    at = np.flatnonzero(values == largest[spans.owner])[::-1]
    first = np.empty(len(spans), dtype=np.intp)
    first[spans.owner[at]] = at - starts[spans.owner[at]]  # the last to be written is the first
    return first


# ---------------------------------------------------------------------- the first k documents

#: Largest number of table entries for a group of splits, unless a single split needs more.
TABLE = 4_000_000


def best_top(scored: Scored, k: Indices, credits: Any) -> Indices:
    """Find the best ranking if the loss depends on the order of the first k documents, in O(k^2).

    For each possible number of relevant documents among the first k documents, the search finds the
    best order of the first k documents, and ranks the other documents by score.

    Parameters
    ----------
    scored : Scored
    k : ndarray of shape (n_splits,), int
        The number of documents that count, from 1 to the number of documents.
    credits : ndarray of shape (n_splits, k.max() + 1)
        For each split ``s`` into relevant and irrelevant documents, ``credits[s, p]`` is the amount
        by which a relevant document of rank ``p`` decreases the loss. Entries for rank 0 and for
        ranks above k are not used.

    Returns
    -------
    ndarray of int
        For each relevant document, the number of irrelevant documents above it.
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
    """Find the best ranking if the loss depends only on which documents are the first k.

    ``credit[s]`` is the decrease of the loss for each relevant document of split s among the first
    k documents. All arguments except ``credit`` are as in :func:`best_top`.
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
    """Tables for choosing the number of relevant documents among the first k documents.

    Attributes
    ----------
    width : int
        One more than the largest k.
    entries : ndarray of shape (n,)
        The relevant documents of ``splits``, as indices in ``scored.relevant``.
    one, place : ndarray of shape (n,)
        The index in ``splits`` of each document's split, and the rank of the document in its split,
        from 0.
    """

    def __init__(self, scored: Scored, splits: Indices, k: Indices, by_score: Indices) -> None:
        self.scored, self.splits, self.k = scored, splits, k
        self.width = int(k.max(initial=0)) + 1
        self.start, self.size = scored.relevant.starts[splits], scored.relevant.sizes[splits]
        self.one = np.repeat(np.arange(len(splits)), self.size)
        self.entries = scored.relevant.rows_of(splits)
        self.place = self.entries - self.start[self.one]
        self.n_others = scored.others.sizes[splits][:, None]
        self._inside = np.minimum(np.arange(self.width), self.size[:, None])
        least = k[:, None] - np.arange(self.width)
        self._possible = (least >= 0) & (least <= self.n_others)
        self._least = np.clip(least, 0, self.n_others)
        self._column = np.broadcast_to(splits[:, None], least.shape)
        self.unit = scored.unit[splits][:, None]
        # The number of relevant documents with fewer others above them, by score, than the least
        # number.
        self._fewer = leading(-by_score, scored.relevant, self._column, 1 - self._least)
        alone = scored.low_sum(scored.relevant.owner, by_score) - by_score * scored.high
        self._sums = FirstSums(alone, scored.relevant)

    def others_at(self, chosen: Indices) -> Indices:
        """Return the number of irrelevant documents among the first k: k minus ``chosen``."""
        return (self.k - chosen)[self.one]

    @cached_property
    def below(self) -> Any:
        """The negated margins of the relevant documents below rank k.

        The entry for r relevant documents among the first k is -inf if r is larger than k, or if
        there are fewer than k - r irrelevant documents.
        """
        last = self.size[:, None]
        free = np.maximum(self._inside, self._fewer)
        margins = self._held(self._inside, free) + self._by_score(free, last)
        return np.where(self._possible, margins * self.unit, -np.inf)

    @cached_property
    def above(self) -> Any:
        """The negated margins of the relevant documents among the first k documents.

        The entry for r relevant documents among the first k is -inf if r is larger than k or than
        the number of all relevant documents.
        """
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
    """For each number of relevant documents among the first k, return the best order's value.

    Returns
    -------
    tables : list of arrays of shape (n_splits, width - i)
        ``tables[i - 1][s, a]`` is the value of the best order of the first i relevant documents of
        split s, if a irrelevant documents are above relevant document i.
    heads : ndarray of shape (n_splits, width)
        For each number of relevant documents among the first k documents, the value of the best
        order of the first k documents, or -inf if there is no such order.
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
    """For each relevant document in the first k, write the number of irrelevant ones above it."""
    most = np.full(len(chosen), tops.width)
    for i, table in reversed(list(enumerate(tables))):
        inside = np.arange(table.shape[1]) <= most[:, None]
        above = np.where(inside, table, -np.inf).argmax(axis=1)
        some = i < chosen
        most = np.where(some, above, most)
        found[tops.start[some] + i] = above[some]


def _groups(k: Indices, cells: Indices) -> Iterator[Indices]:
    """Yield the indices of splits in groups, to limit the memory of the tables of a group."""
    order = np.argsort(k, kind="stable")
    group = np.cumsum(cells[order]) // TABLE
    yield from np.split(order, np.flatnonzero(np.diff(group)) + 1)
