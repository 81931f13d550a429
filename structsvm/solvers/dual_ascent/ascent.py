r"""Coordinate ascent of the dual, one example at a time, for outputs that share no weights.

Multiplied by n / C, the dual variables of an example are probabilities p of its outputs, the true
output included. The vector w is C/n times the sum of the examples' expected joint-feature
differences under the probabilities p. At w the gradient of the dual is C/n times the loss-augmented
scores s. The dual is a quadratic function of the probabilities of an example with features x, and
the Hessian is -C^2/n^2 ||x||^2 times the identity matrix. A step for one example maximises the dual
over the probabilities p of the example: the new p is the projection of p + s / (C/n ||x||^2) onto
the simplex of probabilities, where s are the loss-augmented scores. A step changes only the weights
of the example's features.

While steps do not change the probabilities of an example, the example is left out of 1, and then of
3, 7 and 15 epochs in a row. A proximal term is added for the weights of features with a large sum
of squares. With proximal terms, w differs from v, which is C/n times the sum of the expected
joint-feature differences (:mod:`structsvm.solvers.dual_ascent.proximal`).

The steps are from Keerthi, Sundararajan, Chang, Hsieh & Lin, A sequential dual method for large
scale multi-class linear SVMs (KDD 2008), and the dual is from Crammer & Singer (JMLR 2, 2001). In
contrast to the paper of Keerthi et al., losses may have any size.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Vector
from structsvm.data.matrices import product_dtype
from structsvm.exceptions import ProblemError
from structsvm.objective import example_cap, regulariser
from structsvm.solvers.dual_ascent.proximal import Proximal, dominating
from structsvm.solvers.dual_ascent.steps import ascend

#: How often in an epoch the center of proximal terms moves.
RECENTERED = 8
#: Largest number of epochs in a row that an example is left out of.
REST = 15


class Ascent:
    """The probabilities of all examples' outputs, and the point w that they determine.

    At the start, one output with the least loss has the probability 1 for each example.

    Parameters
    ----------
    task : Task or Wrapper
        The task of all examples. The task's method ``products`` returns features
        (:class:`structsvm.Products`).
    C : float

    Attributes
    ----------
    probabilities : ndarray of shape (n, k)
    """

    def __init__(self, task: Any, C: float) -> None:
        self._cap = example_cap(C, task.n)
        losses = task.score_outputs(np.zeros(task.size))
        self._losses = np.ascontiguousarray(losses, dtype=np.float64)
        n, k = self._losses.shape
        self.probabilities = np.eye(k)[self._losses.argmin(axis=1)]
        self._gaps, self._rest, self._last_rest = np.zeros(n), np.zeros(n, int), np.zeros(n, int)
        self.bind(task)
        self._proximal = Proximal(self._shrink, (len(self._dominating), k))
        self.solution()  # w is 0 unless outputs other than the true one have no loss

    def bind(self, task: Any) -> None:
        """Read the features from the task's method ``products``."""
        self._task, features = task, task.products().features
        if features is None:
            raise ProblemError(
                "DualCoordinateAscent needs the features of products(), which returned their inner "
                "products: return Products(None, true, features), or use DualInteriorPoint"
            )
        rows = self._rows = sparse.csr_matrix(features, dtype=product_dtype(features))
        if not rows.has_canonical_format:
            self._rows = rows = rows.copy()
            rows.sum_duplicates()
        self._dominating, self._shrink = dominating(rows)
        shrinks = np.ones(rows.shape[1], rows.dtype)
        shrinks[self._dominating] = self._shrink
        self._moves = rows.data * shrinks[rows.indices] if len(self._dominating) else rows.data

    def __getstate__(self) -> dict[str, Any]:
        """Return all attributes except the attributes that ``bind`` sets."""
        bound = ("_task", "_rows", "_dominating", "_shrink", "_moves")
        return {name: value for name, value in vars(self).items() if name not in bound}

    @property
    def w(self) -> Vector:
        """The current vector w, which includes the effect of proximal terms."""
        return self._W.T.astype(np.float64, order="C").reshape(-1)

    def epoch(self, rng: np.random.Generator) -> float:
        """Make a step for every example that the epoch does not leave out, in random order.

        Returns an estimate of the duality gap, computed from the scores before each step.
        """
        due = np.flatnonzero(self._rest == 0)
        self._rest -= self._rest > 0
        for order in np.array_split(rng.permutation(due), RECENTERED):
            before = self._W[self._dominating]
            state = self._losses, self.probabilities, self._W, self._cap, self._gaps
            ascend(self._rows, self._moves, order, *state)
            self._v += (self._W[self._dominating] - before) / self._shrink
            self._proximal.recenter(self._v)
            self._W[self._dominating] = self._proximal.w(self._v)
        stays = self._gaps[due] == 0
        self._last_rest[due] = np.where(stays, np.minimum(2 * self._last_rest[due] + 1, REST), 0)
        self._rest[due] = self._last_rest[due]
        shift = self._W[self._dominating] - self._v
        return self._cap * float(self._gaps.sum()) + regulariser(shift.ravel())

    def solution(self) -> tuple[Vector, float]:
        """Return C/n times the sums of all expected joint-feature differences and expected losses.

        To remove the rounding errors of earlier steps, both returned values are recomputed from the
        probabilities of the outputs. After a call of this method, the next epoch leaves out no
        example.
        """
        p = self.probabilities
        p /= p.sum(axis=1, keepdims=True)
        v = self._cap * np.asarray(self._task.expected_difference(p), dtype=np.float64)
        V = v.reshape(-1, self._rows.shape[1]).T
        self._W, self._v = V.astype(self._rows.dtype, order="C"), V[self._dominating]
        self._W[self._dominating] = self._proximal.w(self._v)
        self._rest[:] = 0
        return v, self._cap * float(np.vdot(self._losses, p))
