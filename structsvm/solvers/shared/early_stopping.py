"""Early stopping, which ends a run when the score of held-out examples no longer rises."""

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

#: Oracle calls between two scores, for each held-out example, so that scores take little time.
SPACING = 10
#: Default number of scores in a row without a new maximum after which the run ends.
PATIENCE = 10


class EarlyStopping(NamedTuple):
    """Held-out examples, and the number of scores without progress after which a run ends.

    The score is :meth:`structsvm.StructuredSVM.score`: 1 minus the mean loss of the predictions.
    With m held-out examples, the solver makes at least 10 m oracle calls between two scores. A pass
    has no score if its objective is known to be higher than the lowest objective so far. Scores
    take only a small part of the time, and are computed at the same passes in every run.

    Parameters
    ----------
    X, Y : sequences
        Inputs and outputs of the held-out examples. All labels in Y must occur in the training
        data.
    n_iter_no_change : int, default=10
        Training ends after this number of consecutive scores, >= 1, that do not exceed the highest
        score.
    sample_weight : array-like of shape (m,), optional
        Weights of the held-out examples in the mean loss.

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
    """The scores of the held-out examples during training, and the w with the highest score.

    Parameters
    ----------
    rule : EarlyStopping
    problem : Problem
        The problem, initialized with the training data.
    workers : Workers or None
    prior : ndarray of shape (size,), optional
        The weights ``w_prior`` of the regulariser.

    Attributes
    ----------
    examples : Examples
        The held-out examples.
    w : ndarray of shape (size,) or None
        The w with the highest score. If several w have the highest score, the last of them. None
        before the first score.
    iteration : int or None
        The number of the pass that evaluated ``w``.
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
        """Whether none of the last ``n_iter_no_change`` scores was a new maximum."""
        return self._no_higher >= self._patience

    def scored(self, iteration: Iteration, w: Vector) -> Iteration:
        """Return the iteration, with the score of w on the held-out examples if it is computed.

        The argument ``w`` is the weights minus the prior weights. No score is computed if the
        objective at w is known to exceed the lowest objective so far, as is common for cutting
        planes. The score at w = 0 is skipped, because all outputs tie, and the score would be
        arbitrary.
        """
        worse = iteration.best_primal < iteration.primal < math.inf
        ties = not (w.any() or self.examples.prior is not None)
        if worse or iteration.oracle_calls < self._due or ties:
            return iteration
        self._due = iteration.oracle_calls + SPACING * self.examples.n
        with _held_out():
            score = self.examples.score(w)
        self._no_higher = 0 if score > self._highest else self._no_higher + 1
        if score >= self._highest:  # of equal scores keep the last: its objective is mostly lower
            self._highest, self.w, self.iteration = score, w.copy(), iteration.iteration
        return iteration._replace(validation_score=score)


@contextmanager
def _held_out() -> Iterator[None]:
    """Add to the message of a ValueError that the error concerns the held-out examples."""
    try:
        yield
    except ValueError as error:
        raise ProblemError(
            f"early stopping failed for the held-out examples, counted from 0 among themselves: "
            f"{error}\nTheir inputs must be like those trained on, and their labels must occur "
            "there; pass X_val and y_val of your own, or another random_state"
        ) from error
