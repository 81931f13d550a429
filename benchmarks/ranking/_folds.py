"""MQ2008 in its five folds, and the measures of its documentation."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from structsvm.datasets import load_file
from structsvm.problems.ranking.measures import ranking_measure

FOLDS = range(5)


class Documents(NamedTuple):
    """The documents of some queries, query after query: features, grades, and numbers of queries.

    Attributes
    ----------
    X : ndarray of shape (n_rows, 46)
    y, qid : ndarray of shape (n_rows,)
    """

    X: Any
    y: Any
    qid: Any

    @property
    def sizes(self) -> Any:
        """The number of documents of each query."""
        return np.diff(np.flatnonzero(np.diff(self.qid, prepend=-1, append=-1)))


class Fold(NamedTuple):
    """Three parts of the data to train, one to choose parameters, and one to test."""

    train: Documents
    validation: Documents
    test: Documents


@cache
def fold(number: int) -> Fold:
    """The fold that begins with this part of the data, from 0."""
    data = load_file("mq2008")

    def of(*places: int) -> Documents:
        rows = np.isin(data["part"], [(number + place) % 5 + 1 for place in places])
        return Documents(
            data["X"][rows], data["y"][rows].astype(int), data["qid"][rows].astype(int)
        )

    return Fold(of(0, 1, 2), of(3), of(4))


def precisions(documents: Documents, scores: Any) -> Any:
    """The average precision of every query; means over orders of documents that tie."""
    measure, given = ranking_measure("average_precision"), np.asarray(scores, dtype=np.float64)
    return measure.values(documents.y > 0, documents.sizes, given)
