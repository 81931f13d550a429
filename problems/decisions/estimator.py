"""The estimator that predicts costs, trained to make decisions with little regret."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from structsvm.bases import RegressorMixin
from structsvm.data.choices import ChoiceOfC
from structsvm.data.columns import arrays_in
from structsvm.data.containers import listed
from structsvm.data.conversion import require_same_indices
from structsvm.data.matrices import checked_rows
from structsvm.data.validation import require_flag
from structsvm.docstrings import documented
from structsvm.estimators.about import About
from structsvm.estimators.encoding import Encoded
from structsvm.estimators.estimator import outputs_called_y
from structsvm.estimators.rows import RowEstimator
from structsvm.estimators.training import StructuredEstimator
from structsvm.problems.decisions.checks import require_own_decisions
from structsvm.problems.decisions.data import DecisionInputs, Instance, holds_optima
from structsvm.problems.decisions.encoding import DecisionEncoding, require_costs
from structsvm.problems.decisions.optimizers import as_optimizer
from structsvm.problems.decisions.optimizers.base import Sense
from structsvm.problems.decisions.problem import DecisionProblem
from structsvm.problems.programs.program import Program
from structsvm.results.result import Result

#: C per example, in the units of the data.
RELATIVE_C = 1 / 8
#: Largest C, in the units of the data.
LARGEST_C = 100.0


@documented
@dataclass(eq=False, repr=False)
class DecisionFocusedRegressor(RowEstimator, RegressorMixin, StructuredEstimator):
    r"""A linear model of costs, trained to yield good decisions rather than accurate costs.

    The loss is SPO+ (Elmachtoub & Grigas, Smart "Predict, then Optimize", Management Science 2022),
    a convex upper bound of the regret. The regret is the difference, at the true costs, between the
    value of the decision for the predicted costs and the value of the best decision.
    :class:`DecisionProblem` has the formulas.

    If X is an array or scipy.sparse matrix of shape (n, p), each of the m costs has separate
    weights. If X is an array of shape (n, m, p) with features of each cost, all costs share their
    weights. If feasible sets differ between examples, X is a sequence of :class:`Instance` or of
    :class:`structsvm.problems.Program`. ``y`` holds the true costs: an array of shape (n, m), or a
    sequence of arrays if examples differ in their number of costs. To avoid computing the best
    decisions again, pass the result of :func:`best_decisions` or a list of :class:`Optimum` as
    ``y``.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    optimize : Optimizer, Program, optModel of PyEPO, or callable, optional
        Either an optimizer of ``structsvm.problems.decisions``, or a
        :class:`structsvm.problems.Program`, or a function that returns the best decision for costs
        of shape (m,). The decisions of a program are its feasible 0/1 vectors. Training calls the
        optimizer with the costs ``2 * predicted - true``, which may be negative. If every input
        holds its own optimizer, ``optimize`` is None.
    sense : {'min', 'max'}, default='min'
        Whether the optimizer minimises costs or maximises values.
    fit_intercept : bool, default=True
        Add a constant feature to every row. ||w|| includes the weights of the constant. The weights
        of the constant stay small, because the constant is 10 times as large as an entry of X.
    C : float, 'auto' or 'cv', default='auto'
        Weight of the mean slack in the :mod:`structsvm.objective`, > 0. 'auto' computes C from the
        numbers of examples and costs, the standard deviation of the true costs, the mean of ||x||^2
        and the size of the best decisions. With C='auto', predictions do not depend on the units of
        costs and features. 'cv' chooses C by cross-validation: see ``cv_scores_``.
    rtol : float, optional
        Relative tolerance, >= 0 and < 1. Training stops when the gap is at most ``rtol`` times the
        primal value. Default with ``solver='auto'``: 0.01.

    Attributes
    ----------
    coef_ : ndarray of shape (m, p), or (p,) with shared weights
        Weights of the features for each cost.
    intercept_ : ndarray of shape (m,), or float with shared weights
        Zero without ``fit_intercept``.
    result_ : Result
        ``oracle_calls`` counts the calls of the optimizer, except the calls for the true costs.
    n_features_in_ : int
        Number of features, if X is a matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm.datasets import shortest_path_costs
    >>> from structsvm.problems.decisions import DecisionFocusedRegressor, GridPaths
    >>> X, costs = shortest_path_costs(300, degree=6)
    >>> model = DecisionFocusedRegressor(GridPaths(5, 5)).fit(X[:200], costs[:200])
    >>> model.predict(X[200:]).shape, model.decide(X[200:]).shape
    ((100, 40), (100, 40))
    >>> model.regret(X[200:], costs[200:]) < 0.12
    True
    >>> print(model.result_.status.name)
    CONVERGED
    """

    about = About(
        "Graphs, matchings, decisions", "costs, for decisions of an optimizer", X="a matrix",
        y="true costs", page="decisions.md",
        score="1 minus the relative regret; `regret` has other forms",
    )  # fmt: skip

    optimize: Any = None
    _: KW_ONLY
    sense: Sense = "min"
    fit_intercept: bool = True
    C: float | ChoiceOfC = "auto"

    default_rtol = 1e-2

    _requires_y = _has_several_outputs = True

    def predict(self, X: Any) -> Any:
        """Predict the costs.

        Returns
        -------
        ndarray of shape (n, m)
            If examples have different numbers of costs, a list of arrays.
        """
        check_is_fitted(self, "w_")
        return self.problem_.costs(self._encoded(X).X, self.w_)

    def decide(self, X: Any) -> Any:
        """Return the decisions that are best for the predicted costs.

        Parameters
        ----------
        X : sequence of n inputs

        Returns
        -------
        ndarray of shape (n, m)
            If examples have different numbers of costs, a list of arrays.
        """
        check_is_fitted(self, "w_")
        found = self._outputs(self._encoded(X).X)
        return found if isinstance(found, np.ndarray) else list(found)

    def regret(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the relative regret of the decisions for the predicted costs.

        The regret of an example is the difference, at the true costs, between the value of its
        decision and the value of the best decision. The relative regret is the sum of the regrets,
        divided by the sum of the absolute values of the best decisions.

        Parameters
        ----------
        X : sequence of n inputs
        y : array of shape (n, m), or sequence of n arrays
            The true costs.
        sample_weight : array-like of shape (n,), optional
            Weights of the examples in the relative regret.

        Returns
        -------
        float
            The relative regret, at least 0.

        Raises
        ------
        ValueError
            If all best decisions have the value 0.
        """
        check_is_fitted(self, "w_")
        require_costs(y)
        data = self._encoded(X, y, sample_weight)
        if holds_optima(y):
            optimizers = data.X.own or self.problem_.optimizer
            require_own_decisions(optimizers, data.Y, self.problem_.sign)
        total = float(data.weights @ np.abs(data.Y.values))
        if not total:
            raise ValueError(
                "the best decisions all have the value 0, so no regret relative to it exists"
            )
        decisions = self.decide(X)
        with outputs_called_y():
            found = self.problem_.task(data.X, data.Y).losses(decisions)
        return float(data.weights @ found) / total

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return 1 - the relative regret: see :meth:`regret`."""
        return 1 - self.regret(X, y, sample_weight)

    # ------------------------------------------------------------------ hooks

    def _require_parameters(self) -> None:
        super()._require_parameters()
        require_flag("fit_intercept", self.fit_intercept)

    def _given(self, X: Any, y: Any, reset: bool) -> tuple[DecisionInputs, Any]:
        X = listed(X)
        if _has_own_features(X):
            require_same_indices(listed(y), [getattr(x, "features", x) for x in X])
            X = arrays_in(self, "X", X, reset)
        else:
            X = checked_rows(self, X, reset=reset)
        y = None if y is None else arrays_in(self, "y", y, reset)
        return DecisionInputs.of(X, self.sense), y

    def _new_encoding(self) -> DecisionEncoding:
        return DecisionEncoding(
            self.scale, self.fit_intercept, self.optimize, self.sense, self.n_jobs
        )

    def _automatic_C(self, data: Encoded) -> float:
        """Return the value of C='auto', in the units of the data."""
        optima, inputs, weights = data.Y, data.X, data.weights
        k = float(weights @ optima.sums(np.abs(optima.decisions))) / weights.sum()
        costs, of_costs = optima.costs, weights[optima.layout.owner]
        mean = np.average(costs, weights=of_costs)
        s = float(np.sqrt(np.average((costs - mean) ** 2, weights=of_costs)))
        count = 1 if inputs.shared else optima.layout.sizes[0]
        unit = self._encoding.per_square(count * (s or abs(mean)) / (k or 1.0))
        return min(RELATIVE_C * float(weights.sum()), LARGEST_C) * (unit or 1.0)

    def _problem(self) -> DecisionProblem:
        given = self.optimize
        made = None if given is None else as_optimizer(given, self.sense)
        return DecisionProblem(made, self.sense)

    def _keep(self, problem: Any, result: Result, data: Encoded) -> None:
        super()._keep(problem, result, data)
        columns = self._encoding.columns
        self.coef_, self.intercept_ = columns.parts(columns.given(self.w_.reshape(problem.shape_)))


def _has_own_features(X: Any) -> bool:
    """Whether X holds instances, or features of each cost, instead of one row for each example."""
    if isinstance(X, np.ndarray) and X.dtype != object:
        return X.ndim == 3
    first = X[0] if isinstance(X, (list, tuple, np.ndarray)) and len(X) else None
    return isinstance(first, (Instance, Program, tuple)) or len(getattr(first, "shape", ())) == 2
