"""Early stopping: the passes of a solver end where the score of held-out examples rises no more."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from structsvm.contract.problem import Problem
from structsvm.data.arrays import Vector
from structsvm.data.containers import require_examples
from structsvm.data.names import brief
from structsvm.data.validation import checked_sample_weight, require_integer
from structsvm.exceptions import ProblemError
from structsvm.oracle.examples import Examples
from structsvm.oracle.workers import Workers
from structsvm.results.status import Iteration

#: Oracle calls between two scores, for each example held out: so scores take little of the time.
SPACING = 10
#: Scores in a row that are no higher, by default.
PATIENCE = 10


class EarlyStopping(NamedTuple):
    """Examples held out of training, and for how long their score may stand still.

    The score is :meth:`structsvm.StructuredSVM.score`: 1 - the mean loss of the predictions. It is
    taken at the point of a pass if the objective is lower than before, or unknown, and the oracle
    has been called, since the last score, ten times for each example held out. With one example
    held out for nine trained on, that is every second pass at most. So scores take a small part of
    the time, and are the same at every run.

    Parameters
    ----------
    X, Y : sequences
        Inputs and outputs that are not trained on. Their labels must occur in the training data.
    n_iter_no_change : int, default=10
        Training ends after this many scores in a row that are no higher than the highest, >= 1.
    sample_weight : array-like of shape (m,), optional
        Weights of the examples in the mean loss.

    Examples
    --------
    >>> from structsvm import EarlyStopping, SmoothedLBFGS
    >>> from structsvm.problems import Multiclass
    >>> X, y = Multiclass.example_data()
    >>> rule = EarlyStopping(X[20:], y[20:], n_iter_no_change=3)
    >>> solver = SmoothedLBFGS(rtol=1e-6)
    >>> result = solver.solve(Multiclass(), X[:20], y[:20], C=1e3, early_stopping=rule)
    >>> result.status.name
    'EARLY_STOPPED'
    """

    X: Any
    Y: Any
    n_iter_no_change: int = PATIENCE
    sample_weight: Any = None


class Watch:
    """Scores the points of passes on held-out examples, and keeps the best.

    Parameters
    ----------
    rule : EarlyStopping
    problem : Problem
        Initialized with the training data.
    workers : Workers or None
    prior : ndarray of shape (size,), optional
        The prior of the run.

    Attributes
    ----------
    examples : Examples
        Those held out.
    w : ndarray of shape (size,) or None
        The point of the highest score, of several the last; None before the first score.
    iteration : int or None
        The pass that made it.
    """

    def __init__(
        self,
        rule: EarlyStopping,
        problem: Problem,
        workers: Workers | None,
        prior: Vector | None = None,
    ) -> None:
        if not isinstance(rule, EarlyStopping):
            raise TypeError(f"early_stopping must be an EarlyStopping or None; got {brief(rule)}")
        require_integer("n_iter_no_change", rule.n_iter_no_change, least=1)
        if rule.Y is None:
            raise ValueError("the held-out examples need their outputs Y; it is None")
        with _held_out():
            weights = checked_sample_weight(rule.sample_weight, require_examples(rule.X, Y=rule.Y))
            self.examples = Examples(
                problem, rule.X, rule.Y, workers=workers, weights=weights, prior=prior
            )
        self._patience, self._due = rule.n_iter_no_change, 0
        self._highest, self._no_higher = -math.inf, 0
        self.w: Vector | None = None
        self.iteration: int | None = None

    @property
    def is_over(self) -> bool:
        """Whether the score has not risen for long enough."""
        return self._no_higher >= self._patience

    def scored(self, iteration: Iteration, w: Vector) -> Iteration:
        """Return a pass at w, relative to the prior, with its score if one is due.

        It is not where the objective is known to be above the lowest: cutting planes query such
        points, and at first no others. At w = 0 all outputs tie, and the score is arbitrary.
        """
        worse = iteration.best_primal < iteration.primal < math.inf
        ties = not (w.any() or self.examples.prior is not None)
        if worse or iteration.oracle_calls < self._due or ties:
            return iteration
        self._due = iteration.oracle_calls + SPACING * self.examples.n
        with _held_out():
            score = self.examples.score(w)
        self._no_higher = 0 if score > self._highest else self._no_higher + 1
        if score >= self._highest:  # of equal scores the last, whose objective is mostly lower
            self._highest, self.w, self.iteration = score, w.copy(), iteration.iteration
        return iteration._replace(validation_score=score)


@contextmanager
def _held_out() -> Iterator[None]:
    """Say in errors that an example is a held-out example."""
    try:
        yield
    except ValueError as error:
        raise ProblemError(
            f"early stopping failed for the held-out examples, counted from 0 among themselves: "
            f"{error}\nTheir inputs must be like those trained on, and their labels must occur "
            "there; pass X_val and y_val of your own, or another random_state"
        ) from error
