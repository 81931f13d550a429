"""Base class of the maximum margin clusterers, with shared parameters, attributes and ``fit``."""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from structsvm.data.arrays import Indices, Self, Vector
from structsvm.data.choices import Auto
from structsvm.data.labels import first_seen
from structsvm.data.matrices import checked_rows
from structsvm.data.validation import (
    MOST_STARTS,
    checked_random_state,
    require_integer,
    require_number,
    require_option,
)
from structsvm.estimators.encoding import Encoded
from structsvm.exceptions import warn_user
from structsvm.features import KernelName
from structsvm.problems.margin_clustering.annotation import as_annotations
from structsvm.problems.margin_clustering.candidates import (
    SEARCHES,
    SearchName,
    candidates,
    is_named,
)
from structsvm.problems.margin_clustering.choice import Clustering, best_clustering
from structsvm.problems.margin_clustering.encoding import KernelEncoding
from structsvm.problems.margin_clustering.kernel_clusterer import KernelClusterer
from structsvm.problems.margin_clustering.problem import ClusteringProblem
from structsvm.problems.margin_clustering.rows import DaskRows, is_dask, require_rows
from structsvm.problems.margin_clustering.search import Effort
from structsvm.problems.margin_clustering.size_advice import warn_of_sizes
from structsvm.results.result import Result
from structsvm.results.verification import Verification
from structsvm.solvers.shared.loop import Limits


@dataclass(kw_only=True, eq=False, repr=False)
class MaximumMarginClusterer(KernelClusterer):
    """Base class of clusterers that solve a :class:`ClusteringProblem` in kernel features.

    Parameters
    ----------
    kernel : {'auto', 'linear', 'standardise', 'rbf', 'poly', 'precomputed', 'whiten', \
            'diffusion'} or callable, default='auto'
        'auto' compares three clusterings: a search with 'linear', a search with 'diffusion', and
        k-means. 'auto' chooses the clustering in which most of the ten nearest neighbours of a row
        are in the row's cluster, with a correction for the sizes of the clusters. 'auto' does not
        try k-means if ``balance``, ``min_cluster_size`` or known labels are given. With enough
        known labels, cross-validation chooses the kernel: see ``fit``. For a dask array or a memory
        map, 'auto' uses only 'linear'.

        For the kernels other than 'auto', and for kernels given as functions, see
        :func:`structsvm.features.feature_map`.
    gamma : 'scale' or float, default='scale'
        Parameter of 'rbf' and 'poly'; 'scale' is 1 / (n_features * variance of all entries of X).
    degree : int, default=3
        Degree of 'poly'.
    n_components : int, optional
        Maximum number of features that represent the kernel. For 'diffusion', the default is the
        number of columns of X or 20, whichever is smaller, but at least ``n_clusters``. If X has
        more than 10,000 rows, a random sample of 10,000 determines the features of 'diffusion'.
    center : bool, default=True
        Whether the kernel features are centred by subtracting their mean. With ``center=False``,
        scores have no offset, as in the papers of Zhao et al., unless a classifier of the known
        rows replaces the search (see ``fit``). With ``center=False``, ``balance`` bounds the scores
        of the mean row, and rows are scaled to a mean squared norm of 1 without centring.
    search : {'evolutionary', 'cccp'}, default='evolutionary'
        How to search for clusterings that have a low objective. 'evolutionary' makes short descents
        from many partitions and from mixtures of the best results. 'cccp' runs the concave-convex
        procedure from several initial vectors w, as Zhao et al. do, and takes longer than
        'evolutionary'. Finally, the concave-convex procedure improves the best clusterings until
        ``rtol`` is reached.
    n_init : int, default=4
        Effort of the search. 'cccp' starts from ``n_init`` vectors w, which come from k-means and
        from random directions. 'evolutionary' starts from ``8 * n_init`` partitions.
    rtol : float, default=1e-3
        Tolerance, >= 0 and < 1, of the relative duality gap of the problem with fixed labels.
    max_iter : int, default=2000
        Maximum number of oracle passes in each run of the concave-convex procedure.
    time_limit : float, optional
        Limit of the wall time in seconds, > 0, tested between steps of the fit. At the limit, the
        fit makes one pass over all rows from the best clustering so far, keeps the result, and
        warns. Default: no limit.
    random_state : int, RandomState instance or None, default=None
        Seed or generator of the search. Fits with the same seed give identical results.
    verbose : bool, default=False
        Whether to show a progress bar during the search.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Cluster index of each row, starting at 0. Clusters are numbered as in the known labels.
        Without known labels, clusters are numbered in the order of their first rows. Copies of a
        row share a cluster.
    objective_ : float
        Value of the objective at the solution.
    C_ : float
        The C used in training.
    kernel_ : str or callable
        The kernel used in training. With ``kernel='auto'``, it is 'linear', 'standardise' or
        'diffusion'.
    result_ : Result
        Objective, gap, status and guarantee of the best run of the concave-convex procedure.
    n_iter_ : int
        Number of passes over the rows in the search and in all runs of the concave-convex
        procedure. The counts and times in ``result_`` refer only to the best run of the
        concave-convex procedure.
    n_features_in_ : int
        Number of columns of X.
    """

    C: float | Auto = "auto"
    balance: float | None = None
    kernel: Auto | KernelName | Callable[..., Any] = "auto"
    gamma: float | Literal["scale"] = "scale"
    degree: int = 3
    n_components: int | None = None
    search: SearchName = "evolutionary"
    n_init: int = 4
    min_cluster_size: float | None = None
    center: bool = True
    rtol: float = 1e-3
    max_iter: int = 2000
    time_limit: float | None = None
    random_state: Any = None
    verbose: bool = False

    @abstractmethod
    def _problem(self) -> ClusteringProblem:
        """Return the problem that the parameters describe."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array, scipy.sparse matrix or dask array of shape (n, n_features)
            The rows. Products with float32 data are in float32; data of all other types are
            converted to float64. With ``kernel='precomputed'``, X is the kernel matrix, of shape
            (n, n). With ``kernel='linear'``, X need not fit in memory: it may be a dask array, or a
            ``numpy.memmap`` of float32 or float64.
        y : array-like of int of shape (n,), optional
            Labels for semi-supervised clustering: the cluster index of each row, starting at 0, or
            -1 if the row's cluster is unknown. Rows of known cluster stay in their cluster. If y
            does not contain -1, no label is left to find, so y is ignored with a warning.

            If every cluster has known rows, and at least n_clusters + 2 rows are known, a support
            vector machine trained on the known rows replaces the search. Five-fold cross-validation
            on the known rows chooses the kernel 'linear', 'standardise' or 'diffusion', and C. The
            candidates for C are 10, 100 and 1000, or 20, 200 and 2000 in :class:`MMC`. From the
            weights of the support vector machine trained on the known rows, a descent lowers the
            objective. In the objective of the descent, the mean hinge loss of the known rows has
            weight 1, and the mean hinge loss of the unknown rows has weight 0.2.
            :class:`MultivariateMMC` never replaces its search by a support vector machine, because
            its loss is not a sum over rows.

        Returns
        -------
        estimator
            The estimator itself. ``fit`` warns with scikit-learn's ``ConvergenceWarning`` if
            training did not converge or a cluster is empty or too small. ``fit`` warns if
            ``min_cluster_size`` keeps rows out of the cluster of their highest score, or if several
            clusters have exactly the minimum size. If k-means found the clusters, ``fit`` warns if
            ``predict`` returns other clusters for the training rows.

        Raises
        ------
        ValueError
            If a parameter is out of range, there are fewer rows than clusters, all rows are equal,
            X is not a finite matrix, or y contains -1 and an invalid cluster index.
        """
        self._require_parameters()
        # Validated, a memory map is an array like any other.
        return self._fit(X, y, on_disk=is_dask(X) or isinstance(X, np.memmap))

    def _trained(self, data: Encoded, **options: Any) -> tuple[ClusteringProblem, Clustering]:
        X, known = data.X, data.Y
        # An int seeds scikit-learn's RandomState in the map and numpy's Generator of the search.
        seed = int(checked_random_state(self.random_state).randint(2**31 - 1))
        deadline = math.inf if self.time_limit is None else time.monotonic() + self.time_limit
        effort = Effort(self.n_init, self.rtol, self.max_iter, seed, self.verbose, deadline)
        best = best_clustering(X, candidates(self, X, known, seed, options["on_disk"]), effort)
        problem, known = best.candidate.problem, best.candidate.known
        # The search may have initialised the problem with a sample of the rows.
        problem.initialize([best.candidate.Z], as_annotations(known))
        if known is None:
            order = first_seen(best.clusters, problem.n_clusters)
            best = best._replace(result=problem.renumbered(best.result, order))
        return problem, best

    def _keep(self, problem: ClusteringProblem, result: Clustering, data: Encoded) -> None:
        candidate, found = result.candidate, result.result
        super()._keep(problem, found, data)
        self.result_: Result = found
        self.n_iter_, self.objective_ = result.passes, float(found.primal)
        self.kernel_, self.C_, self._encoding.map = candidate.kernel, candidate.C, candidate.map
        self._decided = candidate.known if candidate.is_decided else None
        self._knew = candidate.known is not None
        self.labels_ = problem.clusters_of(found.labels[0])
        decoded = problem.clusters_of(problem.decode(candidate.Z, found.w))
        warn_of_sizes(problem, self.labels_, decoded, candidate.known)
        if candidate.is_decided and (moved := np.count_nonzero(decoded != self.labels_)):
            warn_user(
                f"k-means found the clusters, and predict has {moved} of {len(decoded)} rows in "
                f"other ones: at C={self.C_:.3g} the margin does not separate them. For "
                "new rows raise C, or take scikit-learn's KMeans",
                ConvergenceWarning,
            )

    @property
    def coef_(self) -> Vector:
        """Coefficients of the linear scores of rows, available if ``kernel_`` is 'linear'."""
        return self._linear_function("coef_")[0]

    @property
    def intercept_(self) -> Vector:
        """Offsets of the linear scores of rows, available if ``kernel_`` is 'linear'."""
        return self._linear_function("intercept_")[1]

    def _linear_function(self, name: str) -> tuple[Vector, Vector]:
        check_is_fitted(self)
        if not is_named(self.kernel_, "linear"):
            raise AttributeError(
                f"{name} exists for rows as they are, but the clusters were found with "
                f"kernel_={self.kernel_!r}; set kernel='linear'"
            )
        coef, intercept = self.problem_.linear_function(self.result_.w)
        return coef, intercept

    def decision_function(self, X: Any) -> Vector:
        """Return the scores of every row.

        Parameters
        ----------
        X : array or scipy.sparse matrix of shape (n, n_features)
            The rows. With ``kernel='precomputed'``, X is the kernel matrix between the rows and the
            training rows.

        Returns
        -------
        ndarray of shape (n,) or (n, n_clusters)
            For :class:`MMC`, and for :class:`MultivariateMMC` with two clusters, signed scores with
            the margin at +-1. For :class:`CPM3C`, and for :class:`MultivariateMMC` with more than
            two clusters, a score of each row for each cluster.
        """
        check_is_fitted(self)
        return np.asarray(self.problem_.scores(self._encoded(X).X[0], self.result_.w))

    def predict(self, X: Any) -> Indices:
        """Return the cluster of highest score for each row, shape (n,)."""
        check_is_fitted(self)
        outputs = self.problem_.decode(self._encoded(X).X[0], self.result_.w)
        return np.asarray(self.problem_.clusters_of(outputs))

    def verify(self, X: Any, y: Any = None, *, qp: Literal["cvxopt"] | None = None) -> Verification:
        """Recompute the certificate from the training rows: see :meth:`structsvm.Result.verify`.

        Parameters
        ----------
        X, y : the data
            The arguments of ``fit``.
        qp : {'cvxopt'}, optional
            An independent solver for the last quadratic program. The optimum of this solver is
            compared with the dual value.
        """
        check_is_fitted(self)
        Z, Y, *_ = self._encoded(X, y)
        if Z[0].shape[0] != len(self.labels_):
            raise ValueError(
                f"verify expects the {len(self.labels_)} training rows; got {Z[0].shape[0]} rows"
            )
        known = Y if self._decided is None else [self._decided]
        if known is None and getattr(self, "_knew", False):  # not in earlier files
            raise ValueError("the rows were clustered with known labels: give y, as in fit")
        return self.result_.verify(self.problem_, Z, known, qp=qp)

    def _given(self, X: Any, y: Any, reset: bool) -> tuple[Any, Any]:
        if not is_dask(X):
            return checked_rows(self, X, ensure_min_samples=2 if reset else 1, reset=reset), y
        if not (is_named(self.kernel, "auto") or is_named(self.kernel, "linear")):
            raise ValueError(
                "a dask array needs kernel='auto' or 'linear'; got "
                f"kernel={self.kernel!r}, which needs X in memory: X.compute()"
            )
        X = validate_data(self, DaskRows(X), reset=reset, skip_check_array=True)
        require_rows(X)  # skip_check_array leaves the values unchecked
        return X, y

    def _new_encoding(self) -> KernelEncoding:
        return KernelEncoding()

    def _require_parameters(self) -> None:
        if not is_named(self.C, "auto"):
            require_number("C, if not 'auto',", self.C, "> 0")
        require_option("search", self.search, SEARCHES)
        require_integer("n_init", self.n_init, 1, MOST_STARTS)
        require_number("rtol", self.rtol, ">= 0 and < 1")
        Limits(self.max_iter, self.time_limit, verbose=self.verbose).check()
