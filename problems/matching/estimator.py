"""The estimator that learns to match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from structsvm.contract.problem import Problem
from structsvm.data.arrays import Indices
from structsvm.docstrings import documented
from structsvm.estimators.training import StructuredEstimator
from structsvm.problems.matching.problem import Assignment


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class AssignmentSVM(StructuredEstimator):
    """Bipartite matching with learned weights of the features of pairs.

    An input is an array of shape (m, n, d), with features of all pairs of a row and a column; or a
    :class:`Bipartite`. An output is an integer array of shape (m,): the column of every row, -1 for
    no column. ``predict`` returns a list of outputs; ``score`` is the mean fraction of rows with
    the right column. The problem is :class:`Assignment`.

    Shared parameters and attributes are added at import: see ``help``.

    Parameters
    ----------
    unmatched : bool, default=False
        Whether items of both sets may stay without a partner. If not, all of the smaller set are
        matched.
    C : float, default=100.0
        Weight of the mean slack in the objective of :mod:`structsvm.objective`, > 0. The loss and
        the joint feature are means over the rows, so C does not depend on their number.

    Attributes
    ----------
    w_ : ndarray of shape (size_joint_feature,)
        The weights of the features of pairs, of rows and of columns, and with ``unmatched`` of a
        constant.

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

    unmatched: bool = False

    def predict(self, X: Any) -> list[Indices]:
        """The column of every row of each input, -1 without a partner."""
        return super().predict(X)

    def _problem(self) -> Problem:
        return Assignment(self.unmatched)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.target_tags.required = True
        return tags
