"""LatentSVM: the estimator for latent problems, trained from several starts."""

from __future__ import annotations

import logging
import math
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from structsvm.contract.latent import LatentProblem, annotated
from structsvm.contract.problem import Problem
from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.data.arrays import Vector
from structsvm.data.containers import listed, n_examples, take
from structsvm.data.validation import (
    MOST_STARTS,
    checked_generator,
    checked_sample_weight,
    require_integer,
    require_number,
)
from structsvm.docstrings import documented
from structsvm.estimators.encoding import Encoded
from structsvm.estimators.structured import StructuredSVM
from structsvm.oracle.setup import set_sizes
from structsvm.results.result import Result
from structsvm.results.status import Status
from structsvm.solvers.shared.checkpoint import for_part
from structsvm.solvers.shared.concave_convex import ConcaveConvexSolver, RepeatedStart

logger = logging.getLogger(__name__)

#: The relative gap to which each start is run. Only the start with the lowest objective goes on to
#: the tolerance. This takes a third of the passes of running all starts to the end, and reaches the
#: same objective (benchmarks/latent/starts.py).
ROUGH = 0.1
#: The statuses after which no further start is run.
EARLY = (Status.INTERRUPTED, Status.TIME_LIMIT, Status.STOPPED)


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class LatentSVM(StructuredSVM):
    """A structural SVM with latent variables or unknown outputs, trained from several starts.

    The objective is not convex, so the solver ends in a local optimum that depends on the start.
    From each start, the solver runs to a gap of 10 %. Only the run with the lowest objective
    continues to the tolerance. Every start draws a new ``initial_w`` of the problem. All odd runs
    of the solver (the first, the third and so on) begin with a search for a good w
    (``search=True``). The other runs of the solver (the second, the fourth and so on) begin
    directly at ``initial_w``. A start without a search takes less time, and gives better results if
    ``initial_w`` is good. No start is repeated. If ``initial_w`` is always the same, the solver
    runs at most twice: once with and once without a search for a good w. If some outputs are
    unknown (None in y), the first start descends from the w that was trained on the examples with
    known outputs.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    problem : LatentProblem
        The problem, a LatentProblem or any :class:`structsvm.SelfLabelledProblem`. The problem is
        copied and never changed.
    n_init : int, default=5
        Largest number of starts, >= 1. A larger number may help if one of the ``objectives_`` is
        far below the rest.
    solver : 'auto', CCCP or SmoothedCCCP, default='auto'
        The solver. ``rtol``, ``max_iter`` and early stopping apply to each start.
    time_limit : float, optional
        Limit of the wall time of all starts together in seconds, > 0. At least one pass is made.
        Default: no limit.
    warm_start : bool, default=False
        Whether the first start is the ``w_`` of the last fit. With a ``w_prior`` other than 0, the
        first start is the prior.
    random_state : int, RandomState or None, default=0
        Seed of the starts, used only if 'auto' chooses the solver. The first start equals the start
        of :class:`structsvm.StructuredSVM` with the same seed.

    Attributes
    ----------
    objectives_ : ndarray of shape (n_starts,)
        The objective of each start at a gap of 10 %, in the order of the starts. The array has
        fewer than ``n_init`` entries if the fit was ended early, or if ``initial_w`` returned the
        same w again. With ``n_init=1`` the only entry is the objective at the end of the fit.
    result_ : Result
        The result of the best start, run to the tolerance. All attributes except ``objectives_``
        belong to the best start. ``result_.labels`` are the completed outputs.

    Examples
    --------
    In the following example, one row of each input shows the class of the input, but this row is
    unknown. An output consists of a class and the index of a row. An annotation is only the class:

    >>> import numpy as np
    >>> from structsvm import LatentProblem, LatentSVM
    >>> class HiddenRow(LatentProblem):
    ...     def initialize(self, X, Y):
    ...         self.size_joint_feature = 2 * X.shape[2]
    ...
    ...     def joint_feature(self, x, y):
    ...         return np.kron(np.eye(2)[y[0]], x[y[1]])
    ...
    ...     def loss(self, y, y_hat):
    ...         return float(y[0] != y_hat[0])
    ...
    ...     def best(self, x, w, bonus):
    ...         scores = x @ w.reshape(2, -1).T + bonus
    ...         row, label = divmod(int(scores.argmax()), 2)
    ...         return label, row
    ...
    ...     def separation_oracle(self, x, y, w):
    ...         return self.best(x, w, np.arange(2) != y[0])
    ...
    ...     def decode(self, x, w):
    ...         return self.best(x, w, np.zeros(2))
    ...
    ...     def complete(self, x, y, w):
    ...         return self.best(x, w, np.where(np.arange(2) == y[0], 0, -np.inf))
    >>> X = np.random.default_rng(0).normal(size=(20, 3, 4))
    >>> for i, x in enumerate(X):
    ...     x[i % 3, 2 * (i % 2)] += 6
    >>> svm = LatentSVM(HiddenRow(), C=10.0, n_init=3).fit(X, [(i % 2, None) for i in range(20)])
    >>> svm.predict(X[:4])
    [(0, 0), (1, 1), (0, 2), (1, 0)]
    >>> svm.objectives_.shape
    (3,)
    """

    n_init: int = 5

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return 1 minus the mean loss of the predictions, as StructuredSVM.score does.

        Examples whose annotation is None are left out. Raises a ValueError if all annotations are
        None.
        """
        check_is_fitted(self, "w_")
        X, y = listed(X), listed(y)
        known = annotated(X, y)
        if not len(known):
            raise ValueError("no example can be scored: all of y is None")
        weights = checked_sample_weight(sample_weight, n_examples(X))
        return super().score(take(X, known), take(y, known), weights[known])

    def _resolved_solver(self, problem: Problem, X: Any, Y: Any) -> Any:
        require_integer("n_init", self.n_init, 1, MOST_STARTS)
        if isinstance(problem, Problem) and not isinstance(problem, SelfLabelledProblem):
            name = type(problem).__name__
            raise TypeError(
                f"{name} is neither a LatentProblem nor another SelfLabelledProblem; write "
                f"class Latent(LatentProblem, {name}), with a method complete where outputs are "
                "known in part, or train it by StructuredSVM"
            )
        solver = super()._resolved_solver(problem, X, Y)
        if not isinstance(solver, ConcaveConvexSolver):
            raise ValueError(
                f"LatentSVM trains by CCCP or SmoothedCCCP, 'auto' or an object; got {solver!r}"
            )
        self._starts = SeveralStarts(solver, self.n_init)
        return self._starts

    def _keep(self, problem: Any, result: Result, data: Encoded) -> None:
        super()._keep(problem, result, data)
        self.objectives_ = self._starts.objectives
        del self._starts


class SeveralStarts:
    """The solver that runs CCCP from several starts: see :class:`structsvm.LatentSVM`.

    Parameters
    ----------
    solver : CCCP or SmoothedCCCP
        The solver that is run from each start. The ``time_limit`` of the solver applies to all runs
        together.
    n_init : int

    Attributes
    ----------
    objectives : ndarray of shape (n_starts,)
        The objective at the end of each start.
    """

    needs_labels = False

    def __init__(self, solver: ConcaveConvexSolver, n_init: int) -> None:
        self.solver, self.n_init, self.objectives = solver, n_init, np.empty(0)
        if solver.time_limit is not None:
            require_number("time_limit", solver.time_limit, "> 0")
        limit = math.inf if solver.time_limit is None else solver.time_limit
        self._deadline = time.monotonic() + limit
        require_number("rtol", solver.rtol, ">= 0 and < 1")
        self._rough = solver.rtol if n_init == 1 else max(ROUGH, solver.rtol)
        # All starts share a generator, so that each draws another w.
        self._generator = checked_generator(solver.random_state)
        # A search and a descent from the same w are different runs, but neither is repeated.
        self._drawn: dict[bool, list[Vector]] = {True: [], False: []}

    def solve(
        self,
        problem: Problem,
        X: Any,
        Y: Any,
        C: float,
        *,
        w0: Vector | None,
        checkpoint: Any = None,
        **options: Any,
    ) -> Result:
        """Solve roughly from every start, and accurately from the start with the lowest objective.

        Each run has a separate checkpoint.
        """
        results: list[Result] = []
        ended = None
        while ended is None and len(results) < self.n_init:
            try:
                if w0 is None and not results:
                    options["checkpoint"] = for_part(checkpoint, "known")
                    w0 = self._known_start(problem, X, Y, C, **options)
                options["checkpoint"] = for_part(checkpoint, str(len(results)))
                run = self._run(search=w0 is None and len(results) % 2 == 0)
                results.append(run.solve(problem, X, Y, C, w0=w0, **options))
                ended = results[-1].status if results[-1].status in EARLY else None
            except RepeatedStart:
                break
            except KeyboardInterrupt:
                if not results:
                    raise
                ended = Status.INTERRUPTED
            w0 = None
            logger.info("start %d of %d: %.6g", len(results), self.n_init, results[-1].primal)
        self.objectives = np.array([result.primal for result in results])
        best = results[int(self.objectives.argmin())]
        if ended is not None:
            return replace(best, status=ended)
        if best.status is not Status.CONVERGED or self._rough == self.solver.rtol:
            return best
        options["checkpoint"] = for_part(checkpoint, "last")
        last = self._run(search=False, rtol=self.solver.rtol)
        try:
            return last.solve(problem, X, Y, C, w0=best.w, **options)
        except KeyboardInterrupt:
            return replace(best, status=Status.INTERRUPTED)

    def _known_start(
        self, problem: Problem, X: Any, Y: Any, C: float, sample_weight: Any = None, **options: Any
    ) -> Vector | None:
        """Return the w trained on the examples that have an annotation and a weight above 0.

        Returns None if all examples have an annotation, or if all annotated examples have weight 0.
        """
        known, n = annotated(X, Y), n_examples(X)
        weights = checked_sample_weight(sample_weight, n)
        used = known[weights[known] > 0]
        if not isinstance(problem, LatentProblem) or len(known) == n or not len(used):
            return None
        some = problem, take(X, used), take(Y, used), C
        try:
            run = self._run(rtol=self.solver.rtol)
            return run.solve(*some, sample_weight=weights[used], **options).w
        except ValueError:
            set_sizes(problem, X, Y)  # raises the same error, with the right index of the example
            raise

    def _run(self, search: bool = True, rtol: float | None = None) -> ConcaveConvexSolver:
        """Return the solver of the next run, with the remaining time and a tolerance."""
        search, rtol = search and self.solver.search, self._rough if rtol is None else rtol
        run: ConcaveConvexSolver = clone(self.solver)
        run.set_params(random_state=self._generator, search=search, rtol=rtol)
        run.reason, run.drawn = self.solver.reason, self._drawn[search]
        if self._deadline < math.inf:  # a solver makes at least one pass
            left = self._deadline - time.monotonic()
            run.set_params(time_limit=max(left, np.finfo(float).tiny))
        return run
