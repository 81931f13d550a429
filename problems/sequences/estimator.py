"""Base class of the estimators of sequences: features of any scale, and defaults for them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from structsvm.data.arrays import Vector
from structsvm.estimators.encoded import Encoded
from structsvm.estimators.scales_columns import ScalesColumns
from structsvm.estimators.training import StructuredEstimator
from structsvm.problems.classification.state_weights import HasStateWeights


class SequenceEstimator(HasStateWeights, ScalesColumns, StructuredEstimator):
    """Base class of the estimators of sequences, which divide the columns of features."""

    classes_: NDArray[Any]
    transitions_: Vector
    #: C for each sequence, by default, where the mean of ||x||^2 is 1: with the hinge, and else.
    default_C: tuple[float, float]
    _takes_matrix, _takes_sparse = False, True
    _evened = 0.0  # rare words would take part of the place of the transitions

    def _require_same(self, same: bool) -> None:
        """Raise a ValueError unless features and labels are those that a warm start continues."""
        if not same:
            raise ValueError(
                "warm_start continues the last fit, whose features or labels were others; give the "
                "same, or set warm_start=False"
            )

    def _require_loss_counts(self, name: str) -> None:
        """Raise a ValueError where ``name``, which changes the loss alone, would have no effect."""
        if self.loss == "log_loss":
            raise ValueError(
                f"{name} would have no effect: it changes the loss, which loss='log_loss' leaves "
                "out; use loss='softmax_margin' or 'hinge', or weigh whole sequences by "
                "sample_weight"
            )

    def _automatic_C(self, data: Encoded) -> float:
        C = self.default_C[self.loss != "hinge"] * float(data.weights.sum())
        return self._per_square(C)

    def _as_given(self, weights: Any) -> Any:
        """Weights of scaled columns, an array or a CSR matrix, for the columns as given."""
        weights = weights[:, : len(self.scale_)]
        if not sparse.issparse(weights):
            return weights / self.scale_
        weights = weights.copy()
        weights.data /= self.scale_[weights.indices]
        return weights

    def _divisors(self, d: int) -> Vector:
        """Those of the columns as given; columns that were added have 1."""
        return np.append(self.scale_, np.ones(d - len(self.scale_)))
