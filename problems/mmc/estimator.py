"""The clusterer: maximum margin clustering from several starts."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
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
from structsvm.problem import Vector
from structsvm.problems.mmc.problem import MMCProblem
from structsvm.result import Result, Status, Verification
from structsvm.solvers import CCCP
from structsvm.solvers.arguments import require_integer, require_nonnegative, require_positive
from structsvm.solvers.cccp import SEARCH_RTOL

#: Restarts that are solved to the final tolerance.
FINALISTS = 3


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
        complete = len(results) == self.n_init and results[-1].status is not Status.INTERRUPTED
        if complete:
            finals, complete = self._descend(Z, self._distinct(results))
            passes += sum(result.iterations for result in finals)
            results = finals or results
        best = min(results, key=self._rank)
        if not complete:
            best = replace(best, status=Status.INTERRUPTED)
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

    def _descend(self, Z: Any, results: list[Result]) -> tuple[list[Result], bool]:
        """The results solved to the tolerance, and whether all were; Ctrl-C ends it early."""
        solver = CCCP(rtol=self.tol, max_iter=self.max_iter, search=False)
        finals: list[Result] = []
        try:
            for result in results:
                finals.append(solver.solve(self.problem_, [Z], C=self.C, w0=result.w))
                if finals[-1].status is Status.INTERRUPTED:
                    return finals, False
        except KeyboardInterrupt:
            return finals, False
        return finals, True

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
