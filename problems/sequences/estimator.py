"""Base class of the estimators of sequences: features of any scale, and defaults for them."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from structsvm.data.arrays import Vector
from structsvm.data.matrices import mean_square
from structsvm.data.mixed import MixedRows
from structsvm.estimators.encoded import Encoded
from structsvm.estimators.training import StructuredEstimator


class SequenceEstimator(StructuredEstimator):
    """Base class of the estimators of sequences, which divide the features by their scale."""

    scale_: float
    classes_: NDArray[Any]
    transitions_: Vector
    #: C for each sequence, by default, where the mean of ||x||^2 is 1: with the hinge, and else.
    default_C: tuple[float, float]

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
        return self.default_C[self.loss != "hinge"] * float(data.weights.sum())

    def _scaled(self, rows: Any) -> Any:
        """Rows of features divided by ``scale_``, in their own precision."""
        return rows * (1 / self.scale_)  # scipy's division would return float64

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.sparse = False, True
        return tags


def root_mean_square(rows: Any, weights: Any) -> float:
    """The root of the weighted mean of ||x||^2 over rows x; 1 where that is 0."""
    parts = (rows.sparse, rows.dense) if isinstance(rows, MixedRows) else (rows,)
    return sum(mean_square(part, weights) for part in parts) ** 0.5 or 1.0
