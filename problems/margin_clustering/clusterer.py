"""Base class of the maximum margin clusterers as scikit-learn estimators."""

from __future__ import annotations

import math
import time
import warnings
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from structsvm.data.arrays import Indices
from structsvm.data.choices import Auto
from structsvm.data.matrices import checked_rows
from structsvm.data.validation import (
    MOST_STARTS,
    checked_random_state,
    require_integer,
    require_n_jobs,
    require_positive,
    require_tolerance,
    require_verbose,
)
from structsvm.estimators.base import warn_unless_converged
from structsvm.estimators.own_methods import OwnMethods
from structsvm.features import KernelName, feature_map
from structsvm.features.diffusion import CopiesError
from structsvm.problems.margin_clustering.annotation import known_labels
from structsvm.problems.margin_clustering.blocks import require_rows
from structsvm.problems.margin_clustering.choice import Fit, kernels_to_try, most_agreed
from structsvm.problems.margin_clustering.clustering_problem import ClusteringProblem
from structsvm.problems.margin_clustering.dask_rows import DaskRows, is_dask
from structsvm.problems.margin_clustering.evolution import Evolution
from structsvm.problems.margin_clustering.known_rows import (
    KERNELS,
    Features,
    FromKnownRows,
    best_C,
    least_loss,
)
from structsvm.problems.margin_clustering.restarts import Restarts
from structsvm.problems.margin_clustering.scored_rows import ScoresRows
from structsvm.problems.margin_clustering.search import Search, early_end
from structsvm.results.html import ShowsResult
from structsvm.results.result import Result
from structsvm.results.status import Status
from structsvm.results.verification import Verification

if TYPE_CHECKING:
    from typing_extensions import Self

#: C='auto' with 'diffusion', relative to other features: their coordinates inflate the dimension.
DIFFUSION_FACTOR = 1 / 3
#: The searches by name.
SearchName = Literal["evolutionary", "cccp"]
SEARCHES: dict[SearchName, type[Search]] = {"evolutionary": Evolution, "cccp": Restarts}


@dataclass(kw_only=True, eq=False, repr=False)
class MaximumMarginClusterer(ScoresRows, OwnMethods, ShowsResult):
    """Clusters rows by a :class:`ClusteringProblem`, with kernel features, C and restarts.

    Parameters
    ----------
    kernel : {'auto', 'linear', 'standardise', 'rbf', 'poly', 'precomputed', 'whiten', \
            'diffusion'} or callable, default='auto'
        'auto' clusters by 'linear' and by 'diffusion', and keeps the clusters that more of the
        nearest neighbours share; or known rows choose, see ``fit``. Rows in a dask array or a
        memory map have 'linear' alone. The others, and functions of two rows: see
        :func:`structsvm.features.feature_map`.
    gamma : 'scale' or float, default='scale'
        Parameter of 'rbf' and 'poly'; 'scale' is 1 / (n_features * variance of all entries of X).
    degree : int, default=3
        Degree of 'poly'.
    n_components : int, optional
        Number of features that represent the kernel, at most.
    search : {'evolutionary', 'cccp'}, default='evolutionary'
        How clusterings of low objective are found. 'evolutionary' makes short descents from many
        partitions and from mixtures of the best of them; 'cccp' is the procedure of the papers from
        several starts, which takes several times longer for more than two clusters. Both end in the
        papers' procedure, to the tolerance.
    n_init : int, default=10
        Effort of the search: the number of starts of 'cccp', from k-means and from random
        directions; a quarter of the partitions that 'evolutionary' starts from.
    rtol : float, default=1e-3
        Relative duality gap of the solution with its labels fixed, >= 0 and < 1.
    max_iter : int, default=1000
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
        The number of every row's cluster, from 0.
    objective_ : float
        The objective reached.
    C_ : float
        The C that was used.
    kernel_ : str or callable
        The kernel that was used: with 'auto', 'linear', 'standardise' or 'diffusion'.
    result_ : Result
        Objective, gap, status and guarantee of the best start.
    n_iter_ : int
        Passes over the rows, of the search and of the final descents. The counts and times of
        ``result_`` refer to the descent that found it only.
    n_features_in_ : int
        Number of columns of X.
    """

    C: float | Auto = "auto"
    balance: float = 0.0
    kernel: Auto | KernelName | Callable[..., Any] = "auto"
    gamma: float | Literal["scale"] = "scale"
    degree: int = 3
    n_components: int | None = None
    search: SearchName = "evolutionary"
    n_init: int = 10
    min_cluster_size: float | None = None
    rtol: float = 1e-3
    max_iter: int = 1000
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
            did not converge, or where rows were kept in a cluster against their scores because it
            would be too small without them.

        Raises
        ------
        ValueError
            A parameter is out of its range, there are fewer rows than clusters, all rows are the
            same, y holds a number that is not a cluster or leaves too few rows unknown for
            ``min_cluster_size``, or X is not a finite matrix.
        """
        self._check_parameters()
        given, X = X, self._validated(X, reset=True)
        known = known_labels(y, X.shape[0])
        # An int seeds scikit-learn's RandomState in the map and numpy's Generator of the search.
        seed = int(checked_random_state(self.random_state).randint(2**31 - 1))
        deadline = math.inf if self.time_limit is None else time.monotonic() + self.time_limit
        if self._problem().learns_from(known):
            kernels = kernels_to_try(self.kernel, given, KERNELS)
            fits, ended = [self._fit_by_known_rows(kernels, X, known, seed, deadline)], None
        else:
            kernels = kernels_to_try(self.kernel, given)
            fits, ended = self._fits(kernels, X, known, seed, deadline)
        best = fits[0] if len(fits) == 1 else most_agreed(fits, X)
        self.kernel_, self._map, self.problem_ = best.kernel, best.map, best.problem
        self.C_ = best.C
        self.result_ = replace(best.result, status=ended) if ended else best.result
        self.n_iter_ = sum(fit.passes for fit in fits)
        self.labels_ = best.labels
        self.objective_ = self.result_.primal
        warn_unless_converged(self.result_)
        self._warn_of_rows_against_scores(best.decoded, known)
        return self

    def _fits(
        self, kernels: tuple[Any, ...], X: Any, known: Any, seed: int, deadline: float
    ) -> tuple[list[Fit], Status | None]:
        """A fit for each kernel, and the status that ended them early, or None."""
        fits: list[Fit] = []
        for kernel in kernels:
            try:
                fits.append(self._fit(kernel, X, known, seed, deadline))
            except KeyboardInterrupt:
                if not fits:
                    raise
                return fits, Status.INTERRUPTED
            except CopiesError:  # with 'auto' the rows themselves will do
                if not fits:
                    raise
            ended = early_end(fits[-1].result)
            if ended:
                return fits, ended
        return fits, None

    def _fit(self, kernel: Any, X: Any, known: Any, seed: int, deadline: float) -> Fit:
        """The clusters found with this kernel until the deadline."""
        features, Z = self._features(kernel, X, seed)
        problem = self._problem()
        # Before automatic_C, which uses the rows_ that this makes.
        problem.initialize([Z], None if known is None else [known])
        if known is not None:
            problem.require_room(known)
        C = self._C(kernel, problem, Z)
        found = self._found(SEARCHES[self.search], problem, Z, known, C, seed, deadline)
        return Fit(kernel, features, problem, C, *found)

    def _fit_by_known_rows(
        self, kernels: tuple[Any, ...], X: Any, known: Any, seed: int, deadline: float
    ) -> Fit:
        """The clusters found from the classifier of the known rows, which choose features and C."""
        choices = []
        for kernel in kernels:
            try:
                features, Z = self._features(kernel, X, seed)
            except CopiesError:  # with 'auto' the rows themselves will do
                if len(kernels) == 1:
                    raise
                continue
            problem = self._problem()
            if self.min_cluster_size is None:
                problem.min_cluster_size = 0.0
            problem.initialize([Z], [known])
            problem.require_room(known)
            C, loss = best_C(problem, Z, known, self.C)
            choices.append(Features(kernel, features, Z, problem, C, loss))
        kernel, features, Z, problem, C, _ = least_loss(choices)
        found = self._found(FromKnownRows, problem, Z, known, C, seed, deadline)
        return Fit(kernel, features, problem, C, *found)

    def _features(self, kernel: Any, X: Any, seed: int) -> tuple[Any, Any]:
        """The map to the features of a kernel, and the rows in them."""
        features = feature_map(
            kernel, X, gamma=self.gamma, degree=self.degree,
            n_components=self.n_components, random_state=seed,
        )  # fmt: skip
        return features, features.set_output(transform="default").fit_transform(X)

    def _found(
        self, kind: type[Search], problem: ClusteringProblem, Z: Any, known: Any, C: float,
        seed: int, deadline: float,
    ) -> tuple[Result, Indices, Indices, int]:  # fmt: skip
        """The result of a search, its labels, the decoded ones, and the number of passes."""
        search = kind(
            C, self.n_init, self.rtol, self.max_iter, np.random.default_rng(seed),
            self.n_jobs, self.verbose, deadline,
        )  # fmt: skip
        result = search.best(problem, Z, known)
        # The search may have initialised it with a sample.
        problem.initialize([Z], None if known is None else [known])
        decoded = problem.clusters_of(problem.decode(Z, result.w))
        return result, problem.clusters_of(result.labels[0]), decoded, search.passes

    def _C(self, kernel: Any, problem: ClusteringProblem, Z: Any) -> float:
        """C, or for 'auto' the problem's rule."""
        if not isinstance(self.C, str):
            return float(self.C)
        diffusion = isinstance(kernel, str) and kernel == "diffusion"
        return problem.automatic_C(Z) * (DIFFUSION_FACTOR if diffusion else 1.0)

    def verify(self, X: Any, y: Any = None) -> Verification:
        """Recompute the certificate from the training rows: see :meth:`structsvm.Result.verify`.

        X and y must be those passed to ``fit``.
        """
        Z = self._coordinates(X)
        if Z.shape[0] != len(self.labels_):
            raise ValueError(
                f"verify expects the {len(self.labels_)} training rows; got {Z.shape[0]} rows"
            )
        known = known_labels(y, Z.shape[0])
        return self.result_.verify(self.problem_, [Z], None if known is None else [known])

    def _min_cluster_size(self, n_clusters: Any) -> Any:
        """``min_cluster_size``, or its default for this number of clusters."""
        require_integer("n_clusters", n_clusters, 2)
        default = 0.05 if n_clusters == 2 else 0.5 / n_clusters
        return default if self.min_cluster_size is None else self.min_cluster_size

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

    def _warn_of_rows_against_scores(self, decoded: Indices, known: Any) -> None:
        """Warn where the bound on cluster sizes, not a known label, overrides scores."""
        moved = self.problem_.moved_by_sizes(self.labels_, decoded, known)
        if moved:
            warnings.warn(
                f"{moved}, and predict puts them there. If the data have smaller clusters, lower "
                "min_cluster_size. Otherwise look for outliers and for copies of rows, or take "
                "fewer clusters, a larger C, a balance nearer to 0 or other features (kernel='rbf' "
                "if there are more clusters than features)",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _check_parameters(self) -> None:
        if not (isinstance(self.C, str) and self.C == "auto"):
            require_positive("C, if not 'auto',", self.C)
        if not isinstance(self.search, str) or self.search not in SEARCHES:
            raise ValueError(f"search must be one of {tuple(SEARCHES)}; got {self.search!r}")
        require_integer("n_init", self.n_init, 1, MOST_STARTS)
        require_integer("max_iter", self.max_iter, 1)
        require_tolerance("rtol", self.rtol)
        if self.time_limit is not None:
            require_positive("time_limit", self.time_limit)
        require_n_jobs(self.n_jobs)
        require_verbose(self.verbose)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags
