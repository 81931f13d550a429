"""The encoding of decisions: it scales the features and finds the best decisions."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Vector
from structsvm.data.column_moments import ColumnMoments
from structsvm.data.containers import require_examples
from structsvm.data.validation import checked_sample_weight
from structsvm.estimators.encoding import Encoded, ScaledColumns
from structsvm.exceptions import warn_user
from structsvm.problems.decisions.best import optima_of
from structsvm.problems.decisions.data import DecisionInputs, Optima, holds_optima
from structsvm.problems.decisions.optimizers.base import Sense

#: Bounds of the largest cost and of the largest feature. The objective has the magnitude of (costs
#: / features)^2, which must be a normal floating-point number.
LEAST, MOST = 1e-70, 1e70
#: Ratio to the median cost above which a cost is so large that the tolerance hides all others.
HUGE = 1e6


class DecisionEncoding(ScaledColumns):
    """Scale the features of inputs, add a constant, and find the best decisions for true costs.

    Parameters
    ----------
    scale : 'auto' or None
    fit_intercept : bool
    optimize : Optimizer, Program, callable or None
    sense : {'min', 'max'}
    n_jobs : int or None
        The number of processes that find the best decisions.
    """

    def __init__(
        self, scale: Any, fit_intercept: bool, optimize: Any, sense: Sense, n_jobs: int | None
    ) -> None:
        super().__init__(scale)
        self.fit_intercept, self.optimize = fit_intercept, optimize
        self.sense, self.n_jobs = sense, n_jobs

    def learn(self, X: DecisionInputs, y: Any, sample_weight: Any, prior: Any = None) -> Encoded:
        _require_unit("X", X.rows.data if sparse.issparse(X.rows) else X.rows)
        weights, offset = checked_sample_weight(sample_weight, len(X)), self.fit_intercept
        moments = ColumnMoments.of(X.rows, weights[X.layout.owner])
        self.learn_columns(moments, centred=offset, constant=offset)
        require_costs(y)
        data = self.encode(X, y, sample_weight)
        _require_unit("y", data.Y.costs)
        _warn_if_huge(data.Y)
        _warn_if_constant(data.Y)
        return data

    def encode(self, X: DecisionInputs, y: Any = None, sample_weight: Any = None) -> Encoded:
        optimizers, known = X.optimizers(self.optimize), holds_optima(y)
        if X.rows.shape[1] != len(self.columns.sizes):
            raise ValueError(
                f"X has {X.rows.shape[1]} features; expected {len(self.columns.sizes)}"
            )
        weights = checked_sample_weight(sample_weight, len(X))
        inputs = X.with_fields(rows=self.columns.applied(X.rows))
        if y is None:
            return Encoded(inputs, None, weights)
        require_examples(X, y=y)
        optima = Optima.of(y) if known else optima_of(optimizers, y, self.sense, self.n_jobs, "y")
        return Encoded(inputs, optima, weights, inputs.rows)


def require_costs(y: Any) -> None:
    """Raise a ValueError if true costs are missing."""
    if y is None:
        raise ValueError("y must hold the true costs; it is None")


def _require_unit(name: str, values: Vector) -> None:
    """Raise a ValueError if the largest entry is too large, or if it is too small but not 0."""
    largest = float(np.abs(values).max(initial=0.0))
    if largest and not LEAST <= largest <= MOST:
        raise ValueError(
            f"the largest entry of {name} is {largest:.0e}, and training computes with its square: "
            f"expected one from {LEAST:.0e} to {MOST:.0e}; divide {name} by {largest:.0e}"
        )


def _warn_if_huge(optima: Optima) -> None:
    """Warn if one cost is so large that the other costs hardly affect training."""
    sizes = np.abs(optima.costs)
    place = int(sizes.argmax())
    usual = float(np.median(sizes[sizes > 0])) if sizes[place] else 0.0
    if sizes[place] > HUGE * usual:
        i = int(optima.layout.owner[place])
        warn_user(
            f"y[{i}] has a cost of {optima.costs[place]:.1e}, beside a median size of {usual:.1e}: "
            "the tolerance and C='auto' follow the largest costs, so that others hardly count. "
            "If it forbids something, let optimize do so instead, and give it a usual cost"
        )


def _warn_if_constant(optima: Optima) -> None:
    """Warn if all examples have the same costs or decisions, so that little can be learned."""
    n, sizes = len(optima), optima.layout.sizes
    if n == 1 or (sizes != sizes[0]).any():
        return
    costs, decisions = (part.reshape(n, -1) for part in (optima.costs, optima.decisions))
    if (costs == costs[0]).all():
        warn_user("all examples have the same true costs: there is nothing to learn from X")
    elif (decisions == decisions[0]).all():
        warn_user(
            "all examples have the same best decision: it can be taken without X, and what the fit "
            "predicts beyond that is not tested by these costs"
        )
