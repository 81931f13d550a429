"""Maximum margin clustering into two clusters, by sign decoding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np

from structsvm.problem import SelfLabelledProblem, Vector
from structsvm.problems._arrays import column_moments, dtype_of, require_matrix
from structsvm.solvers.arguments import require_nonnegative

#: The constant feature that carries the offset. Its weight b / BIAS costs b^2 / (2 BIAS^2) in the
#: objective, at most half a percent of 1 for an offset of 1.
BIAS = 10.0
#: Planes that are made anew at once.
BLOCK = 16


class MMCProblem(SelfLabelledProblem):
    r"""Two-cluster maximum margin clustering as a self-labelled problem of one example.

    The one input x is the whole data matrix, an output y one sign per row. Rows are centred and
    divided by the root of their mean squared norm, both implicitly, so sparse data stay sparse and
    C has one meaning for all data; with float32 data the products are in float32, and the
    certificate holds to their rounding. With f_i the
    score of row i:

    - Psi(x, y) = 1/(2n) sum_i y_i x_i, and decoding is y_i = sgn(f_i) with sgn(0) = +1;
    - Delta is the share of rows that differ, so that the slack is the mean hinge loss
      1/n sum_i max(0, 1 - \|f_i\|) (Theorem 2 of Zhao, Kwok & Zhang, with their factor 2 in Psi);
    - the oracle returns the *set of rows to flip*, exactly those with y_i f_i < 1, as a boolean
      mask. As a set of flips a plane stays meaningful when labels change.

    The class balance -balance <= mean_i f_i <= balance is a bound on the offset, because the rows
    are centred; with ``balance=0`` there is no offset.

    Parameters
    ----------
    balance : float, default=0.0
        Bound of the mean score, l / n in the papers.
    """

    max_loss = 1.0

    def __init__(self, balance: float = 0.0) -> None:
        self.balance = balance

    def initialize(self, X: Any, Y: Any = None) -> None:
        x = X[0]
        require_matrix(x)
        if len(X) != 1 or x.shape[0] < 2:
            raise ValueError(
                "MMCProblem expects X = [data], one matrix of at least 2 rows; got "
                f"{len(X)} inputs, the first with n_samples = {x.shape[0]}"
            )
        require_nonnegative("balance", self.balance)
        self.mean_, variances = column_moments(x)
        self.scale_ = float(np.sqrt(variances.sum()))
        precision = np.finfo(dtype_of(x))
        if self.scale_ <= np.sqrt(precision.eps) * np.linalg.norm(self.mean_):
            raise ValueError(
                "X must hold at least two different rows; all rows are the same, to the precision "
                f"of {precision.dtype}. If they do differ, subtract their mean first"
            )
        self.size_joint_feature = x.shape[1] + (self.balance > 0)

    def constraints(self) -> tuple[Any, Any] | None:
        if self.balance == 0:
            return None
        row = np.zeros(self.size_joint_feature)
        row[-1] = BIAS
        return np.array([row, -row]), np.full(2, self.balance)

    def linear_function(self, w: Vector) -> tuple[Vector, float]:
        """The coefficients and the offset of the scores, for rows as the user gave them."""
        d = len(self.mean_)
        coef = w[:d] / self.scale_
        offset = BIAS * w[d] if self.balance > 0 else 0.0
        return coef, float(offset - coef @ self.mean_)

    def scores(self, x: Any, w: Vector) -> Vector:
        """f_i of every row."""
        coef, offset = self.linear_function(w)
        return np.asarray(x @ coef.astype(dtype_of(x))).astype(np.float64) + offset

    # ------------------------------------------------------------------ the contract

    def joint_feature(self, x: Any, y: Any) -> Vector:
        return self._weighted_sum(x, np.asarray(y, dtype=np.float64)[None, :] / 2)[0]

    def loss(self, y: Any, y_hat: Any) -> float:
        return float(np.mean(_flips(y, y_hat)))

    def decode(self, x: Any, w: Vector) -> Any:
        return np.where(self.scores(x, w) >= 0, 1, -1).astype(np.int8)

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        return y * self.scores(x, w) < 1

    def joint_feature_difference(self, x: Any, y: Any, y_hat: Any) -> Vector:
        return self._weighted_sum(x, (_flips(y, y_hat) * y)[None, :])[0]

    def outputs(self, x: Any) -> Iterable[Any]:
        return (np.array(y, dtype=np.int8) for y in product((-1, 1), repeat=x.shape[0]))

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Eight rows in the plane, few enough for all labellings to be enumerated."""
        return [np.random.default_rng(0).normal(size=(8, 2))], None

    def initial_w(self, X: Any, rng: np.random.Generator) -> Vector:
        """A random direction, the scores of a standard deviation of 1e-3."""
        return self.start(X[0], rng.standard_normal(self.size_joint_feature), 1e-3)

    def start(self, x: Any, direction: Vector, spread: float) -> Vector:
        """A w along a direction, with this standard deviation of the scores and no offset."""
        w = np.asarray(direction, dtype=np.float64).copy()
        w[len(self.mean_) :] = 0
        deviation = float(self.scores(x, w).std())
        return w * (spread / deviation) if deviation > 0 else w

    def relabelled_planes(
        self,
        X: Any,
        Y: Any,
        outputs: Sequence[Any],
        weights: Vector,
        previous: tuple[Any, Vector, Vector] | None = None,
    ) -> tuple[Vector, Vector]:
        """One matrix product for all flip sets; after few label changes, over those rows only."""
        x, y = X[0], Y[0]
        masks = np.stack([flips for (flips,) in outputs])
        if previous is not None:
            (y_old,), rows, offsets = previous
            changed = np.flatnonzero(y != y_old)
            if len(changed) <= len(y) // 3:
                steps = masks[:, changed] * (y[changed] - y_old[changed])
                return rows + weights * self._weighted_sum(x, steps, changed), offsets.copy()
        blocks = range(0, len(masks), BLOCK)  # a float for every row and plane would be too many
        sums = [self._weighted_sum(x, masks[start : start + BLOCK] * y) for start in blocks]
        return weights * np.concatenate(sums), weights[:, 0] * masks.mean(axis=1)

    def _weighted_sum(self, x: Any, signs: Vector, rows: Any = slice(None)) -> Vector:
        """1/n sum_i signs[j, i] x_i over some rows i, centred and scaled; shape (m, size)."""
        part = x if isinstance(rows, slice) else x[rows]
        sums = np.asarray((part.T @ signs.T.astype(dtype_of(x), copy=False)).T, dtype=np.float64)
        totals = signs.sum(axis=1, dtype=np.float64)
        sums -= np.outer(totals, self.mean_)
        sums /= self.scale_
        if self.balance > 0:
            sums = np.column_stack([sums, BIAS * totals])
        return sums / x.shape[0]


def _flips(y: Any, y_hat: Any) -> Any:
    """The rows on which y_hat differs from y; y_hat is a label vector or already a mask."""
    return y_hat if y_hat.dtype == bool else y != y_hat
