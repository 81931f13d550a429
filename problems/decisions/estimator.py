"""The estimator of costs whose decisions have little regret."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from structsvm.data.arrays import Vector
from structsvm.data.containers import n_examples, require_pairs
from structsvm.data.matrices import checked_rows, mean_square
from structsvm.data.ragged import Spans
from structsvm.data.validation import checked_sample_weight, require_flag
from structsvm.estimators.encoded import Encoded
from structsvm.estimators.training import StructuredEstimator
from structsvm.problems.classification.rows import BIAS, with_constant
from structsvm.problems.decisions.inputs import DecisionInputs
from structsvm.problems.decisions.optima import Optima, flat_decisions, sums
from structsvm.problems.decisions.problem import DecisionProblem
from structsvm.problems.decisions.solving import best_decisions, flat_costs
from structsvm.results.result import Result


@dataclass(kw_only=True, eq=False, repr=False)
class DecisionFocusedRegressor(StructuredEstimator):
    """Linear prediction of costs, trained for the decisions that follow from them.

    x
    """

    optimize: Any = None
    sense: Any = "min"
    fit_intercept: bool = True
    C: float | str = 10.0

    default_rtol = 1e-2

    def predict(self, X: Any) -> Any:
        """Predict the costs."""
        check_is_fitted(self, "w_")
        return self.problem_.costs(self._encoded(X).X, self.w_)

    def decide(self, X: Any) -> Any:
        """Return the decisions that are best for the predicted costs."""
        return super().predict(X)

    def regret(self, X: Any, costs: Any, sample_weight: Any = None) -> float:
        """x"""
        check_is_fitted(self, "w_")
        data = self._encoded(X, costs, sample_weight)
        optima, decisions = data.Y, flat_decisions(self.decide(X))
        sign = -1 if self.sense == "max" else 1
        regrets = sign * sums(optima.costs * (decisions - optima.decisions), optima.spans)
        return float(data.weights @ regrets / (data.weights @ np.abs(optima.values)))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return 1 - regret."""
        return 1 - self.regret(X, y, sample_weight)

    def _require_parameters(self) -> None:
        super()._require_parameters()
        require_flag("fit_intercept", self.fit_intercept)

    def _encoded(self, X: Any, y: Any = None, sample_weight: Any = None) -> Encoded:
        inputs = DecisionInputs.of(X, self.sense)
        if self.fit_intercept:
            rows = with_constant(inputs.rows, BIAS)
            inputs = DecisionInputs(rows, inputs.spans, inputs.shared, inputs.own)
        weights = checked_sample_weight(sample_weight, len(inputs))
        if y is None:
            return Encoded(inputs, None, weights)
        optimizers = inputs.own if self.optimize is None else self.optimize
        optima = best_decisions(optimizers, y, self.sense, self.n_jobs)
        require_pairs(inputs, optima, "X", "y")
        return Encoded(inputs, optima, weights)

    def _problem(self) -> DecisionProblem:
        return DecisionProblem(self.optimize, self.sense)
