"""Base class of the maximum margin clusterers: the parameters, the fit and what it keeps."""

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
    """Clusters rows by a :class:`ClusteringProblem`, with kernel features, C and restarts.

    Parameters
    ----------
    kernel : {'auto', 'linear', 'standardise', 'rbf', 'poly', 'precomputed', 'whiten', \
            'diffusion'} or callable, default='auto'
        'auto' searches with 'linear' and with 'diffusion'. Of the two clusterings, and that of
        k-means, it takes the one whose clusters keep most of the ten nearest neighbours of their
        rows, more than their sizes explain. Where ``balance``, ``min_cluster_size`` or labels are
        given, k-means has no part in it. Known rows may choose, see ``fit``. Rows in a dask array
        or a memory map have 'linear' alone.

        The others, and functions of two rows: see :func:`structsvm.features.feature_map`.
    gamma : 'scale' or float, default='scale'
        Parameter of 'rbf' and 'poly'; 'scale' is 1 / (n_features * variance of all entries of X).
    degree : int, default=3
        Degree of 'poly'.
    n_components : int, optional
        Largest number of features that represent the kernel. By default 'diffusion' has as many as
        X has columns, but at most 20, and at least ``n_clusters``. Of more than 10,000 rows a
        random sample of 10,000 determines them.
    center : bool, default=True
        Whether the mean of the rows, in the features of ``kernel``, is subtracted. With False there
        is no offset either, as in the papers, unless known rows are learned from (see ``fit``):
        ``balance`` bounds the scores of the mean, and C is for a mean squared norm of 1 around 0.
    search : {'evolutionary', 'cccp'}, default='evolutionary'
        How clusterings of low objective are found. 'evolutionary' makes short descents from many
        partitions and from mixtures of the best of them; 'cccp' is the procedure of the papers from
        several starts, which takes longer. Both end in the papers' procedure, to the tolerance.
    n_init : int, default=4
        Effort of the search: the number of starts of 'cccp', from k-means and from random
        directions; an eighth of the partitions that 'evolutionary' starts from.
    rtol : float, default=1e-3
        Relative duality gap of the solution with its labels fixed, >= 0 and < 1.
    max_iter : int, default=2000
        Largest number of oracle passes of each final descent, and of 'cccp' from each start.
    time_limit : float, optional
        Seconds of wall time, > 0, tested after every pass or short descent. The best clustering
        found by then is returned, after one pass over all rows, and the fit warns. Default: no
        limit.
    random_state : int, RandomState instance or None, default=None
        Seed or generator of the search. Equal seeds give equal results, bit by bit.
    verbose : bool, default=False
        Show a progress bar of the search.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        The number of every row's cluster, from 0, in the order of their first rows unless known
        labels tell clusters apart. Copies of a row share a cluster.
    objective_ : float
        The objective reached.
    C_ : float
        The C that was used.
    kernel_ : str or callable
        The kernel that was used: with 'auto', 'linear', 'standardise' or 'diffusion'.
        ``problem_.balance`` and ``problem_.min_cluster_size`` are the bounds that were used.
    result_ : Result
        Objective, gap, status and guarantee of the best start.
    n_iter_ : int
        Passes over the rows, of the search and of the final descents. The counts and times of
        ``result_`` refer to the descent that found it only.
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
        """The problem that the parameters describe."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array, scipy.sparse matrix or dask array of shape (n, n_features)
            float32 stays float32 in products with X; all else is converted to float64. With
            ``kernel='precomputed'`` the kernel matrix, of shape (n, n). With ``kernel='linear'``
            it need not fit in memory: a dask array, or a ``numpy.memmap`` of float32 or float64.
        y : array-like of int of shape (n,), optional
            For semi-supervised clustering: the number of the row's cluster, from 0, where it is
            known, and -1 elsewhere. Known rows stay in their cluster. A y without -1 is ignored
            with a warning, because it leaves no label to find.

            Where every cluster has known rows, and two more rows are known, a support vector
            machine of the known rows replaces the search. Of the features 'linear', 'standardise'
            and 'diffusion', and of C = 10, 100 and 1000 (twice as much in :class:`MMC`), those are
            chosen that classify the known rows best in five-fold cross-validation. From its labels
            one descent lowers the objective, in which the mean hinge loss of the unknown rows has a
            weight of 0.2, and that of the known rows of 1. :class:`MultivariateMMC`, whose loss is
            not a sum over rows, always searches.

        Returns
        -------
        estimator
            The estimator itself. It warns with scikit-learn's ``ConvergenceWarning`` where the fit
            did not converge, where a cluster is empty or too small, where rows were kept in a
            cluster against their scores because it would be too small without them, or where
            several clusters have just the least size that ``min_cluster_size`` allows, or where
            k-means found the clusters and ``predict`` has rows in others.

        Raises
        ------
        ValueError
            A parameter is out of its range, there are fewer rows than clusters, all rows are the
            same, y holds -1 and a number that is not a cluster, or X is not a finite matrix.
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
        # The search may have initialised it with a sample.
        problem.initialize([best.candidate.Z], as_annotations(known))
        if known is None:
            order = first_seen(best.clusters, problem.n_clusters)
            best = best._replace(result=problem.renumbered(best.result, order))
        return problem, best

    def _keep(self, problem: ClusteringProblem, result: Clustering, data: Encoded) -> None:
        """Store a clustering, and warn where its sizes or k-means decided it."""
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
        """Coefficients of the scores of rows, of ``kernel_='linear'`` only."""
        return self._linear_function("coef_")[0]

    @property
    def intercept_(self) -> Vector:
        """Offsets of the scores of rows, of ``kernel_='linear'`` only."""
        return self._linear_function("intercept_")[1]

    def _linear_function(self, name: str) -> tuple[Vector, Vector]:
        check_is_fitted(self)
        if not is_named(self.kernel_, "linear"):
            raise AttributeError(
                f"{name} exists for rows as they are, but the clusters were found with "
                f"kernel_={self.kernel_!r}; set kernel='linear'"
            )
        return self.problem_.linear_function(self.result_.w)

    def decision_function(self, X: Any) -> Vector:
        """The scores of every row.

        Parameters
        ----------
        X : array or scipy.sparse matrix of shape (n, n_features)
            With ``kernel='precomputed'`` the kernel of these rows with the training rows.

        Returns
        -------
        ndarray of shape (n,) or (n, n_clusters)
            For :class:`MMC`, and :class:`MultivariateMMC` with two clusters, signed scores with the
            margin at +-1; otherwise a score for each cluster.
        """
        check_is_fitted(self)
        return self.problem_.scores(self._encoded(X).X[0], self.result_.w)

    def predict(self, X: Any) -> Indices:
        """The number of the cluster of highest score for every row, shape (n,)."""
        check_is_fitted(self)
        outputs = self.problem_.decode(self._encoded(X).X[0], self.result_.w)
        return self.problem_.clusters_of(outputs)

    def verify(self, X: Any, y: Any = None, *, qp: Literal["cvxopt"] | None = None) -> Verification:
        """Recompute the certificate from the training rows: see :meth:`structsvm.Result.verify`.

        Parameters
        ----------
        X, y : the data
            Those passed to ``fit``.
        qp : {'cvxopt'}, optional
            An independent solver of the last quadratic program, with which the dual must agree.
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
