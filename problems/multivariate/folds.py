"""Cross-validation of the estimator of multivariate measures, whose rows are one example."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone

from structsvm.data.arrays import Indices
from structsvm.estimators.cross_validation import RTOL, dealt, ending
from structsvm.results.status import Status

#: Seeds the folds: the estimator has no ``random_state``.
SEED = 0


class RowFold:
    """A fold of rows: trains on some of them, and measures the others.

    Parameters
    ----------
    estimator : MultivariateSVM
    X : matrix of shape (n, n_features)
    labels : ndarray of bool, shape (n,)
    held_out : ndarray
        Places of the rows to measure.
    w_prior : estimator or array-like, optional
    end : float
        The time by which training must end.
    """

    def __init__(
        self, estimator: Any, X: Any, labels: Any, held_out: Indices, w_prior: Any, end: float
    ) -> None:
        others = np.delete(np.arange(len(labels)), held_out)
        self._rows, self._held_out = (X[others], labels[others]), (X[held_out], labels[held_out])
        self._w_prior, self._end = w_prior, end
        self._trained = clone(estimator).set_params(warm_start=True, callback=None, verbose=False)
        if isinstance(estimator.solver, str):
            self._trained.rtol = max(RTOL, estimator.rtol or 0.0)
        if isinstance(estimator.k, (int, np.integer)):  # among fewer rows likewise
            self._trained.k = estimator.k / len(labels)

    def __call__(self, C: float) -> float:
        with warnings.catch_warnings(), ending(self._trained, self._end):
            warnings.simplefilter("ignore")  # the last fit says what matters
            self._trained.set_params(C=C).fit(*self._rows, w_prior=self._w_prior)
        if self._trained.result_.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        return float(self._trained.score(*self._held_out))


def row_folds(estimator: Any, X: Any, labels: Any, w_prior: Any, end: float) -> list[RowFold]:
    """The folds of the rows; a ValueError unless both labels are in each of them."""
    parts = dealt(len(labels), labels, SEED)
    for part in parts:
        if len(np.unique(labels[part])) < 2:
            raise ValueError(
                f"C='cv' holds out a part of the rows at a time, {len(parts)} parts with both "
                f"labels; {min(labels.sum(), (~labels).sum())} of {len(labels)} rows have one of "
                "them: give more, or set C='auto' or to a number"
            )
    return [RowFold(estimator, X, labels, part, w_prior, end) for part in parts]
