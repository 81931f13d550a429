"""The estimator that learns to match."""

from __future__ import annotations

from typing import Any

from structsvm.contract.problem import Problem
from structsvm.estimators.structured import StructuredSVM
from structsvm.problems.matching.problem import Assignment
from structsvm.results.callbacks import Callbacks
from structsvm.solvers.shared.early_stopping import PATIENCE


class AssignmentSVM(StructuredSVM):
    """Bipartite matching with learned weights of the features of pairs.

    ``predict`` returns a list of arrays, the column of every row of an input; ``score`` is the mean
    fraction of rows with the right column. :class:`Assignment` says what inputs and outputs are.

    Parameters
    ----------
    unmatched : bool, default=False
        Whether items of both sets may stay without a partner. If not, all of the smaller set are
        matched.
    C : float, default=100.0
        As in :class:`structsvm.StructuredSVM`. The loss and the joint feature are means over the
        rows, so that C does not depend on their number.
    solver : 'auto' or solver object, default='auto'
    rtol, max_iter, time_limit, warm_start, n_jobs, callback, verbose
        As in :class:`structsvm.StructuredSVM`.
    early_stopping, validation_fraction, n_iter_no_change, random_state
        As in :class:`structsvm.StructuredSVM`.

    Attributes
    ----------
    w_, problem_, result_, n_iter_, validation_indices_, validation_scores_
        As in :class:`structsvm.StructuredSVM`. ``w_`` has the weights of the pairs' features, of
        the rows' and of the columns', and with ``unmatched`` that of a constant.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm.problems import AssignmentSVM
    >>> rng = np.random.default_rng(0)
    >>> Y = [rng.permutation(6)[:5] for _ in range(20)]
    >>> first = [rng.normal(size=(5, 3)) for y in Y]
    >>> second = [rng.normal(size=(6, 3)) for y in Y]
    >>> for a, b, y in zip(first, second, Y):
    ...     b[y] = a + [0.1, 0.1, 10.0] * rng.normal(size=(5, 3))  # the last feature is noise
    >>> X = [-((a[:, None] - b) ** 2) for a, b in zip(first, second)]
    >>> svm = AssignmentSVM().fit(X[:10], Y[:10])
    >>> svm.score(X[10:], Y[10:]) > 0.9
    True
    """

    def __init__(
        self,
        unmatched: bool = False,
        C: float = 100.0,
        solver: Any = "auto",
        rtol: float | None = None,
        max_iter: int | None = None,
        time_limit: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        callback: Callbacks = None,
        verbose: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = PATIENCE,
        random_state: Any = 0,
    ) -> None:
        self.unmatched = unmatched
        self.C = C
        self.solver = solver
        self.rtol = rtol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.callback = callback
        self.verbose = verbose
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.random_state = random_state

    def _problem(self) -> Problem:
        return Assignment(self.unmatched)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.target_tags.required = True
        return tags
