"""The listed pairs of each item, as dicts: plain numbers are faster than arrays of a few."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from structsvm.data.arrays import Indices
from structsvm.problems.set_clustering.similarities import PairSimilarity
from structsvm.problems.set_clustering.ties import OF_SUMS


class Neighbours(NamedTuple):
    """Similarities by item, and what the search needs to know of their size.

    Attributes
    ----------
    similar : list of m dicts
        The similarity of each item to every other item that it is listed with.
    own : list of m floats
        The diagonal.
    elsewhere : float
        The similarity of a pair that is not listed. Where these are impossible it is lower than all
        listed ones can make up for.
    impossible : bool
    margin : float
        Differences that count as rounding.
    """

    similar: list[dict[int, float]]
    own: list[float]
    elsewhere: float
    impossible: bool
    margin: float

    @classmethod
    def of(cls, K: PairSimilarity) -> Neighbours:
        listed = K.listed
        columns, values = listed.indices.tolist(), listed.data.tolist()
        similar, own = [], []
        for i, (start, stop) in enumerate(pairwise(listed.indptr.tolist())):
            row = dict(zip(columns[start:stop], values[start:stop], strict=True))
            own.append(row.pop(i, 0.0))
            similar.append(row)
        rows = np.repeat(np.arange(len(K)), np.diff(listed.indptr))
        sizes = np.bincount(rows, np.abs(listed.data), minlength=len(K))
        impossible = K.elsewhere == -np.inf
        elsewhere = -(1.0 + float(sizes.sum())) if impossible else K.elsewhere
        largest = float(sizes.max()) - (0.0 if impossible else elsewhere)
        return cls(similar, own, elsewhere, impossible, OF_SUMS * largest)

    def rank(self, gain: float) -> float:
        """A key by which larger gains come first, and gains equal up to the margin tie."""
        return -round(gain / self.margin) if self.margin else -gain


def half_alone(labels: Indices, rng: np.random.Generator) -> Indices:
    """Labels from which about half of the items are taken out, each into a new cluster."""
    alone = rng.random(len(labels)) < 0.5
    return np.where(alone, len(labels) + np.arange(len(labels)), labels)
