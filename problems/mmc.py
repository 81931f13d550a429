"""Maximum margin clustering into two clusters, by sign decoding."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from numbers import Real
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data
from tqdm import tqdm

from structsvm.estimator import warn_unless_converged
from structsvm.kernels import feature_map
from structsvm.problem import SelfLabelledProblem, Vector
from structsvm.problems._arrays import column_moments, dtype_of, require_matrix
from structsvm.result import Result, Status, Verification
from structsvm.solvers import CCCP
from structsvm.solvers.arguments import require_integer, require_nonnegative, require_positive
from structsvm.solvers.cccp import SEARCH_RTOL

#: The constant feature that carries the offset. Its weight b / BIAS costs b^2 / (2 BIAS^2) in the
#: objective, at most half a percent of 1 for an offset of 1.
BIAS = 10.0
#: Planes that are made anew at once.
BLOCK = 16
#: Restarts that are solved to the final tolerance.
FINALISTS = 3


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


class MMC(ClusterMixin, BaseEstimator):
    """Maximum margin clustering into two clusters.

    Finds labels and a hyperplane such that the soft margin is largest. From several starts a
    search is run; the best few are solved to the tolerance, and the lowest objective among those
    without a tiny cluster is kept. No labels are used anywhere.

    Parameters
    ----------
    C : float, default=100.0
        Weight of the mean hinge loss in the objective of :mod:`structsvm.objective`, for rows
        centred and scaled to a mean squared norm of 1, so it does not depend on units or on n.
        From 30 to 200 all four digit pairs of the benchmark are clustered alike. Overlapping or
        unbalanced clusters need less.
    balance : float, default=0.0
        Bound of the mean score, l / n in the papers. 0 asks for scores that balance exactly;
        clusters of unequal size need more, up to about 1.
    kernel : {'linear', 'rbf', 'poly', 'precomputed'} or callable, default='linear'
        Any other than 'linear' maps to the kernel PCA coordinates of the training rows.
    gamma : 'scale' or float, default='scale'
        Of 'rbf' and 'poly'; 'scale' is 1 / (n_features * variance of all entries of X).
    degree : int, default=3
        Of 'poly'.
    n_init : int, default=10
        Starts: one from 2-means, the others random.
    min_cluster_size : float, default=0.05
        Smallest share of rows that a cluster should have. A start that ends with less is passed
        over; if all do, the best is returned with a warning.
    tol : float, default=1e-3
        Relative duality gap of the solution, its labels held.
    max_iter : int, default=1000
        Oracle passes at most, of each start's search and again of each descent that finishes it.
    random_state : int, RandomState instance or None, default=None
        Draws the starts.
    n_jobs : int, optional
        Starts run in parallel by joblib; the result is the same.
    verbose : bool, default=False
        Show a progress bar over the starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        0 or 1 for every row.
    objective_ : float
        The objective reached.
    result_ : Result
        Objective, gap, status and guarantee of the start that was kept.
    coef_ : ndarray of shape (1, n_features)
        Of the scores, for rows as given; with the linear kernel only.
    intercept_ : ndarray of shape (1,)
    n_iter_ : int
        Oracle passes of all starts and descents. The counts and times of ``result_`` are those of
        the descent that found it.
    n_features_in_ : int

    References
    ----------
    Zhao, Kwok & Zhang, Maximum Margin Clustering with Multivariate Loss Function, ICDM 2009,
    section II; Zhao, Wang & Zhang, Efficient Multiclass Maximum Margin Clustering, ICML 2008. We
    differ in centring and scaling, in the starts, and in the descent described at
    :class:`structsvm.CCCP`.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm.problems import MMC
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.normal(-2, 1, (50, 2)), rng.normal(2, 1, (50, 2))])
    >>> mmc = MMC(random_state=0).fit(X)
    >>> sorted(np.bincount(mmc.labels_).tolist())
    [50, 50]
    """

    def __init__(
        self,
        C: float = 100.0,
        balance: float = 0.0,
        kernel: Any = "linear",
        gamma: Any = "scale",
        degree: int = 3,
        n_init: int = 10,
        min_cluster_size: float = 0.05,
        tol: float = 1e-3,
        max_iter: int = 1000,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.C = C
        self.balance = balance
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.n_init = n_init
        self.min_cluster_size = min_cluster_size
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> MMC:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array or scipy.sparse matrix of shape (n, n_features)
            float32 stays float32 in products with X; all else is converted to float64. With
            ``kernel='precomputed'`` the kernel matrix, of shape (n, n).
        y : ignored

        Returns
        -------
        MMC
            The estimator itself. It warns with scikit-learn's ``ConvergenceWarning`` where the
            training did not converge, or every start left a cluster that is too small.
        """
        self._check_parameters()
        X = validate_data(
            self, X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_min_samples=2
        )
        if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(
                "X must be the square kernel matrix of the training rows with "
                f"kernel='precomputed'; got shape {X.shape}"
            )
        self._map = feature_map(self.kernel, X, gamma=self.gamma, degree=self.degree)
        Z = self._map.fit_transform(X)
        if Z.shape[1] == 0:
            raise ValueError("the kernel is constant: all rows are the same to it")
        self.problem_ = MMCProblem(self.balance)
        self.problem_.initialize([Z])
        self.result_, self.n_iter_ = self._best(Z)
        if isinstance(self.kernel, str) and self.kernel == "linear":
            coef, offset = self.problem_.linear_function(self.result_.w)
            self.coef_, self.intercept_ = coef[None, :], np.array([offset])
        self.labels_ = self._labels(self.result_)
        self.objective_ = self.result_.primal
        warn_unless_converged(self.result_)
        return self

    def decision_function(self, X: Any) -> Vector:
        """Signed scores of shape (n,), the margin at +-1; for 'precomputed' X is K(new, train)."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        return np.asarray(self.problem_.scores(self._map.transform(X), self.result_.w))

    def predict(self, X: Any) -> Any:
        """The cluster, 0 or 1, of every row."""
        return (self.decision_function(X) >= 0).astype(np.intp)

    def verify(self, X: Any) -> Verification:
        """Recompute the certificate from the training rows: see :meth:`structsvm.Result.verify`."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        return self.result_.verify(self.problem_, [self._map.transform(X)])

    # ------------------------------------------------------------------ restarts

    def _best(self, Z: Any) -> tuple[Result, int]:
        """The result to keep, and the passes that all took."""
        results = self._search(Z)
        passes = sum(result.iterations for result in results)
        if len(results) == self.n_init and results[-1].status is not Status.INTERRUPTED:
            finals = [self._descend(Z, result) for result in self._distinct(results)]
            passes += sum(result.iterations for result in finals)
            best = min(finals, key=self._rank)
        else:
            best = replace(min(results, key=self._rank), status=Status.INTERRUPTED)
        if self._rank(best)[0]:
            share = self._smallest(best)
            warnings.warn(
                f"every start ended with a cluster below min_cluster_size={self.min_cluster_size}"
                f" of the rows (the best: {share:.3g}); look for outliers, lower balance or "
                "min_cluster_size, or change C",
                ConvergenceWarning,
                stacklevel=3,
            )
        return best, passes

    def _search(self, Z: Any) -> list[Result]:
        """The outcome of every start; after Ctrl-C, of those that were run."""
        solver = CCCP(rtol=max(self.tol, SEARCH_RTOL), max_iter=self.max_iter)
        runs = Parallel(n_jobs=self.n_jobs, return_as="generator")(
            delayed(solver.solve)(self.problem_, [Z], C=self.C, w0=w0) for w0 in self._starts(Z)
        )
        results: list[Result] = []
        progress = tqdm(runs, total=self.n_init, desc="MMC", unit="start", disable=not self.verbose)
        try:
            for result in progress:
                results.append(result)
                if result.status is Status.INTERRUPTED:
                    break
        except KeyboardInterrupt:
            if not results:
                raise
        return results

    def _starts(self, Z: Any) -> Iterator[Vector]:
        """One between the centres of 2-means, then random directions of small and large scores.

        From a small w the search anneals; from a large one it explores other optima.
        """
        rng = check_random_state(self.random_state)
        centres = KMeans(2, n_init=1, random_state=rng).fit(Z).cluster_centers_
        direction = np.append(centres[1] - centres[0], 0.0)[: self.problem_.size_joint_feature]
        yield self.problem_.start(Z, direction, 1e-3)
        for start in range(1, self.n_init):
            direction = rng.standard_normal(self.problem_.size_joint_feature)
            yield self.problem_.start(Z, direction, 1.0 if start % 2 else 1e-3)

    def _distinct(self, results: list[Result]) -> list[Result]:
        """The best few whose labels differ, up to their names."""
        chosen: list[Result] = []
        for result in sorted(results, key=self._rank):
            signs = result.labels[0] * result.labels[0][0]
            if all(np.any(signs != r.labels[0] * r.labels[0][0]) for r in chosen):
                chosen.append(result)
        return chosen[:FINALISTS]

    def _descend(self, Z: Any, result: Result) -> Result:
        solver = CCCP(rtol=self.tol, max_iter=self.max_iter, search=False)
        return solver.solve(self.problem_, [Z], C=self.C, w0=result.w)

    def _rank(self, result: Result) -> tuple[bool, float]:
        return self._smallest(result) < self.min_cluster_size, result.primal

    def _smallest(self, result: Result) -> float:
        return float(np.bincount(self._labels(result), minlength=2).min() / len(result.labels[0]))

    def _labels(self, result: Result) -> Any:
        return (result.labels[0] > 0).astype(np.intp)

    def _check_parameters(self) -> None:
        require_integer("n_init", self.n_init, 1)
        require_integer("degree", self.degree, 1)
        require_nonnegative("tol", self.tol)
        if not (isinstance(self.gamma, str) and self.gamma == "scale"):
            require_positive("gamma, if not 'scale',", self.gamma)
        share = self.min_cluster_size
        if not isinstance(share, Real) or not 0 <= share < 0.5:
            raise ValueError(f"min_cluster_size must be in [0, 0.5); got {share!r}")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
