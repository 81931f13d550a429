"""Maximum margin clustering as scikit-learn clusterers."""

from __future__ import annotations

import logging
import math
import time
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import KW_ONLY, dataclass
from types import MappingProxyType
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
    require_n_jobs,
    require_number,
    require_option,
)
from structsvm.docstrings import documented
from structsvm.estimators.about import About
from structsvm.estimators.encoding import Encoded, Encoding
from structsvm.estimators.estimator import Estimator
from structsvm.exceptions import warn_user
from structsvm.features import KernelName, feature_map
from structsvm.features.diffusion import CopiesError
from structsvm.problems.margin_clustering.annotation import as_annotations, known_labels
from structsvm.problems.margin_clustering.choice import ROWS, Candidate, Clustering, best_clustering
from structsvm.problems.margin_clustering.evolution import evolution
from structsvm.problems.margin_clustering.known_rows import KERNELS, best_C, from_known_rows
from structsvm.problems.margin_clustering.partitions import kmeans
from structsvm.problems.margin_clustering.problem import ClusteringProblem
from structsvm.problems.margin_clustering.problems import (
    CPM3CProblem,
    MMCProblem,
    MultivariateCPM3CProblem,
    MultivariateMMCProblem,
)
from structsvm.problems.margin_clustering.restarts import restarts
from structsvm.problems.margin_clustering.row_clusterer import RowClusterer
from structsvm.problems.margin_clustering.rows import DaskRows, is_dask, require_rows
from structsvm.problems.margin_clustering.search import Effort, Search, sampled
from structsvm.problems.margin_clustering.size_advice import warn_of_sizes
from structsvm.problems.multivariate.contingency.losses import ClusteringLoss, TableLossName
from structsvm.results.result import Result
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
SEARCHES: dict[SearchName, Search] = {"evolutionary": evolution, "cccp": restarts}
#: Least size of one of more than two clusters by default, relative to the mean size.
LEAST = 0.5
#: Least fraction of the rows in one of two clusters.
LEAST_OF_TWO = 0.05


class KernelEncoding(Encoding):
    """Rows, the features of the kernel that training chose, and known labels among unknown ones."""

    formerly = MappingProxyType({"_map": "map"})
    map: Any

    def learn(self, X: Any, y: Any, sample_weight: Any, prior: Any = None) -> Encoded:
        return Encoded(X, known_labels(y, X.shape[0]), np.ones(1))

    def encode(self, X: Any, y: Any = None, sample_weight: Any = None) -> Encoded:
        known = known_labels(y, X.shape[0])
        return Encoded([self.map.transform(X)], as_annotations(known), np.ones(1))


@dataclass(kw_only=True, eq=False, repr=False)
class MaximumMarginClusterer(RowClusterer, Estimator):
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

    _takes_sparse = True

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
        self._require_parameters()
        # Validated, a memory map is an array like any other.
        return self._fit(X, y, kernels=kernels_to_try(self.kernel, X))

    def _trained(self, data: Encoded, **options: Any) -> tuple[ClusteringProblem, Clustering]:
        X, known, kernels = data.X, data.Y, options["kernels"]
        # An int seeds scikit-learn's RandomState in the map and numpy's Generator of the search.
        seed = int(checked_random_state(self.random_state).randint(2**31 - 1))
        deadline = math.inf if self.time_limit is None else time.monotonic() + self.time_limit
        effort = Effort(
            self.n_init, self.rtol, self.max_iter, seed, self.n_jobs, self.verbose, deadline
        )
        candidates: Iterable[Candidate]
        if self._problem().learns_from(known):
            candidates = [self._of_known_rows(kernels, X, known, seed)]
        else:
            candidates = self._candidates(kernels, X, known, seed)
        best = best_clustering(X, candidates, effort)
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
        self.labels_ = problem.clusters_of(found.labels[0])
        decoded = problem.clusters_of(problem.decode(candidate.Z, found.w))
        warn_of_sizes(problem, self.labels_, decoded, candidate.known)
        if candidate.is_decided and (moved := np.count_nonzero(decoded != self.labels_)):
            warn_user(
                f"the clusters are those of k-means, and predict has {moved} of {len(decoded)} "
                f"rows in other ones: at C={self.C_:.3g} the margin does not separate them. For "
                "new rows raise C, or take scikit-learn's KMeans",
                ConvergenceWarning,
            )

    def _candidates(
        self, kernels: tuple[Any, ...], X: Any, known: Any, seed: int
    ) -> Iterator[Candidate]:
        """Yield a search in the features of each kernel, and for 'auto' the clusters of k-means."""
        for kernel, features, Z in self._maps(kernels, X, seed):
            problem = bounded(self._problem(), self.balance, self.min_cluster_size)
            problem.initialize([Z], as_annotations(known))
            C = self._given_C()
            if C is None:
                factor = DIFFUSION_FACTOR if is_named(kernel, "diffusion") else 1.0
                C = problem.automatic_C(Z) * factor
            yield Candidate(kernel, features, Z, problem, C, SEARCHES[self.search], known)
        bounds = (self.balance, self.min_cluster_size)
        if len(kernels) > 1 and known is None and bounds == (None, None):
            features, Z = self._features("linear", X, seed)
            k, rng = problem.n_clusters, np.random.default_rng(seed)
            clusters = kmeans(Z, k, rng, KMEANS_RUNS).labels_
            clusters = np.argsort(first_seen(clusters, k))[clusters]
            problem = self._problem_of(Z, clusters)
            C = self._given_C() or problem.C_factor * SEPARATING_C
            yield Candidate("linear", features, Z, problem, C, from_known_rows, clusters)

    def _of_known_rows(self, kernels: tuple[Any, ...], X: Any, known: Any, seed: int) -> Candidate:
        """A descent from the classifier of the known rows, in the features that they choose."""
        losses, candidates = [], []
        for kernel, features, Z in self._maps(KERNELS if len(kernels) > 1 else kernels, X, seed):
            problem = self._problem_of(Z, known)
            C, loss = best_C(problem, Z, known, self._given_C())
            losses.append(loss)
            candidates.append(Candidate(kernel, features, Z, problem, C, from_known_rows, known))
        best = candidates[int(np.argmin(losses))]
        said = [(one.kernel, round(loss, 3)) for one, loss in zip(candidates, losses, strict=True)]
        logger.info("losses of the known rows: %s; %r is kept", said, best.kernel)
        return best

    def _given_C(self) -> float | None:
        return None if is_named(self.C, "auto") else float(self.C)

    def _problem_of(self, Z: Any, known: Any) -> ClusteringProblem:
        """The problem of rows of which labels are known, with clusters of any size."""
        problem = bounded(self._problem(), math.inf, self.min_cluster_size or 0.0)
        problem.initialize([Z], [known])
        return problem

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
        components, diffusion = self.n_components, is_named(kernel, "diffusion")
        if components is None and diffusion:
            components = max(self._problem().n_clusters, min(X.shape[1], MOST_COMPONENTS))
        features = feature_map(
            kernel, X, gamma=self.gamma, degree=self.degree,
            n_components=components, random_state=seed,
        ).set_output(transform="default")  # fmt: skip
        if not diffusion or X.shape[0] <= ROWS:
            return features, features.fit_transform(X)
        rows = sampled(X.shape[0], ROWS, None, np.random.default_rng(seed))
        return features, features.fit(X[rows]).transform(X)

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
                f"{name} exists for rows as they are, but the clusters are those of "
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_named(self.kernel, "precomputed")
        return tags


def kernels_to_try(kernel: Any, X: Any) -> tuple[Any, ...]:
    """The kernels whose clusters are compared; one if a kernel is given."""
    if not is_named(kernel, "auto"):
        return (kernel,)
    # Rows that need not fit in memory have 'linear' alone.
    on_disk = is_dask(X) or isinstance(X, np.memmap)
    return ("linear",) if on_disk else ("linear", "diffusion")


def bounded(
    problem: ClusteringProblem, balance: float | None, min_cluster_size: float | None
) -> ClusteringProblem:
    """The problem with these bounds; where they are None, those for clusters of similar size."""
    k = problem.n_clusters
    least = LEAST_OF_TWO if k == 2 else LEAST / k
    problem.balance = 0.0 if balance is None else balance
    problem.min_cluster_size = least if min_cluster_size is None else min_cluster_size
    return problem


def is_named(value: Any, name: str) -> bool:
    """Whether a parameter, which may be of any type, is this name."""
    return isinstance(value, str) and value == name


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class MMC(MaximumMarginClusterer):
    """Maximum margin clustering into two clusters.

    Finds labels and a hyperplane with a large soft margin: a search finds labels of low objective,
    and solves the best to the tolerance. By default several features are compared, see ``kernel``.

    Shared parameters and attributes are added at import: see ``help``.

    Parameters
    ----------
    C : 'auto' or float, default='auto'
        Weight of the mean hinge loss in the objective of :mod:`structsvm.objective`, for rows
        centred and scaled to a mean squared norm of 1, so it does not depend on units or on n.
        'auto' chooses 2 d^1.2 for the effective dimension d of the rows, at least 4 and at most
        200; with 'diffusion' a third; for the clusters of k-means 2000. Overlapping clusters need
        less.
    balance : float, optional
        Bound of the absolute mean score, l / n in the papers. By default it is 0 in a search, so
        that the mean score is 0; clusters of unequal size need more, such as 0.8. No bound for the
        clusters of k-means, which ``kernel='auto'`` does not compare where a bound is given, not
        even 0; nor where known rows are learned from: see ``fit``.
    min_cluster_size : float, optional
        Smallest fraction of the rows in a cluster, below 0.5. By default it is 0.05 in a search,
        and 0 for the clusters of k-means, which ``kernel='auto'`` does not compare where a fraction
        is given, and where known rows are learned from. It restricts the imputed labels, as far as
        copies of a row, which share a cluster, allow it; a warning is given where they do not, and
        where it keeps rows in a cluster against their scores.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        0 or 1 for every row.
    problem_ : MMCProblem
        The problem that ``result_`` solves.
    coef_ : ndarray of shape (1, n_features)
        Weights of the scores for rows as given; where ``kernel_`` is 'linear' only.
    intercept_ : ndarray of shape (1,)
        Constant of the score.

    References
    ----------
    Zhao, Kwok & Zhang, Maximum Margin Clustering with Multivariate Loss Function, ICDM 2009,
    section II; Zhao, Wang & Zhang, Efficient Multiclass Maximum Margin Clustering, ICML 2008. We
    differ in scaling, by default in centring, in the starts, in the bound on the sizes of
    clusters, and in the descent described at :class:`structsvm.CCCP`.

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

    about = About(
        "Clusters", "two clusters without labels", X="a matrix",
        y="-1 where unknown", page="mmc.md",
    )  # fmt: skip

    def _problem(self) -> ClusteringProblem:
        return MMCProblem(center=self.center)


@documented
@dataclass(eq=False, repr=False)
class CPM3C(MaximumMarginClusterer):
    """Cutting plane multiclass maximum margin clustering.

    Finds labels and a weight vector for each of k clusters such that the soft margin between every
    row's cluster and its runner-up is large: a search finds labels of low objective, and solves the
    best to the tolerance. By default several features are compared, see ``kernel``.

    Shared parameters and attributes are added at import: see ``help``.

    Parameters
    ----------
    n_clusters : int
        At least 2, at most the number of rows. See "How many clusters?" on the page of maximum
        margin clustering.
    C : 'auto' or float, default='auto'
        Weight of the mean hinge loss in the objective of :mod:`structsvm.objective`, for rows
        centred and scaled to a mean squared norm of 1, so it does not depend on units or on n.
        'auto' chooses d^1.2 for the effective dimension d of the rows, at least
        2 (n_clusters - 1)^2 and at most 100; with 'diffusion' a third; for the clusters of
        k-means 1000. For two clusters C here corresponds to 2 C in :class:`MMC`.
    balance : float, optional
        Bound of the mean difference of any two clusters' scores, l / n in the paper. By default it
        is 0 in a search, so that all mean scores are equal; clusters of unequal size need more. No
        bound for the clusters of k-means, which ``kernel='auto'`` does not compare where a bound is
        given, not even 0; nor where known rows are learned from: see ``fit``.
    min_cluster_size : float, optional
        Smallest fraction of the rows in a cluster, below 1 / n_clusters. By default it is 0.05 for
        two clusters, and 0.5 / n_clusters for more; for the clusters of k-means, which
        ``kernel='auto'`` does not compare where a fraction is given, and where known rows are
        learned from, it is 0. It restricts the imputed labels, as far as copies of a row,
        which share a cluster, allow it; a warning is given where they do not, where it keeps rows
        in a cluster against their scores, or several clusters at the least size. With 0, or fewer
        different rows than clusters, clusters may be empty, with a warning.

    Attributes
    ----------
    problem_ : CPM3CProblem
        The problem that ``result_`` solves.
    coef_ : ndarray of shape (n_clusters, n_features)
        Weights of the scores for rows as given; where ``kernel_`` is 'linear' only.
    intercept_ : ndarray of shape (n_clusters,)
        Constants of the scores.

    References
    ----------
    Zhao, Wang & Zhang, Efficient Multiclass Maximum Margin Clustering, ICML 2008, whose beta is
    1 / C. We differ in scaling, by default in centring, in the starts, in the bound on the sizes
    of clusters, and in the descent described at :class:`structsvm.CCCP`.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm.problems import CPM3C
    >>> rng = np.random.default_rng(0)
    >>> centres = np.repeat([[0, 0], [9, 0], [0, 9]], 40, axis=0)
    >>> cpm3c = CPM3C(n_clusters=3, random_state=0).fit(centres + rng.normal(size=(120, 2)))
    >>> np.bincount(cpm3c.labels_).tolist()
    [40, 40, 40]
    >>> cpm3c.decision_function([[9.0, 1.0]]).shape
    (1, 3)
    """

    about = About(
        "Clusters", "any number of clusters without labels", X="a matrix",
        y="-1 where unknown", page="mmc.md",
    )  # fmt: skip

    n_clusters: int | None = None

    def _problem(self) -> ClusteringProblem:
        if self.n_clusters is None:
            raise ValueError(
                "CPM3C needs the number of clusters, which no rule finds reliably: for example "
                "CPM3C(n_clusters=3). The silhouette of several numbers may help to choose"
            )
        require_integer("n_clusters", self.n_clusters, 2)
        return CPM3CProblem(int(self.n_clusters), center=self.center)


@documented
@dataclass(eq=False, repr=False)
class MultivariateMMC(MaximumMarginClusterer):
    """Maximum margin clustering whose margin is rescaled by a loss of the whole clustering.

    Any other clustering must score lower, by a margin that grows with its distance: 1 less the
    normalised mutual information, the Rand index, F, or a loss of your own. For two clusters the
    separation oracle is exact; for more it is a local search, and ``result_.guarantee`` states
    which bounds remain.

    Shared parameters and attributes are added at import: see ``help``.

    Parameters
    ----------
    n_clusters : int, default=2
        At least 2, at most the number of rows.
    loss : {'nmi', 'v_measure', 'rand', 'adjusted_rand', 'f', 'error'} or ClusteringLoss, \
            default='nmi'
        1 less scikit-learn's measure of this name ('nmi' with the geometric mean of the entropies),
        or F_beta of pairs of rows; or 'error', which for two clusters is :class:`MMC`. An instance
        of your own subclass of :class:`ClusteringLoss` is a loss for any number of clusters. See
        :class:`MultivariateMMCProblem`.
    beta : float, default=1.5
        Weight of the recall relative to the precision in 'f'.
    C : 'auto' or float, default='auto'
        Weight of the slack in the objective of :mod:`structsvm.objective`, for rows centred and
        scaled to a mean squared norm of 1, so it does not depend on units or on n. 'auto' chooses
        it from the rows, as in :class:`MMC` for two clusters and as in :class:`CPM3C` for more.
    balance : float, optional
        Bound of the mean scores, as in :class:`MMC` and :class:`CPM3C`.
    min_cluster_size : float, optional
        Smallest fraction of the rows in a cluster, below 1 / n_clusters. The default is 0.05 for
        two clusters, and 0.5 / n_clusters for more; for the clusters of k-means it is 0. A
        warning is given where it keeps rows in a cluster against their scores, or several clusters
        at the least size.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        The number of every row's cluster, from 0. It may differ from ``predict`` for a few rows
        at the boundary: the loss depends on all labels, and moving one row alone can raise the
        objective.
    problem_ : MultivariateMMCProblem or MultivariateCPM3CProblem
        The problem that ``result_`` solves.
    coef_ : ndarray of shape (1, n_features) or (n_clusters, n_features)
        Weights of the scores for rows as given; where ``kernel_`` is 'linear' only. One row for two
        clusters.
    intercept_ : ndarray of shape (1,) or (n_clusters,)
        Constants of the scores.

    References
    ----------
    Zhao, Kwok & Zhang, Maximum Margin Clustering with Multivariate Loss Function, ICDM 2009. More
    than two clusters, and the exact oracle without a scan of all tables, are ours.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm.problems import MultivariateMMC
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.normal(-2, 1, (50, 2)), rng.normal(2, 1, (50, 2))])
    >>> mmc = MultivariateMMC(loss="rand", random_state=0).fit(X)
    >>> sorted(np.bincount(mmc.labels_).tolist())
    [50, 50]
    """

    about = About(
        "Clusters", "clusters judged by NMI, the Rand index or F", X="a matrix",
        y="-1 where unknown", page="mmc.md",
    )  # fmt: skip

    n_clusters: int = 2
    _: KW_ONLY
    loss: TableLossName | ClusteringLoss = "nmi"
    beta: float = 1.5

    def _problem(self) -> ClusteringProblem:
        require_integer("n_clusters", self.n_clusters, 2)
        if self.n_clusters == 2:
            return MultivariateMMCProblem(self.loss, self.beta, center=self.center)
        k = int(self.n_clusters)
        return MultivariateCPM3CProblem(k, self.loss, self.beta, center=self.center)
