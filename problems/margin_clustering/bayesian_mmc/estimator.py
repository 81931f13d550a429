"""Bayesian maximum margin clustering as a scikit-learn clusterer with probabilities."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from structsvm.data.arrays import Indices, Numbers, Self, Vector
from structsvm.data.columns import require_columns_of
from structsvm.data.labels import first_seen
from structsvm.data.matrices import one_array
from structsvm.docstrings import documented
from structsvm.estimators.about import About
from structsvm.estimators.encoding import Encoded
from structsvm.exceptions import warn_user
from structsvm.features.kernels import require_symmetric
from structsvm.problems.margin_clustering.annotation import UNKNOWN
from structsvm.problems.margin_clustering.bayesian_mmc.initial_clusters import starts
from structsvm.problems.margin_clustering.bayesian_mmc.parameters import (
    checked_universum,
    require_clusters,
    require_parameters,
)
from structsvm.problems.margin_clustering.bayesian_mmc.posterior import (
    SMALLEST,
    ModeResult,
    ModeSearch,
    best_mode,
    mode_result,
)
from structsvm.problems.margin_clustering.bayesian_mmc.prior import Settings, SpectralCoordinates
from structsvm.problems.margin_clustering.bayesian_mmc.refits import (
    Bisection,
    fitted_temperature,
    stability,
    tempered,
)
from structsvm.problems.margin_clustering.kernel_clusterer import KernelClusterer, generator
from structsvm.problems.margin_clustering.rows import StandardRows


class Fitted(NamedTuple):
    """The parts of a fitted model, such as its features, modes and numbering of clusters."""

    bisection: Bisection | None
    coordinates: SpectralCoordinates
    searches: list[ModeSearch]
    labels: Indices
    order: Indices
    probabilities: Vector
    temperature: float


@documented
@dataclass(eq=False, repr=False)
class BayesianMMC(KernelClusterer):
    r"""Bayesian maximum margin clustering with Gaussian processes.

    Two clusters share one latent function f with a Gaussian process prior; more than two clusters
    have one function each. The likelihood assumes that each row is in some cluster. The margin is
    the range from -1 to 1, and the likelihood favours latent functions with values outside the
    margin at the rows. With more than two clusters, the function of a cluster is likely to lie
    above the margin at the rows of the cluster, and below the margin at all other rows. The mode of
    the posterior is a clustering, and a Gaussian approximation at the mode gives probabilities. A
    Universum consists of rows known to be in no cluster: the fit tends to place them within the
    margin. The covariance of n rows takes O(n^2) memory, which limits n to several thousand.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters, at least 2.
    multi_class : {'joint', 'bisecting'}, default='joint'
        Model of more than two clusters. 'joint' has a function for each cluster. 'bisecting' is the
        method of Dai, Hu & Niu: models of two clusters repeatedly divide the largest cluster. With
        'bisecting', each division assigns a row to the more probable of two parts. The probability
        that a row belongs to a cluster is the product of the row's probabilities for all parts that
        contain the cluster. With 'bisecting', the most probable cluster of a row may differ from
        ``labels_``.
    kernel : {'diffusion', 'rbf', 'graph', 'precomputed'} or callable, default='diffusion'
        Covariance of the prior. 'rbf' is a Gaussian kernel of the distances between rows.
        'diffusion' is a Gaussian kernel of distances in the coordinates of
        :class:`structsvm.features.DiffusionMap`, which come from a random walk among near
        neighbours. 'graph' is the inverse Laplacian of a graph of 5 nearest neighbours, and is
        defined only for the training rows. A callable takes two rows and returns a number. Every
        kernel is centred on the training rows and scaled to a mean variance of 1.
    length_scale : float or None, default=None
        Standard deviation of the Gaussian of 'rbf' and 'diffusion'. With None, the median distance
        between two rows is used, or half of this median for two clusters.
    C : float, default=1.0
        Weight of the hinge losses, > 0, relative to a prior of variance 1: a row's label has the
        likelihood exp(-C hinge). C multiplies the sum of the hinge losses; in :class:`MMC`, C
        multiplies the mean. With C above about 10, the labels hardly change from the initial
        labels. C may range from 1e-6 to 1e6, or to 300 with a Universum.
    gamma : float, default=0.5
        Prior probability of the second of two clusters, between 0 and 1. With more than two
        clusters, all have the same prior probability, and ``gamma`` must be 0.5.
    offset : float, default=0.0
        Variance of a random constant that is added to each latent function. With a variance of 0
        the scores of the training rows sum to 0, which suits clusters of about equal size. For two
        clusters of unequal size, try the variances 0.01 and 1.
    universum : None, 'mean', 'marginal' or array-like of shape (m, n_features), default=None
        Rows that belong to no cluster, in addition to X. The rows of the Universum get no label,
        and the fit tends to place them within the margin. 'mean' generates 20 rows around the mean
        of the data, with a tenth of the standard deviations of the data. 'marginal' generates 20
        rows and draws each feature independently from its values in the data.
    n_init : int, default=9
        Number of starts, from eigenvectors of a graph of near neighbours. The fit keeps the result
        of highest log posterior, but the desired clustering may have a lower log posterior. Compare
        the result with a fit with ``n_init=1``.
    calibrate : bool, default=False
        Whether to calibrate the probabilities: six additional fits measure how stable the clusters
        are. See :meth:`predict_proba`.
    tol : float, default=0.01
        Tolerance > 0. A search ends when a step changes every value of the latent functions by at
        most ``tol``.
    max_iter : int, default=1000
        Maximum number of steps for each start and each level of smoothing.
    time_limit : float, optional
        Limit of the wall time in seconds, > 0, tested after every start. With 'bisecting' the limit
        applies to each division.
    random_state : int, RandomState instance or None, default=None
        Seed or generator for a generated Universum, and for k-means, which provides starts for more
        than two clusters.
    verbose : bool, default=False
        Whether to show a progress bar over the starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Cluster index of each row, starting at 0, as ``predict`` returns it. With ``gamma=0.5``,
        clusters are numbered in the order of their first rows.
    probabilities_ : ndarray of shape (n, n_clusters)
        The probability of every cluster for every row.
    log_posterior_ : float
        The log posterior at the mode, up to a constant. With 'bisecting', the log posteriors of the
        models that divide clusters are summed.
    temperature_ : float
        The temperature by which the log probabilities are divided; 1 without ``calibrate``.
    length_scale_ : float
        The length scale, or NaN for kernels without one. With 'bisecting', the length scale belongs
        to the model of the first division.
    collapsed_ : bool
        Whether every start ended with a cluster that has less than a tenth of the mean cluster
        size. If ``collapsed_`` is True, the probabilities come from a Bayesian support vector
        machine trained on the first initial partition.
    result_ : ModeResult
        The status, and minus the log posterior as the primal value. The result has no bound on the
        log posterior of other modes.
    n_iter_ : int
        Total number of steps over all starts.
    n_features_in_ : int
        Number of columns of X.

    Notes
    -----
    The prior keeps the 50 leading eigenfunctions of its covariance. For more than two clusters the
    prior keeps 25 eigenfunctions, or two per cluster if there are more than 12 clusters. In the
    graph of near neighbours, duplicate rows are one node; in the likelihood, each duplicate counts.

    References
    ----------
    Dai, Hu & Niu, Bayesian Maximum Margin Clustering, ICDM 2010. Dai, Hu & Niu maximise the
    posterior by a Newton method with negative weights; this class uses majorisation. Equation 5 of
    the paper drops the factor Z(C) of the Universum terms; this class keeps Z(C). Unlike Dai, Hu &
    Niu, this class centres the prior, uses diffusion coordinates by default, and searches from
    several initial partitions. For more than two clusters, Dai, Hu & Niu divide clusters
    repeatedly, as this class does with ``multi_class='bisecting'``. The default, 'joint', is a
    single model of all clusters with hinge losses.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm.problems import BayesianMMC
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.normal(-3, 1, (50, 2)), rng.normal(3, 1, (50, 2))])
    >>> bayes = BayesianMMC().fit(X)
    >>> sorted(np.bincount(bayes.labels_).tolist())
    [50, 50]
    >>> between, within = bayes.predict_proba([[0.0, 0.0], [3.0, 3.0]]).max(axis=1)
    >>> bool(between < 0.7 < within)
    True
    """

    about = About(
        "Clusters", "clusters with probabilities",
        X="a matrix", y="none",
        page="relatives.md#probabilities-bayesianmmc",
    )  # fmt: skip

    n_clusters: int = 2
    _: KW_ONLY
    multi_class: Literal["joint", "bisecting"] = "joint"
    kernel: Literal["diffusion", "rbf", "graph", "precomputed"] | Callable[..., Any] = "diffusion"
    length_scale: Any = None
    C: float = 1.0
    gamma: float = 0.5
    offset: float = 0.0
    universum: Literal["mean", "marginal"] | Numbers | None = None
    n_init: int = 9
    calibrate: bool = False
    tol: float = 0.01
    max_iter: int = 1000
    random_state: Any = None
    verbose: bool = False

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array or scipy.sparse matrix of shape (n, n_features)
            The rows. With ``kernel='precomputed'``, X is the kernel matrix, dense, of shape (n, n).
        y : array-like, optional
            Ignored. A warning is given if y contains -1, which marks rows of unknown cluster for
            :class:`MMC` and :class:`SDPMMC`.

        Returns
        -------
        BayesianMMC
            The fitted estimator. After Ctrl-C, the estimator holds the best result so far. ``fit``
            warns with scikit-learn's ``ConvergenceWarning`` if a limit was reached or if a cluster
            collapsed.

        Raises
        ------
        ValueError
            If a parameter is out of range, there are fewer different rows than clusters, all rows
            are equal, the kernel matrix is indefinite or not square, the Universum has a wrong
            number of features, or a fit for ``calibrate`` fails.
        """
        require_parameters(self)
        if y is not None and np.any(one_array("y", y) == UNKNOWN):
            warn_user(
                "BayesianMMC has no use for known labels: y is ignored. MMC, CPM3C and SDPMMC keep "
                "rows in known clusters"
            )
        return self._fit(X, None)

    def predict_proba(self, X: Any) -> Vector:
        """Return the probability of every cluster for every row, shape (m, n_clusters).

        The probabilities refer to the clusters of the model, not to classes. With two clusters, the
        odds that a row at the margin is in its cluster are exp(2 C). With more than two clusters, a
        row at the margin is exp(4 C) times as likely to be in its own cluster as in any other
        cluster. On fifty tasks with C = 1, the mean confidence is .88, and .72 of the rows are in
        the right cluster.

        With ``calibrate=True``, the log probabilities are divided by a temperature. To choose the
        temperature, six copies of the model are fitted to random halves of the rows, and each copy
        predicts the clusters of the rows in the other half. The stability s of the clusters is the
        mean fraction of the predicted clusters that agree with ``labels_``. The temperature is
        chosen so that the mean probability of the most probable cluster is close to s^2, the
        squared stability. On tasks with more than two clusters that were not used in development,
        the temperature lowers the expected calibration error from .23 to .16. With two clusters,
        calibration leaves the expected calibration error at .15. Even calibrated probabilities are
        near 1 for stable clusters that differ from the true classes.

        With ``kernel='precomputed'``, X is the kernel matrix between the rows and the training
        rows.

        Raises
        ------
        ValueError
            If the kernel is 'graph', which is defined only for the training rows.
        """
        check_is_fitted(self)
        _, probabilities = self._clusters(self._validated(X, reset=False))
        return tempered(probabilities[:, self._order], self.temperature_)

    def predict(self, X: Any) -> Indices:
        """Return the most probable cluster of every row, shape (m,).

        With 'bisecting', follow the more probable part in each division.
        """
        check_is_fitted(self)
        labels, _ = self._clusters(self._validated(X, reset=False))
        return np.asarray(np.argsort(self._order)[labels])

    def _clusters(self, X: Any) -> tuple[Indices, Vector]:
        """Return the clusters of rows, and probabilities, before the clusters are renumbered."""
        if self._bisection:
            return self._bisection.of(X)
        return self._searches[0].clusters(self._coordinates.of(X))

    # ------------------------------------------------------------------ parts of fit

    def _given(self, X: Any, y: Any, reset: bool) -> tuple[Any, Any]:
        X = self._validated(X, reset)
        if self._is_precomputed:
            require_symmetric(X)
        else:
            StandardRows(X, offset=False)  # raises if all rows are the same
        return X, y

    def _trained(self, data: Encoded) -> tuple[Fitted, ModeResult]:
        require_clusters(self)
        started, X, rng = time.perf_counter(), data.X, generator(self.random_state)
        settings, bisection = self._checked_settings(X), None
        if self.multi_class == "bisecting" and self.n_clusters > 2:
            bisection = Bisection(self, X)
            coordinates = bisection.models[0]._coordinates
            searches = [model._searches[0] for model in bisection.models]
            statuses = [model.result_.status for model in bisection.models]
            labels, probabilities = bisection.of(X)
        else:
            coordinates = SpectralCoordinates(settings, X, rng)
            partitions = starts(coordinates, self.n_clusters, self.n_init, rng)
            search, status = best_mode(settings, coordinates.features, partitions, self.time_limit)
            searches, statuses = [search], [status]
            labels, probabilities = search.clusters(coordinates.features[: X.shape[0]])
        order = np.arange(self.n_clusters)
        if self.gamma == 0.5:  # else the share of the second cluster tells the two apart
            order = first_seen(labels, self.n_clusters)
            labels, probabilities = np.argsort(order)[labels], probabilities[:, order]
        temperature = 1.0
        if self.calibrate:
            temperature = fitted_temperature(probabilities, stability(self, X, labels, rng) ** 2)
            probabilities = tempered(probabilities, temperature)
        seconds = time.perf_counter() - started
        result = mode_result(searches, statuses, self.tol, seconds)
        of_rows = labels, order, probabilities, temperature
        return Fitted(bisection, coordinates, searches, *of_rows), result

    def _keep(self, fitted: Fitted, result: ModeResult, data: Encoded) -> None:
        self._bisection, self._coordinates, self._searches = fitted[:3]
        self.labels_, self._order, self.probabilities_, self.temperature_ = fitted[3:]
        self.result_: ModeResult = result
        self.n_iter_, self.log_posterior_ = result.iterations, -result.primal
        scale = self._coordinates.length_scale
        self.length_scale_ = np.nan if scale is None else scale
        self.collapsed_ = any(search.collapsed for search in self._searches)
        if self.collapsed_:
            warn_user(
                f"the clusters collapsed: from every start one has less than {SMALLEST:g} of an "
                "equal share of the rows. The labels are those of the first start, the partition "
                "of a graph of near neighbours. Try another kernel or length_scale, a larger C, "
                "fewer clusters, or a Universum",
                ConvergenceWarning,
            )

    def _checked_settings(self, X: Any) -> Settings:
        length_scale = None if self.length_scale is None else float(self.length_scale)
        require_columns_of(self, "X", "universum", self.universum)
        return Settings(
            self.kernel, length_scale, float(self.C), float(self.gamma), float(self.offset),
            checked_universum(self.universum, self.kernel, X), int(self.n_clusters), self.n_init,
            self.tol, self.max_iter, bool(self.verbose),
        )  # fmt: skip
