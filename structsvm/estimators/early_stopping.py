"""Early stopping as parameters of an estimator, which holds out some of its examples."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from textwrap import shorten
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from structsvm.data.arrays import Indices
from structsvm.data.containers import require_examples
from structsvm.data.validation import checked_random_state, require_flag, require_number
from structsvm.estimators.encoded import Encoded
from structsvm.estimators.parameters import ExampleParameters
from structsvm.results.result import Result
from structsvm.solvers.shared.early_stopping import EarlyStopping

#: Largest length of the reason in a message.
REASON = 300


@contextmanager
def about_held_out() -> Iterator[None]:
    """Say in errors that their X and y are X_val and y_val."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"in X_val and y_val: {error}") from error


class HoldsOut(ExampleParameters):
    """Base class of the estimators that can stop early.

    Attributes
    ----------
    validation_indices_ : ndarray of shape (m,) or None
        The positions of the examples that early stopping held out of X, in rising order; None if
        it held out none.
    validation_scores_ : list of float
        Their score at each pass that evaluated it; empty without early stopping.
    """

    result_: Result
    validation_indices_: Indices | None
    #: Whether the held-out examples have the same proportions of outputs as all examples.
    stratified = False

    @property
    def validation_scores_(self) -> list[float]:
        """The scores of the held-out examples, in order; empty without early stopping.

        Each is 1 - mean loss of the predictions at a pass, as :class:`structsvm.EarlyStopping` and
        :meth:`structsvm.StructuredSVM.score` define it. ``score`` of another estimator may measure
        something else: for :class:`structsvm.problems.ChainSVM` it is the fraction of right labels,
        and the loss the number of wrong ones in a sequence, so that the scores here may be below 0.
        ``result_.history`` says which passes they belong to.
        """
        scores = (iteration.validation_score for iteration in self.result_.history)
        return [score for score in scores if score is not None]

    def _require_held_out(self, X_val: Any, y_val: Any) -> None:
        """Raise a ValueError unless early stopping can use the examples given to hold out."""
        require_flag("early_stopping", self.early_stopping)
        if X_val is None and y_val is None:
            return
        if not self.early_stopping:
            raise ValueError("held-out examples are given; set early_stopping=True to use them")
        if X_val is None or y_val is None:
            raise ValueError(
                "X_val and y_val, held-out inputs and their outputs, must be given both, or neither"
            )

    def _divided(self, data: Encoded, held_out: Encoded | None) -> tuple[Encoded, EarlyStopping]:
        """The examples to train on, and the rule of early stopping.

        ``held_out`` are examples that the user holds out.
        """
        if held_out is not None:
            require_examples(held_out.X, "X_val", y_val=held_out.Y)
            return data, EarlyStopping(held_out.X, held_out.Y, self.n_iter_no_change)
        if data.Y is None:
            raise ValueError(
                "early_stopping=True compares predictions with y, which is None; give examples "
                "with known outputs as X_val and y_val, or set early_stopping=False"
            )
        n = require_examples(data.X, y=data.Y)
        self.validation_indices_ = self._drawn(n, data.Y if self.stratified else None)
        X, Y, weights, _ = data.part(self.validation_indices_)
        return self._trained_on(data), EarlyStopping(X, Y, self.n_iter_no_change, weights)

    def _drawn(self, n: int, labels: Any) -> Indices:
        """The examples to hold out of n, drawn at random, if asked in each label's proportion."""
        require_number("validation_fraction", self.validation_fraction, "> 0 and < 1")
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
                "and y_val, or set early_stopping=False"
            ) from error
        return np.sort(held_out)

    def _trained_on(self, data: Encoded) -> Encoded:
        """The examples that were not held out."""
        if self.validation_indices_ is None:
            return data
        return data.part(np.delete(np.arange(len(data.weights)), self.validation_indices_))
