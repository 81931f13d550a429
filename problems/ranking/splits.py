"""Documents split by grade into relevant and irrelevant documents, which are sorted by score."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Mask, Vector
from structsvm.data.examples import Spans

#: Least scale of scores; if scores are smaller, only the loss decides.
TINY = 1e-200


class Part(Spans):
    """The relevant documents of all splits, or the irrelevant ones, stored split after split.

    Parameters
    ----------
    documents : ndarray of shape (n,), int
        The indices of the documents.
    sizes : ndarray of shape (n_splits,), int
    """

    def __init__(self, documents: Indices, sizes: Indices) -> None:
        super().__init__(sizes)
        self.documents = documents

    @cached_property
    def place(self) -> Indices:
        """The rank of every document in its split, from 1."""
        return np.arange(1, len(self.owner) + 1) - self.starts[self.owner]

    def by_score(self, scores: Vector) -> tuple[Part, Vector]:
        """Sort the documents of each split by decreasing score; also return the sorted scores."""
        own = scores[self.documents]
        order = np.lexsort((-own, self.owner))
        return Part(self.documents[order], self.sizes), own[order]


class Splits:
    """Divisions of the documents of queries into relevant and irrelevant documents.

    Parameters
    ----------
    relevance : ndarray of shape (n_rows,)
        The grade of every document, query after query.
    layout : Spans
        The documents of each query.
    query : ndarray of shape (n_splits,), int
        The query of every split.
    documents : ndarray of shape (n,), int
        The indices of the documents in each split, one split after the other.
    split : ndarray of shape (n,), int
        For each entry of ``documents``, the index of the division to which it belongs. The indices
        are ascending.
    is_relevant : ndarray of shape (n,), bool
        Whether the document is relevant. Every split has relevant and irrelevant documents.

    Attributes
    ----------
    relevant, others : Part
    n_pairs : ndarray of shape (n_splits,), int
        The number of pairs of a relevant and an irrelevant document in every split.
    longest : int
        The largest number of documents in a split.
    """

    def __init__(
        self,
        relevance: Vector,
        layout: Spans,
        query: Indices,
        documents: Indices,
        split: Indices,
        is_relevant: Mask,
    ) -> None:
        self.relevance, self.layout, self.query = relevance, layout, query
        self.relevant, self.others = (
            Part(documents[part], np.bincount(split[part], minlength=len(query)))
            for part in (is_relevant, ~is_relevant)
        )
        self.n_pairs = self.relevant.sizes * self.others.sizes
        self.longest = int((self.relevant.sizes + self.others.sizes).max(initial=0))

    @classmethod
    def by_threshold(cls, relevance: Vector, layout: Spans) -> Splits:
        """Make a split for each grade except the lowest.

        In the split for a grade, documents of at least the grade are relevant.
        """
        number = _numbered(relevance, layout.owner)
        n_splits = np.zeros(len(layout), dtype=np.intp)
        np.maximum.at(n_splits, layout.owner, number)
        query = np.repeat(np.arange(len(layout)), n_splits)
        documents, entries = layout.rows_of(query), Spans(layout.sizes[query])
        least = np.arange(1, len(query) + 1) - Spans(n_splits).starts[query]
        is_relevant = number[documents] >= least[entries.owner]
        return cls(relevance, layout, query, documents, entries.owner, is_relevant)

    @classmethod
    def by_pairs(cls, relevance: Vector, layout: Spans) -> Splits:
        """Make splits that separate any two documents of different grades exactly once.

        Number the grades of a query from 0, and write the numbers in binary. Each split separates
        documents by one binary digit. The documents of a split have grades with the same higher
        digits. Documents with the digit 1 are relevant, and documents with the digit 0 are
        irrelevant. With G grades a document is in at most log2 G + 1 splits.
        """
        owner = layout.owner
        number = _numbered(relevance, owner)
        most = int(number.max(initial=0))
        digit = np.arange(most.bit_length())[:, None]
        key = (digit * len(layout) + owner) * (most + 1) + (number >> digit + 1)
        is_relevant = (number >> digit & 1).astype(bool).ravel()
        split = np.unique(key.ravel(), return_inverse=True)[1].ravel()
        mixed = (np.bincount(split, is_relevant) > 0) & (np.bincount(split, ~is_relevant) > 0)
        entries = np.flatnonzero(mixed[split])
        entries = entries[np.argsort(split[entries], kind="stable")]
        _, first, split = np.unique(split[entries], return_index=True, return_inverse=True)
        documents = entries % max(1, len(owner))
        query = owner[documents[first]]
        return cls(relevance, layout, query, documents, split, is_relevant[entries])

    def __len__(self) -> int:
        return len(self.query)


def _numbered(relevance: Vector, owner: Indices) -> Indices:
    """Number the grades of each query from 0; return the number for each document."""
    values, code = np.unique(relevance, return_inverse=True)
    of_queries, code = np.unique(owner * len(values) + code, return_inverse=True)
    return np.asarray(code - np.searchsorted(of_queries, owner * len(values)))


class Scored:
    """Relevant and irrelevant documents, each sorted from the highest score to the lowest.

    The scores of each query are shifted and scaled to mean 0 and largest absolute value 1.

    Parameters
    ----------
    splits : Splits
    scores : ndarray of shape (n_rows,)
        The scores of all documents.

    Attributes
    ----------
    relevant, others : Part
        The relevant and the irrelevant documents of ``splits``, sorted by score within each split.
    high, low : ndarray
        The scores of ``relevant`` and of ``others``.
    scale : ndarray of shape (n_splits,)
        The largest absolute score, which is scaled to 1.
    unit : ndarray of shape (n_splits,)
        The factor that converts sums of scaled scores to margins: ``scale`` divided by the number
        of pairs of a relevant and an irrelevant document.
    """

    def __init__(self, splits: Splits, scores: Vector) -> None:
        self.splits, layout = splits, splits.layout
        centred = scores - (layout.sums(scores) / layout.sizes)[layout.owner]
        scale = np.full(len(layout), TINY)
        np.maximum.at(scale, layout.owner, np.abs(centred))
        centred = centred / scale[layout.owner]
        self.relevant, self.high = splits.relevant.by_score(centred)
        self.others, self.low = splits.others.by_score(centred)
        self.scale = scale[splits.query]
        self.unit = self.scale / splits.n_pairs

    @cached_property
    def high_sum(self) -> FirstSums:
        """The prefix sums of the relevant documents' scores, from the highest score on."""
        return FirstSums(self.high, self.relevant)

    @cached_property
    def low_sum(self) -> FirstSums:
        """The prefix sums of the irrelevant documents' scores, from the highest score on."""
        return FirstSums(self.low, self.others)

    def swapped(self, margin: float = 0.0) -> Indices:
        """For each relevant document, count the irrelevant documents that violate the margin.

        An irrelevant document violates the margin if its score is at least the score of the
        relevant document minus ``margin``. If ``margin`` is 0 and scores tie, the irrelevant
        document counts as ranked above the relevant document.
        """
        shift = (margin / self.scale)[self.relevant.owner]
        return leading(self.low, self.others, self.relevant.owner, self.high - shift)


def leading(
    values: Vector | Indices, parts: Spans, split: Indices, least: Vector | Indices
) -> Indices:
    """Count, by bisection, the values of a split that are >= ``least``; the values decrease."""
    start, low, high = parts.starts[split], np.zeros_like(split), parts.sizes[split]
    for _ in range(int(parts.sizes.max(initial=0)).bit_length()):
        middle = (low + high) // 2
        inside = low < high
        # Where the search has ended, the index may lie beyond the last value.
        more = inside & (values[np.where(inside, start + middle, 0)] >= least)
        low, high = np.where(more, middle + 1, low), np.where(more, high, middle)
    return low


class FirstSums:
    """Prefix sums: ``sums(split, count)`` adds the first ``count`` values of each split.

    The running sum restarts at 0 in each span of ``parts``. A single running sum would carry the
    rounding errors of earlier spans into later spans.
    """

    def __init__(self, values: Vector, parts: Spans) -> None:
        self._starts = parts.starts[:-1] + np.arange(len(parts))
        steps = np.empty(len(values) + len(parts))
        steps[self._starts[1:]] = -parts.sums(values)[:-1]
        steps[self._starts[:1]] = 0
        steps[np.arange(1, len(values) + 1) + parts.owner] = values
        self._sums = np.cumsum(steps)

    def __call__(self, split: Indices, count: Indices) -> Any:
        start = self._starts[split]
        return self._sums[start + count] - self._sums[start]
