"""The clusterer with probabilities."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from structsvm.features.kernels import require_symmetric
from structsvm.problem import Indices, Vector
from structsvm.problems.margin_clustering.rows import StandardRows
from structsvm.problems.relatives.bayesian_mmc.division import SMALLEST, Settings
from structsvm.problems.relatives.bayesian_mmc.tree import Branch, grown, part, probabilities
from structsvm.validation import require_integer, require_nonnegative, require_positive

KERNELS = ("diffusion", "rbf", "graph", "precomputed")


class BayesianMMC(ClusterMixin, BaseEstimator):
    r"""Bayesian maximum margin clustering: a Gaussian process whose rows keep out of the margin.

    A latent function f has a Gaussian process prior; the data say that each row has a label, not
    which, and labels are likely outside the margin only. The mode of the posterior is a clustering;
    about it the posterior is approximated by a Gaussian, which gives probabilities. Rows known to
    be of no cluster, a Universum, say where the margin is. Time grows with n^3, so it is for up to
    some thousands of rows.

    Parameters
    ----------
    kernel : {'diffusion', 'rbf', 'graph', 'precomputed'} or callable, default='diffusion'
        Covariance of the prior. 'rbf' is a Gaussian of the rows' distances; 'diffusion' the same on
        the rows and where a random walk among near neighbours leads
        (:class:`structsvm.features.DiffusionMap`); 'graph' the inverse Laplacian of a graph of 5
        nearest neighbours, which knows the training rows only. A callable takes two rows and
        returns a number. All are centred on the training rows, and scaled to a mean variance of 1.
    length_scale : float, 'evidence' or None, default=None
        Standard deviation of the Gaussian of 'rbf' and 'diffusion'. None is half the median of the
        distances between two rows; 'evidence' maximises Laplace's approximation of the marginal
        likelihood (type-II maximum likelihood), which often has no maximum: see Notes.
    C : float, default=1.0
        Weight of the hinge losses, > 0, beside a prior of variance 1: a row's label has the
        likelihood exp(-C hinge). The C of :mod:`structsvm.objective` is n times this one. From
        about 10 on the labels stay those of the start.
    gamma : float, default=0.5
        Prior share of the second cluster, between 0 and 1.
    offset : float, default=0.0
        Variance of a constant that is added to f. With 0 the scores f of the training rows sum to
        0, which suits clusters of about equal size, and divisions into four of them; for clusters
        of unequal size, or three, try .01 and 1.
    universum : None, 'mean', 'marginal' or array-like of shape (m, n_features), default=None
        Rows that belong to no cluster. 'mean' makes 20 near the mean of the rows, with a tenth of
        their standard deviations; 'marginal' makes 20 whose features are drawn each for itself from
        those of the rows.
    n_clusters : int, default=2
        With more than 2 the largest cluster is divided again, until there are enough.
    n_init : int, default=9
        Starts of each division, from eigenvectors of a graph of near neighbours; the one of highest
        log posterior is kept, which need not be the division that is wanted: compare 1, the
        division of the graph.
    tol : float, default=0.01
        Largest change of f in a step at which to stop, > 0; the margin is at 1.
    max_iter : int, default=1000
        Steps at most, of each start and smoothing.
    random_state : int, RandomState instance or None, default=None
        Draws a Universum.
    verbose : bool, default=False
        Show a progress bar over the starts of each division.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        The cluster of every row, from 0.
    probabilities_ : ndarray of shape (n, n_clusters)
        Of every row and cluster.
    log_posterior_, log_evidence_ : ndarray of shape (n_clusters - 1,)
        The log posterior at the mode, without constants, and the approximate log marginal
        likelihood of each division.
    length_scale_ : ndarray of shape (n_clusters - 1,)
        That was used in each division, or NaN for kernels without one.
    collapsed_ : bool
        Whether a division came to a cluster of less than 5 % of its rows from every start. There
        the labels are those of the first start, and the probabilities those of a support vector
        machine with these labels.
    n_iter_ : int
        Steps of all starts.
    n_features_in_ : int

    Notes
    -----
    The probabilities are those of the model, which says exp(-2 C) of the odds at the margin: about
    .88 with C = 1. They are not calibrated to any classes.

    The evidence tends to rise with the width to the edge of its range; then there is a warning. It
    serves to compare fits more than to choose.

    References
    ----------
    Dai, Hu & Niu, Bayesian Maximum Margin Clustering, ICDM 2010. We differ in the majorisation,
    which replaces a Newton method with negative weights; in Z(C) of the Universum terms, which
    their equation 5 drops; in the centred prior; in the default features; and in several starts.

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

    def __init__(
        self,
        kernel: Any = "diffusion",
        length_scale: Any = None,
        C: float = 1.0,
        gamma: float = 0.5,
        offset: float = 0.0,
        universum: Any = None,
        n_clusters: int = 2,
        n_init: int = 9,
        tol: float = 0.01,
        max_iter: int = 1000,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.kernel = kernel
        self.length_scale = length_scale
        self.C = C
        self.gamma = gamma
        self.offset = offset
        self.universum = universum
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> Any:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array or scipy.sparse matrix of shape (n, n_features)
            With ``kernel='precomputed'`` the kernel matrix, dense, of shape (n, n).
        y : None
            Ignored.

        Returns
        -------
        BayesianMMC
            Itself; after Ctrl-C with the best start of the division that was being made. It warns
            with scikit-learn's ``ConvergenceWarning`` of that, of a collapse, of steps that ran
            out, and of an evidence without a maximum.

        Raises
        ------
        ValueError
            A parameter is out of its range, there are fewer rows than clusters, the rows are all
            the same, the kernel is indefinite or not square, or the Universum has another width.
        """
        self._check_parameters()
        X = self._validated(X, reset=True)
        if self._is_kernel("precomputed"):
            require_symmetric(X)
        else:
            StandardRows(X, offset=False)  # raises if all rows are the same
        require_integer("n_clusters", self.n_clusters, 2)
        if X.shape[0] < self.n_clusters:
            raise ValueError(
                f"n_clusters={self.n_clusters} needs as many rows; got n_samples={X.shape[0]}"
            )
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        self._settings = self._checked_settings(X)
        self._branches, self.labels_ = grown(self._settings, X, self.n_clusters, rng)
        divisions = [branch.division for branch in self._branches]
        self.log_posterior_ = np.array([d.posterior.log_posterior for d in divisions])
        self.log_evidence_ = np.array([d.posterior.log_evidence for d in divisions])
        self.length_scale_ = np.array([d.length_scale for d in divisions], dtype=np.float64)
        self.collapsed_ = any(d.collapsed for d in divisions)
        self.n_iter_ = sum(d.steps for d in divisions)
        self.probabilities_ = self._training_probabilities(X)
        self._warn()
        return self

    def predict_proba(self, X: Any) -> Vector:
        """The probability of every cluster for every row, shape (m, n_clusters).

        With ``kernel='precomputed'`` X is the kernel of the rows with the training rows; their
        prior variances, which it does not tell, are taken to be the mean of the training rows'.

        Raises
        ------
        ValueError
            The kernel is 'graph', which knows no other rows.
        """
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        return probabilities(self._branches, [self._of_branch(b, X) for b in self._branches])

    def predict(self, X: Any) -> Indices:
        """The most probable cluster of every row, shape (m,)."""
        return self.predict_proba(X).argmax(axis=1)

    def _of_branch(self, branch: Branch, X: Any) -> Vector:
        return branch.division.probabilities(part(self._settings, X, slice(None), branch.rows))

    def _training_probabilities(self, X: Any) -> Vector:
        """Of the rows of a branch by its own posterior; other rows never come there."""
        of_branch = []
        for branch in self._branches:
            second = np.zeros(X.shape[0])
            second[branch.rows] = branch.division.training_probabilities()
            others = np.setdiff1d(np.arange(X.shape[0]), branch.rows)
            if len(others) and self._settings.kernel != "graph":
                rest = part(self._settings, X, others, branch.rows)
                second[others] = branch.division.probabilities(rest)
            of_branch.append(second)
        return probabilities(self._branches, of_branch)

    def _warn(self) -> None:
        divisions = [branch.division for branch in self._branches]
        if self.collapsed_:
            warnings.warn(
                f"the clusters collapsed: from every start one has less than {SMALLEST:.0%} of the "
                "rows. The labels are those of the first start, the division of a graph of near "
                "neighbours. Try another kernel or length_scale, a larger C, or a Universum",
                ConvergenceWarning,
                stacklevel=3,
            )
        if any(d.interrupted for d in divisions):
            warnings.warn(
                "interrupted from the keyboard; these are the best starts so far",
                ConvergenceWarning,
                stacklevel=3,
            )
        elif not all(d.posterior.converged for d in divisions):
            warnings.warn(
                f"f still changes by more than tol={self.tol:g} after max_iter={self.max_iter} "
                "steps; raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=3,
            )

    # ------------------------------------------------------------------ checks

    def _check_parameters(self) -> None:
        if not callable(self.kernel) and not self._is_kernel(*KERNELS):
            raise ValueError(f"kernel must be one of {KERNELS} or a callable; got {self.kernel!r}")
        if isinstance(self.length_scale, str):
            if self.length_scale != "evidence":
                raise ValueError(
                    "length_scale must be a number > 0, 'evidence' or None; got "
                    f"{self.length_scale!r}"
                )
        elif self.length_scale is not None:
            require_positive("length_scale, if not 'evidence' or None,", self.length_scale)
        if self.length_scale is not None and not self._is_kernel("rbf", "diffusion"):
            raise ValueError(
                f"length_scale is of kernel='rbf' or 'diffusion'; kernel={self.kernel!r} has none: "
                "leave it None"
            )
        require_positive("C", self.C)
        require_positive("gamma", self.gamma)
        if not self.gamma < 1:
            raise ValueError(
                f"gamma, the share of the second cluster, must be < 1; got {self.gamma!r}"
            )
        require_nonnegative("offset", self.offset)
        require_integer("n_init", self.n_init, 1)
        require_positive("tol", self.tol)
        require_integer("max_iter", self.max_iter, 1)

    def _checked_settings(self, X: Any) -> Settings:
        return Settings(
            self.kernel, self.length_scale, float(self.C), float(self.gamma), float(self.offset),
            self._checked_universum(X), self.n_init, self.tol, self.max_iter, bool(self.verbose),
        )  # fmt: skip

    def _checked_universum(self, X: Any) -> Any:
        universum = self.universum
        if universum is None:
            return None
        if self._is_kernel("precomputed", "graph"):
            raise ValueError(
                f"a Universum needs a kernel of rows; kernel={self.kernel!r} knows none but the "
                "training rows. Take 'diffusion', 'rbf' or a callable"
            )
        if isinstance(universum, str):
            if universum not in ("mean", "marginal"):
                raise ValueError(
                    "universum must be None, 'mean', 'marginal' or an array of rows; got "
                    f"{universum!r}"
                )
            return universum
        universum = check_array(
            universum, accept_sparse="csr", dtype=np.float64, input_name="universum"
        )
        if universum.shape[1] != X.shape[1]:
            raise ValueError(
                f"universum must have the {X.shape[1]} features of X; it has {universum.shape[1]}"
            )
        return sparse.csr_matrix(universum) if sparse.issparse(X) else universum

    def _is_kernel(self, *names: str) -> bool:
        return isinstance(self.kernel, str) and self.kernel in names

    def _validated(self, X: Any, reset: bool) -> Any:
        return validate_data(
            self, X, accept_sparse=False if self._is_kernel("precomputed") else "csr",
            dtype=np.float64, ensure_min_samples=2 if reset else 1, reset=reset,
        )  # fmt: skip

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self._is_kernel("precomputed")
        tags.input_tags.pairwise = self._is_kernel("precomputed")
        return tags
