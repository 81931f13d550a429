"""Early stopping as parameters of an estimator, which divides the examples that it is given."""

from __future__ import annotations

from textwrap import shorten
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from structsvm.data.arrays import Indices
from structsvm.data.containers import n_examples, require_pairs, take
from structsvm.data.validation import (
    checked_random_state,
    checked_sample_weight,
    require_flag,
    require_fraction,
)
from structsvm.results.result import Result
from structsvm.solvers.shared.early_stopping import EarlyStopping

#: Length of the reason that a message gives.
REASON = 300


class HoldsOut:
    """Base class of the estimators that can stop early.

    Attributes
    ----------
    validation_indices_ : ndarray of shape (m,) or None
        The examples held out of X and Y, rising; None where there are none.
    """

    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    random_state: Any
    result_: Result
    validation_indices_: Indices | None

    @property
    def validation_scores_(self) -> list[float]:
        """The scores of the held-out examples, one after the other; empty without early stopping.

        ``result_.history`` says which passes they belong to.
        """
        scores = (iteration.validation_score for iteration in self.result_.history)
        return [score for score in scores if score is not None]

    def _divided(
        self,
        X: Any,
        Y: Any,
        X_val: Any,
        Y_val: Any,
        sample_weight: Any = None,
        labels: Any = None,
    ) -> tuple[Any, Any, Any, EarlyStopping | None]:
        """X, Y and their weights to train on, and the rule of early stopping, if any.

        ``labels`` are those of which both parts get the same proportions.
        """
        require_flag("early_stopping", self.early_stopping)
        self.validation_indices_ = None
        if not self.early_stopping:
            if X_val is not None or Y_val is not None:
                raise ValueError("held-out examples are given; set early_stopping=True to use them")
            return X, Y, sample_weight, None
        if (X_val is None) != (Y_val is None):
            raise ValueError(
                "X_val and Y_val, held-out inputs and their outputs, must be given both, or neither"
            )
        if X_val is not None:
            require_pairs(X_val, Y_val, "held-out ")
            return X, Y, sample_weight, EarlyStopping(X_val, Y_val, self.n_iter_no_change)
        if Y is None:
            raise ValueError(
                "early_stopping=True compares predictions with Y, which is None; give examples "
                "with known outputs as X_val and Y_val, or set early_stopping=False"
            )
        n = require_pairs(X, Y)
        weights, held_out = checked_sample_weight(sample_weight, n), self._drawn(n, labels)
        x, y, weight = (take(data, held_out) for data in (X, Y, weights))
        self.validation_indices_ = held_out
        rule = EarlyStopping(x, y, self.n_iter_no_change, weight)
        return *self._trained_on(X, Y, weights), rule

    def _drawn(self, n: int, labels: Any) -> Indices:
        """The examples to hold out of n, drawn at random."""
        require_fraction("validation_fraction", self.validation_fraction)
        generator = checked_random_state(self.random_state)
        try:
            _, held_out = train_test_split(
                np.arange(n),
                test_size=self.validation_fraction,
                random_state=generator,
                stratify=labels,
            )
        except ValueError as error:
            reason = shorten(str(error), REASON, placeholder=" ...")  # it may list all classes
            raise ValueError(
                f"of {n} examples a fraction of {self.validation_fraction:g} cannot be held out "
                f"for early stopping: {reason}\nGive more examples, or some to hold out as X_val "
                "and Y_val, or set early_stopping=False"
            ) from error
        return np.sort(held_out)

    def _trained_on(self, X: Any, Y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
        """The examples that were not held out, and their weights."""
        if self.validation_indices_ is None:
            return X, Y, sample_weight
        weights = checked_sample_weight(sample_weight, n_examples(X))
        rest = np.delete(np.arange(n_examples(X)), self.validation_indices_)
        return take(X, rest), take(Y, rest), take(weights, rest)
