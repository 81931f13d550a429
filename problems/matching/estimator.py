"""The estimator of bipartite matchings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from structsvm.contract.problem import Problem
from structsvm.data.arrays import Indices, Vector
from structsvm.data.choices import Auto, ChoiceOfC
from structsvm.data.column_moments import ColumnMoments
from structsvm.data.columns import arrays_in
from structsvm.data.containers import require_examples
from structsvm.data.conversion import require_same_indices
from structsvm.data.weight_name import WeightName
from structsvm.docstrings import documented
from structsvm.estimators.about import About
from structsvm.estimators.encoding import Encoded, ScaledColumns
from structsvm.estimators.training import StructuredEstimator
from structsvm.problems.matching.data import PairRows
from structsvm.problems.matching.problem import Assignment
from structsvm.results.result import Result

#: C='auto' per example, if the mean of ||x||^2 is 1.
C_PER_EXAMPLE = 100.0


class PairEncoding(ScaledColumns):
    """The encoding that leaves inputs unchanged, because the problem scales the features.

    Parameters
    ----------
    scale : 'auto' or None
        Whether to learn scales of the features.
    unmatched : bool
        The parameter of :class:`AssignmentSVM`.
    """

    def __init__(self, scale: Any, unmatched: bool) -> None:
        super().__init__(scale)
        self.unmatched = unmatched

    def learn(self, X: Any, y: Any, sample_weight: Any, prior: Any = None) -> Encoded:
        data = self.encode(X, y, sample_weight)
        pairs = PairRows.of(X, self.unmatched)
        moments = ColumnMoments.of(pairs.rows, data.weights[pairs.layout.owner])
        self.learn_columns(moments, centred=True, constant=False)
        return data

    def weight_names(self, places: Indices, problem: Any) -> list[WeightName]:
        return [WeightName(j) for j in places.tolist()]  # the problem has the scales

    def weights_given(self, w: Vector, problem: Assignment) -> Vector:
        return problem.weights(w)

    def weights_trained(self, weights: Vector, problem: Assignment) -> Vector:
        return problem.w_of(weights)


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class AssignmentSVM(StructuredEstimator):
    """Bipartite matching with learned weights of the features of pairs.

    An input is an array of shape (m, n, d), with features of all pairs of a row and a column, or a
    :class:`Bipartite`. An output is an integer array of shape (m,): the column of every row, or -1
    for no column. ``predict`` returns a list of outputs. ``score`` is the mean fraction of rows
    with the right column. The problem is :class:`Assignment`.

    The weight of each scaled feature of pairs is the sum of its own weight and a weight that all
    features share. The regulariser hardly penalises the weight that all features share. Few
    examples are enough if all features tend to be larger for matching pairs, or all smaller.
    Training changes the weights of individual features only to correct wrong matchings.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    unmatched : bool, default=False
        Whether an item of either set may stay without a partner. Without ``unmatched``, all items
        of the smaller set are matched.
    C : float, 'auto' or 'cv', default='auto'
        Weight of the mean slack in the :mod:`structsvm.objective`, > 0. The loss and the joint
        feature are means over the rows, so that a good C does not depend on the number of rows.
        'auto' is 100 n for n examples. If ``scale`` is None, the value of 'auto' is divided by the
        mean of ||x||^2 over the feature vectors x of all pairs. 'cv' chooses C by cross-validation:
        see ``cv_scores_``.
    scale : 'auto' or None, default='auto'
        Scaling of the features. 'auto' standardises the features of pairs, so that the units of the
        features do not matter. A common factor makes the mean of ||x||^2 equal to 1. The scaling is
        a part of the model: ``coef_`` holds weights of unscaled features. None does not scale, and
        the regulariser then penalises all weights equally.

    Attributes
    ----------
    scale_ : ndarray of shape (n_features,)
        The divisors of the features.
    coef_ : ndarray of shape (n_features,)
        The weights of the unscaled features of pairs, of rows and of columns, and, with
        ``unmatched``, of a constant.
    w_ : ndarray of shape (n_features,)
        The weights in the coordinates of training; they equal ``coef_`` if ``scale`` is None.

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

    about = About(
        "Graphs, matchings, decisions", "which rows of two tables belong together",
        X="features of all pairs", y="the partner of each row, or -1", page="matching.md",
        score="rows with the right partner",
    )  # fmt: skip

    scale: Auto | None = "auto"
    unmatched: bool = False
    C: float | ChoiceOfC = "auto"

    if TYPE_CHECKING:  # attributes that the encoding learns
        scale_: Vector = field(init=False)

    _takes_matrix, _requires_y = False, True

    def predict(self, X: Any) -> list[Indices]:
        """Return the column of every row of each input, or -1 for a row without a partner."""
        return list(super().predict(X))

    def _new_encoding(self) -> PairEncoding:
        return PairEncoding(self.scale, self.unmatched)

    def _given(self, X: Any, y: Any, reset: bool) -> tuple[Any, Any]:
        X, y = super()._given(X, y, reset)
        require_examples(X)
        require_same_indices(y, (getattr(x, "left", None) for x in X))
        return arrays_in(self, "X", X, reset), y

    def _automatic_C(self, data: Encoded) -> float:
        return float(self._encoding.per_square(C_PER_EXAMPLE * float(data.weights.sum())))

    def _problem(self) -> Problem:
        sizes = self._encoding.columns.sizes
        return Assignment(self.unmatched, None if self.scale is None else sizes)

    def _keep(self, problem: Any, result: Result, data: Encoded) -> None:
        super()._keep(problem, result, data)
        self.coef_: Vector = problem.weights(self.w_)
