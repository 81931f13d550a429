"""LatentSVM: the estimator of latent problems, from several starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.utils.validation import check_is_fitted

from structsvm.contract.latent import annotated
from structsvm.contract.problem import Problem
from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.data.containers import listed, n_examples, take
from structsvm.data.validation import MOST_STARTS, checked_sample_weight, require_integer
from structsvm.docstrings import documented
from structsvm.estimators.encoded import Encoded
from structsvm.estimators.several_starts import SeveralStarts
from structsvm.estimators.structured import StructuredSVM
from structsvm.results.result import Result
from structsvm.solvers.shared.concave_convex import ConcaveConvexSolver


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class LatentSVM(StructuredSVM):
    """A structural SVM with latent variables or unknown outputs, trained from several starts.

    The objective is not convex: the solver ends in a local optimum that depends on the start, and
    the result of the lowest objective is kept. Every start draws a new ``initial_w`` of the
    problem, or a random w where that would repeat an earlier start. The first, third, ... search
    from there, as the solver does by default; the others descend at once, which takes less time and
    is better where ``initial_w`` is good. If some outputs are unknown (None in y), the first start
    descends from the w trained on the other examples.

    Shared parameters and attributes are added at import: see ``help``.

    Parameters
    ----------
    problem : LatentProblem
        Or another :class:`structsvm.SelfLabelledProblem`. It is copied, never changed.
    n_init : int, default=5
        Number of starts, >= 1. The objectives at which they end are in ``objectives_``: if only one
        start reaches the lowest, more starts may find a lower one.
    solver : 'auto', CCCP or SmoothedCCCP, default='auto'
        ``rtol``, ``max_iter`` and early stopping apply to each start.
    time_limit : float, optional
        Seconds of wall time for all starts, > 0; at least one pass is made. Default: no limit.
    warm_start : bool, default=False
        Let the last ``w_`` take the place of the first start, as a ``w_prior`` that is not 0 does.
    random_state : int, RandomState or None, default=0
        Seeds the starts, where 'auto' chooses the solver. The first is the start of
        :class:`structsvm.StructuredSVM` with the same seed.

    Attributes
    ----------
    objectives_ : ndarray of shape (n_starts,)
        The objective at the end of each start, in their order; fewer than ``n_init`` if the time
        limit, Ctrl-C or the callback ended the fit.
    result_ : Result
        The result of the best start, to which all other attributes belong too; ``result_.labels``
        are the completed outputs.

    Examples
    --------
    One row of an input shows its class, and which row is not known. An output is a class and a row;
    an annotation is the class:

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
        """Return 1 - mean loss of the predictions, as :meth:`structsvm.StructuredSVM.score` does.

        Examples whose annotation is None are left out; a ValueError if there are no others.
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

    def _keep(self, problem: Problem, result: Result, data: Encoded) -> None:
        super()._keep(problem, result, data)
        self.objectives_ = self._starts.objectives
        del self._starts
