"""Measures of rankings, and the search for the ranking that violates the margin most."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.examples import Spans
from structsvm.data.validation import require_integer, require_option
from structsvm.problems.ranking.search import best_places, best_set, best_top
from structsvm.problems.ranking.splits import Scored, Splits, leading

MeasureName = Literal["roc_area", "ndcg", "average_precision", "precision_at_k"]
Gains = Literal["exponential", "linear"]

#: The largest grade for exponential gains, and the largest gain: sums then do not overflow.
MOST_GRADE, MOST_GAIN = 31, 1e100


class Places(NamedTuple):
    """The positions of relevant documents in a ranking.

    Attributes
    ----------
    relevant, others : ndarray or int
        The numbers of relevant and of irrelevant documents above each relevant document.
    tied, tied_others : ndarray or int
        For each relevant document, the numbers of relevant and of irrelevant documents with the
        same score. The relevant document itself counts, so ``tied`` is at least 1.
    """

    relevant: Any
    others: Any
    tied: Any = 1
    tied_others: Any = 0


class RankingMeasure(ABC):
    """A measure of rankings, 1 for a ranking by relevance; the loss is 1 - the measure.

    The documents of a query are split into relevant and irrelevant documents: in one way if the
    documents have two grades, and in several ways if they have more grades. The loss of a split
    into relevant and irrelevant documents is 1 minus the sum of the :meth:`credits` of the relevant
    documents. If the documents of a query are split in several ways, the loss of the query is a
    weighted sum of the losses of the splits. All methods handle many queries at once.

    Parameters
    ----------
    k : int or None
        The measure counts only the first k documents; all of them if None.
    """

    #: The grades that the measure takes, in words.
    grades = (
        "1 for relevant documents and 0 for others, because average precision and precision at k "
        "do not tell grades apart"
    )
    #: The remedy for other grades; it may name the lowest one.
    remedy = ": pass (y > {:g}).astype(int), or measure='roc_area' or 'ndcg', which do"

    def __init__(self, k: int | None = None) -> None:
        self.k = k

    def takes(self, grades: Vector) -> Any:
        """Return a mask of the numbers that the measure accepts as grades; by default 0 and 1."""
        return (grades == 0) | (grades == 1)

    def splits(self, relevance: Vector, layout: Spans) -> Splits:
        """Split documents into relevant and irrelevant, by default at each grade but the lowest."""
        return Splits.by_threshold(relevance, layout)

    def weights(self, splits: Splits) -> Vector:
        """Return the weight of the loss of each split into relevant and irrelevant documents."""
        return np.ones(len(splits))

    @abstractmethod
    def credits(self, splits: Splits, places: Places) -> Vector:
        """Return the contribution of each relevant document to the measure, averaged over ties."""

    @abstractmethod
    def search(self, scored: Scored) -> Indices:
        """Find the most violated ranking; count irrelevant documents above each relevant one."""

    def losses(self, splits: Splits, above: Indices) -> Vector:
        """Return 1 minus the measure for each split of documents into relevant and irrelevant."""
        places = Places(splits.relevant.place - 1, above)
        return np.asarray(np.maximum(1 - splits.relevant.sums(self.credits(splits, places)), 0))

    def values(self, relevance: Vector, sizes: Indices, scores: Vector) -> Vector:
        """Return the measure of every query if its documents are ranked by their scores.

        The measure is averaged over all orders of documents with the same score, and is 0 if there
        is no relevant document.
        """
        _, found = self._of_splits(relevance, sizes, scores)
        some = np.maximum.reduceat(relevance, np.cumsum(sizes) - sizes) > 0
        return np.where(some, found, 0.0)

    def _of_splits(self, relevance: Vector, sizes: Indices, scores: Vector) -> tuple[Splits, Any]:
        """Split the documents; return the splits and the measure of every query.

        If all documents of a query have the same grade, the measure of the query is 1.
        """
        splits = self.splits(relevance, Spans(sizes))
        credits = splits.relevant.sums(self.credits(splits, _places(Scored(splits, scores))))
        loss = self.weights(splits) * (1 - credits)
        return splits, 1 - np.bincount(splits.query, loss, len(sizes))


class AveragePrecision(RankingMeasure):
    """The mean, over the relevant documents, of the precision at the document's rank."""

    def credits(self, splits: Splits, places: Places) -> Vector:
        above, n = places.relevant + places.others, places.tied + places.tied_others
        # A document is at one of n ranks, and the n - 1 documents at the others are relevant with
        # probability p.
        p = (places.tied - 1) / np.maximum(n - 1, 1)
        harmonic = _harmonic(splits.longest)
        mean = (harmonic[above + n] - harmonic[above]) / n
        precision = (places.relevant + 1) * mean + p * (1 - (above + 1) * mean)
        return np.asarray(precision / splits.relevant.sizes[splits.relevant.owner])

    def search(self, scored: Scored) -> Indices:
        n, harmonic = scored.relevant.sizes, _harmonic(scored.splits.longest)

        def rise(split: Indices, i: Indices, a: Indices) -> Vector:
            # The sum of j / (j + a) - j / (j + a + 1) over j = i, ..., n, up to terms without i.
            return np.asarray(-(harmonic[i + a] + a / (i + a)) / n[split])

        return best_places(scored, rise)


class RocArea(RankingMeasure):
    """The fraction of the pairs of documents of different grades that are in the right order."""

    grades, remedy = "finite numbers", ""

    def takes(self, grades: Vector) -> Any:
        return np.isfinite(grades)

    def splits(self, relevance: Vector, layout: Spans) -> Splits:
        return Splits.by_pairs(relevance, layout)

    def weights(self, splits: Splits) -> Vector:
        total = np.bincount(splits.query, splits.n_pairs)
        return splits.n_pairs / total[splits.query]

    def credits(self, splits: Splits, places: Places) -> Vector:
        split = splits.relevant.owner
        n_others = splits.others.sizes[split]
        above = places.others + places.tied_others / 2
        return np.asarray((n_others - above) / (n_others * splits.relevant.sizes[split]))

    def search(self, scored: Scored) -> Indices:
        return scored.swapped(margin=1.0)

    def values(self, relevance: Vector, sizes: Indices, scores: Vector) -> Vector:
        """Return the measure of every query, or NaN for queries without pairs."""
        splits, found = self._of_splits(relevance, sizes, scores)
        return np.where(np.isin(np.arange(len(sizes)), splits.query), found, np.nan)


class _Discounted(RankingMeasure):
    """A sum of discounts of the ranks of relevant documents, divided by its largest value."""

    @abstractmethod
    def discounts(self, positions: Indices) -> Vector:
        """Return the discounts of positions, which are counted from 1."""

    def credits(self, splits: Splits, places: Places) -> Vector:
        k, ideal = self._k(splits), self._ideal(splits)
        split = splits.relevant.owner
        above, n = places.relevant + places.others, places.tied + places.tied_others
        sums, most = self._sums(splits.longest), k[split]
        inside = sums[np.minimum(above + n, most)] - sums[np.minimum(above, most)]
        return np.asarray(inside / n / ideal[split])

    def _k(self, splits: Splits) -> Indices:
        """Return, for each split, how many of the first documents the measure counts."""
        sizes = splits.relevant.sizes + splits.others.sizes
        return sizes if self.k is None else np.minimum(self.k, sizes)

    def _sums(self, m: int) -> Vector:
        """Return the sums of the discounts of the first 0, 1, ..., m positions."""
        return np.concatenate([[0], np.cumsum(self.discounts(np.arange(1, m + 1)))])

    def _ideal(self, splits: Splits) -> Vector:
        """Return the sums of the discounts of rankings with all relevant documents first."""
        return self._sums(splits.longest)[np.minimum(self._k(splits), splits.relevant.sizes)]


class PrecisionAtK(_Discounted):
    """The precision of the first k documents; by default k is the number of relevant documents.

    The loss is relative to the largest precision that is possible.
    """

    def discounts(self, positions: Indices) -> Vector:
        return np.ones(len(positions))

    def search(self, scored: Scored) -> Indices:
        splits = scored.splits
        return best_set(scored, self._k(splits), 1 / self._ideal(splits))

    def values(self, relevance: Vector, sizes: Indices, scores: Vector) -> Vector:
        found = super().values(relevance, sizes, scores)
        if self.k is None:
            return found
        relevant = np.add.reduceat(relevance > 0, np.cumsum(sizes) - sizes, dtype=np.intp)
        return found * np.minimum(relevant, self.k) / self.k

    def _k(self, splits: Splits) -> Indices:
        return splits.relevant.sizes if self.k is None else super()._k(splits)


class NDCG(_Discounted):
    """The discounted cumulative gain of the first k documents, divided by its largest value.

    A document of grade g at position p adds its gain, 2^g - 1 or g, divided by log2(p + 1).
    """

    def __init__(self, k: int | None = None, gains: Gains = "exponential") -> None:
        super().__init__(k)
        self.linear = gains == "linear"
        self.grades = (
            "gains, from 0 to 1e100" if self.linear else "grades, whole numbers from 0 to 31"
        )
        other = "" if self.linear else ", and gains='linear' any that are not negative"
        self.remedy = f": measure='roc_area' takes all numbers{other}"

    def takes(self, grades: Vector) -> Any:
        if self.linear:
            return (grades >= 0) & (grades <= MOST_GAIN)
        return (grades >= 0) & (grades <= MOST_GRADE) & (grades == np.floor(grades))

    def weights(self, splits: Splits) -> Vector:
        # The gain of a grade is the sum of the increments up to it.
        gains = splits.relevance if self.linear else 2.0**splits.relevance - 1
        query, relevant, others = splits.query, splits.relevant, splits.others
        above = np.minimum.reduceat(gains[relevant.documents], relevant.starts[:-1])
        below = np.maximum.reduceat(gains[others.documents], others.starts[:-1])
        terms = (above - below) * self._ideal(splits)
        lowest = np.minimum.reduceat(gains, splits.layout.starts[:-1])[query]
        total = np.bincount(query, terms)[query]
        return terms / (total + lowest * self._sums(splits.longest)[self._k(splits)])

    def search(self, scored: Scored) -> Indices:
        splits = scored.splits
        discounts = np.concatenate([[0], self.discounts(np.arange(1, splits.longest + 1))])
        ideal = self._ideal(splits)
        if self.k is not None and self.k < splits.longest:
            return best_top(scored, self._k(splits), discounts[: self.k + 1] / ideal[:, None])

        def rise(split: Indices, i: Indices, a: Indices) -> Vector:
            return np.asarray(discounts[i + a] / ideal[split])

        return best_places(scored, rise)

    def discounts(self, positions: Indices) -> Vector:
        return 1 / np.log2(positions + 1)


MEASURES: dict[MeasureName, type[RankingMeasure]] = {
    "roc_area": RocArea,
    "ndcg": NDCG,
    "average_precision": AveragePrecision,
    "precision_at_k": PrecisionAtK,
}


def ranking_measure(name: Any, k: Any = None, gains: Any = "exponential") -> RankingMeasure:
    """Return the measure; raise a ValueError for an unknown name or an unused parameter."""
    require_option("measure", name, MEASURES)
    require_option("gains", gains, get_args(Gains))
    if gains != "exponential" and name != "ndcg":
        raise ValueError(f"gains={gains!r} has no meaning for measure={name!r}, only for ndcg")
    if k is not None:
        require_integer("k, if not None,", k, least=1)
        if not issubclass(MEASURES[name], _Discounted):
            raise ValueError(
                f"k={k!r} has no meaning for measure={name!r}; leave it None, or use ndcg or "
                "precision_at_k"
            )
    return NDCG(k, gains) if name == "ndcg" else MEASURES[name](k)


def _harmonic(m: int) -> Vector:
    """Return the harmonic numbers 0, 1, ..., m."""
    return np.concatenate([[0], np.cumsum(1 / np.arange(1, m + 1))])


def _places(scored: Scored) -> Places:
    """Return the positions of the relevant documents if all documents are ranked by score."""
    relevant, others, split = scored.relevant, scored.others, scored.relevant.owner
    above = np.nextafter(scored.high, np.inf)
    n_relevant = leading(scored.high, relevant, split, above)
    n_others = leading(scored.low, others, split, above)
    tied = leading(scored.high, relevant, split, scored.high) - n_relevant
    tied_others = leading(scored.low, others, split, scored.high) - n_others
    return Places(n_relevant, n_others, tied, tied_others)
