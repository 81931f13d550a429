"""The two parts of splits, sorted by score."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.ranking.splits import SplitRows, Splits

#: Least scale of scores; where they are smaller the loss alone decides.
TINY = 1e-200


class Scored:
    """Splits with scores, both parts sorted from the highest score to the lowest.

    Scores are relative to each query: their mean is 0, and the largest is 1 in size.

    Parameters
    ----------
    splits : Splits
    scores : ndarray of shape (n_rows,)
        The scores of all documents.
    sizes : ndarray of shape (n_queries,), int

    Attributes
    ----------
    relevant, others : SplitRows
        The rows of both parts, sorted.
    high, low : ndarray
        The scores of ``relevant`` and of ``others``.
    scale : ndarray of shape (n_splits,)
        The score that became 1.
    unit : ndarray of shape (n_splits,)
        What a pair in the wrong order, with a difference of 1, takes from the mean over all pairs.
    """

    def __init__(self, splits: Splits, scores: Vector, sizes: Indices) -> None:
        self.splits = splits
        query = np.repeat(np.arange(len(sizes)), sizes)
        centred = scores - (np.bincount(query, scores, len(sizes)) / sizes)[query]
        scale = np.full(len(sizes), TINY)
        np.maximum.at(scale, query, np.abs(centred))
        centred = centred / scale[query]
        self.relevant, self.high = _sorted(splits.relevant, centred)
        self.others, self.low = _sorted(splits.others, centred)
        self.scale = scale[splits.query]
        self.unit = self.scale / splits.n_pairs

    @cached_property
    def high_sum(self) -> FirstSums:
        """The sums of the highest scores of relevant documents."""
        return FirstSums(self.high, self.relevant)

    @cached_property
    def low_sum(self) -> FirstSums:
        """The sums of the highest scores of others."""
        return FirstSums(self.low, self.others)

    def swapped(self, margin: float = 0.0) -> Indices:
        """For each relevant document the number of others whose score is not below it by a margin.

        Others of the same score count as above it, so that ties are never to its advantage.
        """
        shift = (margin / self.scale)[self.relevant.split]
        return leading(self.low, self.others, self.relevant.split, self.high - shift)


def leading(
    values: Vector | Indices, segments: SplitRows, split: Indices, least: Vector | Indices
) -> Indices:
    """The number of a split's values, which fall, that are at least ``least``, by bisection."""
    start, low, high = segments.starts[split], np.zeros_like(split), segments.sizes[split]
    for _ in range(int(segments.sizes.max(initial=0)).bit_length()):
        middle = (low + high) // 2
        inside = low < high
        # Where the search has ended, the place may lie beyond the last value.
        more = inside & (values[np.where(inside, start + middle, 0)] >= least)
        low, high = np.where(more, middle + 1, low), np.where(more, high, middle)
    return low


class FirstSums:
    """The sums of the first values of splits: ``sums(split, count)``, for arrays of both.

    They are differences of running sums that restart at 0 in each split: sums across splits would
    bring in rounding errors of the size of the other splits.
    """

    def __init__(self, values: Vector, segments: SplitRows) -> None:
        n_splits = len(segments.sizes)
        self._starts = segments.starts + np.arange(n_splits)
        steps = np.empty(len(values) + n_splits)
        steps[self._starts[1:]] = -segments.sums(values)[:-1]
        steps[self._starts[:1]] = 0
        steps[np.arange(1, len(values) + 1) + segments.split] = values
        self._sums = np.cumsum(steps)

    def __call__(self, split: Indices, count: Indices) -> Any:
        start = self._starts[split]
        return self._sums[start + count] - self._sums[start]


def _sorted(part: SplitRows, scores: Vector) -> tuple[SplitRows, Vector]:
    own = scores[part.rows]
    order = np.lexsort((-own, part.split))
    return SplitRows(part.rows[order], part.sizes), own[order]
