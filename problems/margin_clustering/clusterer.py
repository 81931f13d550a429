"""Base class of the maximum margin clusterers as scikit-learn estimators."""

from __future__ import annotations

import logging
import math
import time
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from structsvm.data.arrays import Self
from structsvm.data.choices import Auto
from structsvm.data.labels import first_seen
from structsvm.data.matrices import checked_rows
from structsvm.data.validation import (
    MOST_STARTS,
    checked_random_state,
    require_flag,
    require_integer,
    require_n_jobs,
    require_number,
    require_option,
)
from structsvm.estimators.base import warn_unless_converged
from structsvm.exceptions import warn_user
from structsvm.features import KernelName, feature_map
from structsvm.features.diffusion import CopiesError
from structsvm.problems.margin_clustering.annotation import known_labels
from structsvm.problems.margin_clustering.blocks import require_rows
from structsvm.problems.margin_clustering.choice import (
    ROWS,
    Candidate,
    Clustering,
    best_kept,
    searched,
)
from structsvm.problems.margin_clustering.clustering_problem import ClusteringProblem
from structsvm.problems.margin_clustering.dask_rows import DaskRows, is_dask
from structsvm.problems.margin_clustering.evolution import Evolution
from structsvm.problems.margin_clustering.known_rows import (
    KERNELS,
    FromKnownRows,
    best_C,
    least_loss,
)
from structsvm.problems.margin_clustering.partitions import kmeans
from structsvm.problems.margin_clustering.restarts import Restarts
from structsvm.problems.margin_clustering.scored_rows import ScoresRows
from structsvm.problems.margin_clustering.search import Search, sampled
from structsvm.problems.margin_clustering.settings import (
    bounded,
    is_auto,
    is_diffusion,
    kernels_to_try,
)
from structsvm.problems.margin_clustering.size_advice import warn_of_sizes
from structsvm.results.html import ShowsResult
from structsvm.results.status import Status
from structsvm.results.verification import Verification

logger = logging.getLogger(__name__)

#: C='auto' with 'diffusion', relative to other features: their coordinates inflate the dimension.
DIFFUSION_FACTOR = 1 / 3
#: Diffusion coordinates by default, unless there are more clusters, or fewer columns.
MOST_COMPONENTS = 20
#: Runs of k-means whose best clusters are compared with those of the search.
KMEANS_RUNS = 10
#: C='auto' with these clusters: hardly a row is within the margins, so that scores tell them apart.
SEPARATING_C = 1000.0
#: The searches by name.
SearchName = Literal["evolutionary", "cccp"]
SEARCHES: dict[SearchName, type[Search]] = {"evolutionary": Evolution, "cccp": Restarts}


@dataclass(kw_only=True, eq=False, repr=False)
class MaximumMarginClusterer(ScoresRows, ShowsResult):
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
        Number of features that represent the kernel, at most. For 'diffusion' the default is the
        number of columns, at most 20 and at least ``n_clusters``; its eigenvectors are those of
        10,000 rows, if there are more.
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
    n_jobs : int, optional
        Number of starts of 'cccp' that joblib runs in parallel; the result is the same.
    verbose : bool, default=False
        Show a progress bar of the search.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        The number of every row's cluster, from 0, in the order of their first rows unless known
        labels or a callable loss tell clusters apart. Copies of a row share a cluster.
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
    n_jobs: int | None = None
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
            several clusters have just the least size that ``min_cluster_size`` allows, or where the
            clusters are those of k-means and ``predict`` has rows in others.

        Raises
        ------
        ValueError
            A parameter is out of its range, there are fewer rows than clusters, all rows are the
            same, y holds -1 and a number that is not a cluster or leaves too few rows unknown for
            ``min_cluster_size``, or X is not a finite matrix.
        """
        self._check_parameters()
        given, X = X, self._validated(X, reset=True)
        # Validated, a memory map is an array like any other.
        kernels = kernels_to_try(self.kernel, given)
        known = known_labels(y, X.shape[0])
        # An int seeds scikit-learn's RandomState in the map and numpy's Generator of the search.
        seed = int(checked_random_state(self.random_state).randint(2**31 - 1))
        deadline = math.inf if self.time_limit is None else time.monotonic() + self.time_limit
        candidates: Iterable[Candidate]
        if self._problem().learns_from(known):
            candidates = [self._of_known_rows(kernels, X, known, seed, deadline)]
        else:
            candidates = self._candidates(kernels, X, known, seed, deadline)
        found, ended = searched(candidates)
        self._keep(best_kept(X, found), ended)
        self.n_iter_ = sum(one.candidate.search.passes for one in found)
        return self

    def _candidates(
        self, kernels: tuple[Any, ...], X: Any, known: Any, seed: int, deadline: float
    ) -> Iterator[Candidate]:
        """Yield a search in the features of each kernel, and for 'auto' the clusters of k-means."""
        for kernel, features, Z in self._maps(kernels, X, seed):
            problem = bounded(self._problem(), self.balance, self.min_cluster_size)
            problem.initialize([Z], None if known is None else [known])
            C = problem.automatic_C(Z) * (DIFFUSION_FACTOR if is_diffusion(kernel) else 1.0)
            search = SEARCHES[self.search](
                C if is_auto(self.C) else float(self.C), self.n_init, self.rtol, self.max_iter,
                np.random.default_rng(seed), self.n_jobs, self.verbose, deadline,
            )  # fmt: skip
            yield Candidate(kernel, features, Z, problem, search, known)
        bounds = (self.balance, self.min_cluster_size)
        if len(kernels) > 1 and known is None and bounds == (None, None):
            features, Z = self._features("linear", X, seed)
            k, rng = problem.n_clusters, np.random.default_rng(seed)
            clusters = kmeans(Z, k, rng, KMEANS_RUNS).labels_
            clusters = np.argsort(first_seen(clusters, k))[clusters]
            problem = self._problem_of(Z, clusters)
            C = problem.C_factor * SEPARATING_C if is_auto(self.C) else float(self.C)
            descent = self._descent(C, deadline)
            yield Candidate("linear", features, Z, problem, descent, clusters)

    def _of_known_rows(
        self, kernels: tuple[Any, ...], X: Any, known: Any, seed: int, deadline: float
    ) -> Candidate:
        """A descent from the classifier of the known rows, in the features that they choose."""
        if len(kernels) > 1:
            kernels = KERNELS
        losses, candidates = [], []
        for kernel, features, Z in self._maps(kernels, X, seed):
            problem = self._problem_of(Z, known)
            C, loss = best_C(problem, Z, known, self.C)
            losses.append(loss)
            descent = self._descent(C, deadline)
            candidates.append(Candidate(kernel, features, Z, problem, descent, known))
        return least_loss(candidates, losses)

    def _problem_of(self, Z: Any, known: Any) -> ClusteringProblem:
        """The problem of rows of which labels are known, with clusters of any size."""
        problem = bounded(self._problem(), math.inf, self.min_cluster_size or 0.0)
        problem.initialize([Z], [known])
        return problem

    def _descent(self, C: float, deadline: float) -> Search:
        """A descent from the classifier of the rows whose labels are known."""
        rng = np.random.default_rng(0)  # draws nothing
        return FromKnownRows(C, 1, self.rtol, self.max_iter, rng, deadline=deadline)

    def _maps(self, kernels: tuple[Any, ...], X: Any, seed: int) -> Iterator[tuple[Any, Any, Any]]:
        """Yield each kernel, the map to its features, and the rows in them."""
        if len(kernels) == 1:
            yield kernels[0], *self._features(kernels[0], X, seed)
            return
        for kernel in kernels:
            try:
                with warnings.catch_warnings():
                    warnings.filterwarnings("ignore", "the graph of nearest neighbours falls into")
                    found = self._features(kernel, X, seed)
            except CopiesError:  # the rows themselves will do
                continue
            yield kernel, *found

    def _features(self, kernel: Any, X: Any, seed: int) -> tuple[Any, Any]:
        """The map to the features of a kernel, and the rows in them."""
        components = self.n_components
        if components is None and is_diffusion(kernel):
            components = max(self._problem().n_clusters, min(X.shape[1], MOST_COMPONENTS))
        features = feature_map(
            kernel, X, gamma=self.gamma, degree=self.degree,
            n_components=components, random_state=seed,
        ).set_output(transform="default")  # fmt: skip
        if not is_diffusion(kernel) or X.shape[0] <= ROWS:
            return features, features.fit_transform(X)
        rows = sampled(X.shape[0], ROWS, None, np.random.default_rng(seed))
        return features, features.fit(X[rows]).transform(X)

    def _keep(self, best: Clustering, ended: Status | None) -> None:
        """Store a clustering, its clusters numbered in the order of their rows."""
        (self.kernel_, self._map, Z, problem, search, known), _, result = best
        result = result or best.candidate.result()
        self.problem_, self.C_, self.objective_ = problem, search.C, result.primal
        # The search may have initialised it with a sample.
        problem.initialize([Z], None if known is None else [known])
        self._decided = best.clusters if best.result is None else None
        if known is None and not problem.tells_clusters_apart:
            result = problem.renumbered(result, first_seen(best.clusters, problem.n_clusters))
        self.result_ = replace(result, status=ended) if ended else result
        self.labels_ = problem.clusters_of(result.labels[0])
        warn_unless_converged(self.result_)
        decoded = problem.clusters_of(problem.decode(Z, result.w))
        warn_of_sizes(problem, self.labels_, decoded, known)
        if self._decided is not None and (moved := np.count_nonzero(decoded != self.labels_)):
            warn_user(
                f"the clusters are those of k-means, and predict has {moved} of {len(decoded)} "
                f"rows in other ones: at C={self.C_:.3g} the margin does not separate them. For "
                "new rows raise C, or take scikit-learn's KMeans",
                ConvergenceWarning,
            )

    def verify(self, X: Any, y: Any = None, *, qp: Literal["cvxopt"] | None = None) -> Verification:
        """Recompute the certificate from the training rows: see :meth:`structsvm.Result.verify`.

        Parameters
        ----------
        X, y : the data
            Those passed to ``fit``.
        qp : {'cvxopt'}, optional
            An independent solver of the last quadratic program, with which the dual must agree.
        """
        Z = self._coordinates(X)
        if Z.shape[0] != len(self.labels_):
            raise ValueError(
                f"verify expects the {len(self.labels_)} training rows; got {Z.shape[0]} rows"
            )
        known = known_labels(y, Z.shape[0]) if self._decided is None else self._decided
        return self.result_.verify(self.problem_, [Z], None if known is None else [known], qp=qp)

    def _coordinates(self, X: Any) -> Any:
        """Rows in the coordinates of the kernel features, which the problem uses."""
        check_is_fitted(self)
        return self._map.transform(self._validated(X, reset=False))

    def _validated(self, X: Any, reset: bool) -> Any:
        if is_dask(X):
            if not (isinstance(self.kernel, str) and self.kernel in ("auto", "linear")):
                raise ValueError(
                    "a dask array needs kernel='auto' or 'linear'; got "
                    f"kernel={self.kernel!r}, which needs X in memory: X.compute()"
                )
            X = validate_data(self, DaskRows(X), reset=reset, skip_check_array=True)
            # skip_check_array leaves the values unchecked.
            require_rows(X)
            return X
        return checked_rows(self, X, ensure_min_samples=2 if reset else 1, reset=reset)

    def _check_parameters(self) -> None:
        if not is_auto(self.C):
            require_number("C, if not 'auto',", self.C, "> 0")
        require_option("search", self.search, SEARCHES)
        if self.balance is not None:
            require_number("balance", self.balance, ">= 0")
        require_integer("n_init", self.n_init, 1, MOST_STARTS)
        require_integer("max_iter", self.max_iter, 1)
        require_number("rtol", self.rtol, ">= 0 and < 1")
        if self.time_limit is not None:
            require_number("time_limit", self.time_limit, "> 0")
        require_n_jobs(self.n_jobs)
        if not isinstance(self.verbose, bool):
            require_integer("verbose, if not True or False,", self.verbose, 0)
        require_flag("center", self.center)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags
