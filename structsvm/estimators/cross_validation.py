"""C='cv': the value with the best score on held-out examples, found along a path of fits."""

from __future__ import annotations

import copy
import logging
import math
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import clone

from structsvm.contract.problem import Problem
from structsvm.data.arrays import Indices, Vector
from structsvm.data.validation import checked_random_state, require_positive, require_tolerance
from structsvm.estimators.encoded import Encoded
from structsvm.exceptions import warn_user
from structsvm.oracle.cuts import soft_cut
from structsvm.oracle.examples import Examples
from structsvm.oracle.setup import initialize
from structsvm.oracle.workers import Workers
from structsvm.results.status import Status

logger = logging.getLogger(__name__)

#: Parts of the examples, each of which is held out once.
FOLDS = 3
#: The factor from one C to the next, and the number of them on either side of the first, at most.
STEP, MOST = 10.0, 3
#: Tolerance of the fits to compare, at least.
RTOL = 1e-2
#: Examples that are measured for rounding errors, far below that tolerance.
MEASURED = 5

#: Trains with a C on all but one part, and returns the score of that part.
Fold = Callable[[float], float]


def is_cv(C: Any) -> bool:
    """Whether C is to be chosen by cross-validation."""
    return isinstance(C, str) and C == "cv"


def searched(first: float, folds: Sequence[Fold], end: float) -> tuple[Vector, Vector]:
    """The values of C that were tried, rising, and their scores, shape (n_C, n_folds).

    It climbs from the first value until the mean score rises no more, or until the time ``end``.
    """
    found: dict[int, list[float]] = {}

    def mean(step: int) -> float:
        if step not in found:
            scores = [fold(first * STEP**step) for fold in folds]
            if time.monotonic() > end:
                raise TimeoutError
            logger.info(
                "C=%.4g: score %.6g in cross-validation", first * STEP**step, np.mean(scores)
            )
            found[step] = scores
        return float(np.mean(found[step]))

    try:
        at_first, best = mean(0), 1
        direction = 1 if mean(1) >= at_first else -1
        best = max(0, direction)
        while abs(best) < MOST and mean(best + direction) > mean(best):
            best += direction
    except TimeoutError:
        warn_user(
            f"half of time_limit was over when {len(found)} values of C had been compared, and the "
            "other half is for training; raise time_limit, or set C='auto' or to a number"
        )
    steps = sorted(found)
    scores = np.array([found[step] for step in steps]).reshape(len(steps), len(folds))
    return first * STEP ** np.array(steps, dtype=float), scores


def dealt(n: int, labels: Any, random_state: Any) -> list[Indices]:
    """The places of n examples, dealt at random to folds, in rising order.

    Each label is spread evenly over the folds, unless labels are None.
    """
    count = min(FOLDS, n)
    if count < 2:
        raise ValueError(
            f"C='cv' holds out a part of the examples at a time; there are {n} of known output and "
            "a weight above 0: give more, or set C to a number or to the default"
        )
    order = checked_random_state(random_state).permutation(n)
    if labels is not None:
        codes = np.unique(np.asarray(labels), return_inverse=True)[1]
        order = order[np.argsort(codes[order], kind="stable")]
    return [np.sort(order[k::count]) for k in range(count)]


def end_of(estimator: Any) -> float:
    """The time by which the estimator's fit must end; infinite without a limit."""
    given = estimator.solver if estimator.time_limit is None else estimator
    limit = getattr(given, "time_limit", None)
    if limit is None:
        return math.inf
    require_positive("time_limit", limit)
    return time.monotonic() + limit


@contextmanager
def ending(estimator: Any, end: float) -> Iterator[None]:
    """A context in which the time limit of an estimator's solver is what is left until ``end``."""
    before = {"time_limit": estimator.time_limit, "solver": estimator.solver}
    if end < math.inf:
        left = max(end - time.monotonic(), np.finfo(float).tiny)
        if isinstance(estimator.solver, str):
            estimator.time_limit = left
        else:
            estimator.solver = clone(estimator.solver).set_params(time_limit=left)
    try:
        yield
    finally:
        vars(estimator).update(before)


def knowing(problem: Problem, data: Encoded) -> Problem:
    """The problem, initialized for good with all examples, also those with labels of their own."""
    initialize(problem, data.X, data.Y)
    vars(problem)["initialize"] = _keep_sizes
    return problem


def _keep_sizes(X: Any, Y: Any) -> None:
    """Stand for ``initialize`` in a problem that knows all examples."""


class ExampleFold:
    """A fold of the examples of a :class:`StructuredEstimator`.

    Parameters
    ----------
    estimator : StructuredEstimator
    problem : Problem
        It knows all examples.
    data : Encoded
    held_out : ndarray
        Places of the examples to score.
    w_prior : estimator or array-like, optional
    end : float
        The time by which training must end.
    """

    def __init__(
        self,
        estimator: Any,
        problem: Problem,
        data: Encoded,
        held_out: Indices,
        w_prior: Any,
        end: float,
    ) -> None:
        self._problem, self._w_prior, self._end = problem, w_prior, end
        self._part = data.part(np.delete(np.arange(len(data.weights)), held_out))
        self._held_out = data.part(held_out)
        self._trained = copy.copy(estimator)
        vars(self._trained).pop("w_", None)
        # The fits of a fold are of the same data, which need not be compared by their hash.
        self._trained.warm_start, self._trained._trained_on_hash = True, ""
        if isinstance(estimator.solver, str):
            given = estimator.rtol or estimator.default_rtol or 0.0
            require_tolerance("rtol", given)
            self._trained.rtol = max(RTOL, given)

    def __call__(self, C: float) -> float:
        trained, part, problem = self._trained, self._part, self._problem
        trained.C_ = C
        with warnings.catch_warnings(), ending(trained, self._end):
            warnings.simplefilter("ignore")  # the last fit says what matters
            solver = trained._resolved_solver(problem, part.X, part.Y)
            result = solver.solve_in_place(
                problem, part.X, part.Y, C, sample_weight=part.weights,
                w_prior=trained._prior(self._w_prior, problem, part),
                n_jobs=trained.n_jobs, measured=MEASURED, **trained._start("", solver),
            )  # fmt: skip
            if result.status is Status.INTERRUPTED:
                raise KeyboardInterrupt
            trained.w_, trained.result_ = result.w, result
            return self._score(result)

    def _score(self, result: Any) -> float:
        """1 - the mean loss of the predictions; minus the mean slack where that is a likelihood."""
        X, Y, weights, _ = self._held_out
        with Workers(self._trained.n_jobs, self._problem.parallelism) as workers:
            examples = Examples(self._problem, X, Y, result.surrogate, workers, weights)
            if result.loss != "log_loss":
                return examples.score(result.w)
            cut, _ = soft_cut(examples, None, result.w, result.surrogate.temperature, examples.n)
            return -float(cut.slacks[0])
