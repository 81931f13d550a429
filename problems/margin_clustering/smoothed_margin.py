"""Short descents on the objective with a smoothed hinge loss, in principal coordinates."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import eigh
from scipy.optimize import fmin_l_bfgs_b

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.margin_clustering.problem import ClusteringProblem
from structsvm.problems.margin_clustering.rows import DaskRows, StandardRows, inner_products

#: Share of the variance that the coordinates hold, unless that takes more than MOST of them.
SHARE = 0.99
#: Largest number of coordinates.
MOST = 100
#: Least variance of a coordinate that is not only rounding errors; rows have a mean squared norm
#: of 1.
NONE = 1e-12

#: Temperature of the log-sum-exp that smooths the hinge loss, relative to a margin of 1.
TEMPERATURE = 0.05
#: Relative change of the objective at which a descent ends: above the rounding of float32.
RTOL = 1e-5


class PrincipalCoordinates:
    """Coordinates of scaled rows along leading principal axes and along the mean row.

    All coordinates except the last have mean 0. If the rows are centred, the last coordinate is the
    constant feature of the rows. If the rows are sparse, or there are fewer rows than features, the
    coordinates are computed from inner products of rows, without a dense copy.

    Parameters
    ----------
    rows : StandardRows
        The centring and the scale of the rows.
    x : array, CSR matrix or DaskRows of shape (n, d)
        At most a few thousand rows, because the time is cubic in n.

    Attributes
    ----------
    values : ndarray of shape (n, r), or (n, r + 1) where the rows have a mean
    mean : float
        The norm of the mean row.
    """

    def __init__(self, rows: StandardRows, x: Any) -> None:
        self._rows, self._x = rows, x[:] if isinstance(x, DaskRows) else x
        mean_row = rows.mean_row
        self.mean = float(np.linalg.norm(mean_row))
        self._direction = mean_row / (self.mean or 1.0)
        values, variances = _principal(
            self._x * self._x.dtype.type(1 / rows.scale), self._direction[: rows.n_features]
        )
        self._coefficients = values / np.where(variances > NONE * len(values), variances, np.inf)
        along = rows.scores(self._x, self._direction[None, :])
        self.values = np.column_stack([values, along]) if self.mean else values

    def weights(self, W: Vector) -> Vector:
        """Return weights (k, size) that give rows the same scores as W gives their coordinates."""
        r = self._coefficients.shape[1]
        weights = self._rows.weighted_sums(self._x, W[:, :r] @ self._coefficients.T)
        if self.mean:
            weights += np.outer(W[:, -1] - weights @ self._direction, self._direction)
        return weights


def _principal(x: Any, without: Vector) -> tuple[Vector, Vector]:
    """Return leading coordinates of rows, shape (n, r), and their sums of squares, shape (r,).

    The rows are centred and made orthogonal to the argument ``without``.
    """
    along = x @ without
    along -= along.mean()
    if sparse.issparse(x) or x.shape[0] <= x.shape[1]:
        variances, U = _leading(inner_products(x) - np.outer(along, along))
        return U * np.sqrt(variances), variances
    x = x - x.mean(axis=0, dtype=np.float64) - np.outer(along, without)
    variances, directions = _leading(x.T @ x)
    return x @ directions, variances


def _leading(products: Vector) -> tuple[Vector, Vector]:
    """Return the largest eigenvalues, up to ``SHARE`` of the trace, and their eigenvectors."""
    m = len(products)
    eigenvalues, vectors = eigh(products, subset_by_index=[max(0, m - MOST), m - 1])
    held = np.cumsum(eigenvalues[::-1])
    eigenvalues = eigenvalues.clip(0)
    kept = 1 + int(np.searchsorted(held[:-1], SHARE * np.trace(products)))
    return eigenvalues[::-1][:kept], vectors[:, ::-1][:, :kept]


class Member(NamedTuple):
    """A clustering: its objective without smoothing, weights (k, r) and labels (n,)."""

    objective: float
    W: Vector
    labels: Indices


class SmoothedMargin:
    """The objective in principal coordinates, as a function of the weights of the clusters.

    A log-sum-exp over the clusters smooths the hinge loss. Every evaluation imputes the unknown
    labels.

    Parameters
    ----------
    problem : ClusteringProblem
        The problem, which determines the allowed labels and bounds the differences of offsets.
    coordinates : PrincipalCoordinates
    known : ndarray of shape (n,) or None
        Labels, with -1 for each unknown label.
    C : float
        Weight of the mean hinge loss.

    Attributes
    ----------
    passes : int
        Number of evaluations of the smoothed objective so far.
    """

    def __init__(
        self,
        problem: ClusteringProblem,
        coordinates: PrincipalCoordinates,
        known: Indices | None,
        C: float,
    ) -> None:
        self.problem, self.known, self.C = problem, known, C
        self.x = coordinates.values
        self.n, self.r = self.x.shape
        self.k = problem.n_clusters
        self.passes = 0
        #: float32 halves the time of the products; a descent ends before the precision matters.
        self._columns = np.ascontiguousarray(self.x.T, dtype=np.float32)
        self._rows = np.arange(self.n)
        self._variances = np.square(self.x).mean(axis=0)
        self._bounds = None
        self._mean = coordinates.mean
        if self._mean:
            # Two mean scores within half of the balance differ by at most the balance.
            most = problem.balance / (2 * self._mean)
            self._bounds = [(None, None)] * (self.r - 1) + [(-most, most)]
            self._bounds *= self.k

    def discriminant(self, labels: Indices) -> Vector:
        """Return weights of shape (k, r) that separate the clusters of a partition.

        If the clusters have no offsets, the weights come from ridge regression on the labels. If
        the clusters have offsets, the weights come from a linear discriminant, because ridge
        regression might assign no row to a cluster between two other clusters.
        """
        members = np.eye(self.k)[:, labels]
        sums = members @ self.x / self.n
        W: Vector = sums / (self._variances + 1 / self.C)
        if self._bounds is None:
            return W
        shares = np.maximum(members.mean(axis=1, keepdims=True), 1 / self.n)
        means, W = sums / shares, W / shares
        offsets = -(W[:, :-1] * means[:, :-1]).sum(axis=1) / (2 * self._mean)
        W[:, -1] = (offsets - offsets.mean()).clip(*self._bounds[-1])
        return W

    def descend(self, W: Vector, steps: int) -> Member:
        """Make at most ``steps`` steps of L-BFGS, starting at W; return the clustering."""
        w, _, _ = fmin_l_bfgs_b(
            self._value, W.ravel(), maxiter=steps, bounds=self._bounds,
            factr=RTOL / np.finfo(np.float64).eps,
        )  # fmt: skip
        return self._member(w.reshape(self.k, self.r))

    def _member(self, W: Vector) -> Member:
        scores = self.x @ W.T
        labels = self._labels(scores)
        own = scores[self._rows, labels]
        scores[self._rows, labels] = -np.inf
        hinge = np.maximum(0, 1 - own + scores.max(axis=1)).mean()
        return Member(float(np.square(W).sum() / 2 + self.C * hinge), W, labels)

    def _value(self, w: Vector) -> tuple[float, Vector]:
        """Return the smoothed objective and its gradient for fixed labels, from float32 scores."""
        self.passes += 1
        scores = w.reshape(self.k, self.r).astype(np.float32) @ self._columns
        labels = self._labels(scores.T)
        scores += 1 - scores[labels, self._rows]
        scores[labels, self._rows] = 0
        most = scores.max(axis=0)  # for a log-sum-exp that does not overflow
        scores -= most
        scores /= TEMPERATURE
        terms = np.exp(scores, out=scores)
        totals = terms.sum(axis=0)
        slack = (most + TEMPERATURE * np.log(totals)).mean(dtype=np.float64)
        terms /= totals
        terms[labels, self._rows] -= 1
        gradient = w + self.C / self.n * (terms @ self._columns.T).ravel()
        return float(w @ w / 2 + self.C * slack), gradient

    def _labels(self, scores: Any) -> Indices:
        labels = scores.argmax(axis=1)
        # Without rounds of prices: a few rows in other clusters make no difference here.
        return self.problem.allowed(labels, self.known, lambda: scores, rounds=0)
