"""Base class of the estimators of sequences: features of any scale, and defaults for them."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from structsvm.matrices import product_dtype
from structsvm.problem import Problem
from structsvm.solver_estimator import StructuredEstimator
from structsvm.solvers.auto import Choice

#: C for each sequence, by default, where the mean of ||x||^2 is 1.
C_OF_A_SEQUENCE = 5.0
#: Default tolerance of the gap: smaller gaps change hardly a prediction.
RTOL = 1e-2


class SequenceEstimator(StructuredEstimator):
    """Base class of the estimators of sequences, which divide the features by their scale."""

    scale_: float
    C_: float

    def _chosen_C(self, n: int) -> Any:
        """C for n sequences."""
        automatic = isinstance(self.C, str) and self.C == "auto"
        return C_OF_A_SEQUENCE * n if automatic else self.C

    def _scaled(self, rows: Any) -> Any:
        """Rows of features divided by ``scale_``, in the dtype of products with them."""
        return rows.astype(product_dtype(rows)) / self.scale_

    def _choice(self, problem: Problem, X: Any, Y: Any) -> Choice:
        choice = super()._choice(problem, X, Y)
        choice.solver.set_params(rtol=RTOL)
        return choice

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.sparse = False, True
        return tags


def one_thread_if_sparse(rows: Any) -> AbstractContextManager[Any]:
    """A context in which BLAS has one thread, where products with the rows do not need it.

    Its threads would wait in turns for the short operations on vectors that are left.
    """
    return threadpool_limits(1, user_api="blas") if sparse.issparse(rows) else nullcontext()


def root_mean_square(rows: Any) -> float:
    """The root of the mean of ||x||^2 over rows x, dense or CSR; 1 where all are 0."""
    numbers = rows.data if sparse.issparse(rows) else rows
    mean = float(np.square(numbers, dtype=np.float64).sum()) / rows.shape[0]
    return mean**0.5 or 1.0
