"""StructuredSVM: the estimator for any problem."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Literal

from structsvm.contract.problem import Problem
from structsvm.docstrings import documented
from structsvm.estimators.training import StructuredEstimator
from structsvm.oracle.setup import copied


@documented
@dataclass(eq=False, repr=False)
class StructuredSVM(StructuredEstimator):
    """A structural SVM for any :class:`structsvm.Problem`.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    problem : Problem
        The problem, which defines inputs, outputs, joint features, loss and oracle. The problem is
        copied and never changed. Searches such as GridSearchCV can set a parameter of the problem
        as ``problem__name``.
    n_jobs : int, optional
        Number of blocks of examples that ``fit`` and ``predict`` evaluate at the same time. -1
        means all processors, and None means 1 unless ``joblib.parallel_config`` sets a number. The
        problem's ``parallelism`` decides between threads and processes. The result is the same to
        the last bit for every ``n_jobs``.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems import Multiclass
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0]])
    >>> svm = StructuredSVM(Multiclass(), C=10.0).fit(X, ["a", "b", "c"])
    >>> print(svm.predict(X))
    ['a' 'b' 'c']
    >>> svm.score(X, ["a", "b", "b"])
    0.666...
    """

    problem: Problem
    _: KW_ONLY
    C: float | Literal["cv"] = 100.0

    _takes_sparse = True  # where the problem does

    def _problem(self) -> Problem:
        problem: Problem = copied(self.problem)
        return problem
