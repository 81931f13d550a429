"""The search for the C with the best score on held-out examples, if C='cv'."""

from __future__ import annotations

import copy
import logging
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from structsvm.contract.problem import Problem
from structsvm.data.arrays import Indices, Vector
from structsvm.data.validation import checked_random_state
from structsvm.estimators.encoding import Encoded
from structsvm.oracle.cuts import soft_cut
from structsvm.oracle.examples import Examples, workers_for
from structsvm.oracle.setup import initialize
from structsvm.results.status import Status

logger = logging.getLogger(__name__)

#: Number of parts of the examples, each of which is held out once.
FOLDS = 2
#: The factor from one C to the next, and the largest number of values on either side of the first.
STEP, MOST = 10.0, 3
#: Default tolerance of the fits that are compared.
RTOL = 0.1

#: A function that trains with a C on all parts except one, and returns the score of this part.
Fold = Callable[[float], float]


def searched(first: float, folds: Sequence[Fold]) -> tuple[Vector, Vector]:
    """Return the tried values of C in rising order, and their scores, shape (n_C, n_folds).

    The search moves away from the first value of C until the mean score no longer rises.
    """
    found: dict[int, list[float]] = {}

    def mean(step: int) -> float:
        if step not in found:
            found[step] = [fold(first * STEP**step) for fold in folds]
            logger.info("C=%.4g: scores %s in cross-validation", first * STEP**step, found[step])
        return float(np.mean(found[step]))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the last fit will give the important warnings
        direction = 1 if mean(1) >= mean(0) else -1
        best = max(0, direction)
        while abs(best) < MOST and mean(best + direction) > mean(best):
            best += direction
    steps = sorted(found)
    return first * STEP ** np.array(steps, dtype=float), np.array([found[step] for step in steps])


def dealt(n: int, labels: Any, random_state: Any) -> list[Indices]:
    """Divide n examples at random into folds, and return the indices of each fold in rising order.

    Each label is spread evenly over the folds. With labels=None the folds ignore labels.
    """
    if n < FOLDS:
        raise ValueError(
            f"C='cv' holds out a part of the examples at a time; there are {n} of known output and "
            "a weight above 0: give more, or set C to a number or to the default"
        )
    order = checked_random_state(random_state).permutation(n)
    if labels is not None:
        codes = np.unique(np.asarray(labels), return_inverse=True)[1]
        order = order[np.argsort(codes[order], kind="stable")]
    return [np.sort(order[k::FOLDS]) for k in range(FOLDS)]


def for_comparison(estimator: Any) -> Any:
    """Return a copy of an estimator without callbacks, warm starts and messages."""
    trained = copy.copy(estimator).set_callbacks()
    trained.warm_start, trained.callback, trained.verbose = False, None, False
    trained._fit_task = None
    if isinstance(trained.solver, str) and trained.rtol is None:
        trained.rtol = RTOL
    return trained


def knowing(problem: Problem, data: Encoded) -> Problem:
    """Initialize the problem with all examples, and disable later calls of ``initialize``."""
    initialize(problem, data.X, data.Y)
    vars(problem)["initialize"] = _keep_sizes
    return problem


def _keep_sizes(X: Any, Y: Any) -> None:
    """Do nothing, because the problem has already been initialized with all examples."""


def example_fold(
    estimator: Any, problem: Problem, data: Encoded, held_out: Indices, prior: Vector | None
) -> Fold:
    """Return a function that trains without the held-out examples, and returns their score.

    The problem was initialized with all examples. The function multiplies C by the fraction of the
    examples that it trains on.
    """
    trained = for_comparison(estimator)
    part = data.part(np.delete(np.arange(len(data.weights)), held_out))
    share = part.weights.sum() / data.weights.sum()
    X, Y, weights, _ = data.part(held_out)

    def fold(C: float) -> float:
        result = trained._training(problem, part, share * C, prior, n_jobs=trained.n_jobs)()
        if result.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        with workers_for(trained.n_jobs, problem) as workers:
            examples = Examples(problem, X, Y, result.surrogate, workers, weights)
            if result.loss != "log_loss":
                return examples.score(result.w)
            cut, _ = soft_cut(examples, None, result.w, result.surrogate.temperature, examples.n)
            return -float(cut.slacks[0])

    return fold
