"""Bayesian maximum margin clustering as a scikit-learn clusterer with probabilities."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from structsvm.features.kernels import require_symmetric
from structsvm.matrices import checked_rows
from structsvm.problem import Indices, Vector
from structsvm.problems.margin_clustering.rows import StandardRows
from structsvm.problems.relatives.bayesian_mmc.division import SMALLEST, Settings
from structsvm.problems.relatives.bayesian_mmc.parameters import (
    check_parameters,
    checked_universum,
    is_kernel,
)
from structsvm.problems.relatives.bayesian_mmc.tree import Branch, grown, probabilities, submatrix
from structsvm.validation import checked_random_state, require_integer


class BayesianMMC(ClusterMixin, BaseEstimator):
    r"""Bayesian maximum margin clustering: a Gaussian process that avoids rows in the margin.

    A latent function f has a Gaussian process prior. The likelihood says that each row has a label,
    without saying which, and that rows with a label are likely to lie outside the margin. The mode
    of the posterior is a clustering; a Gaussian approximation about it gives probabilities. Rows
    known to be in no cluster, a Universum, attract the margin. Time grows with n^3; suited to up to
    a few thousand rows.

    Parameters
    ----------
    kernel : {'diffusion', 'rbf', 'graph', 'precomputed'} or callable, default='diffusion'
        Covariance of the prior. 'rbf' is a Gaussian of the rows' distances; 'diffusion' the same
        for the coordinates of :class:`structsvm.features.DiffusionMap`, by a random walk among near
        neighbours; 'graph' the inverse Laplacian of a graph of 5 nearest neighbours, which is
        defined for the training rows only. A callable takes two rows and returns a number. All are
        centred on the training rows and scaled to a mean variance of 1.
    length_scale : float, 'evidence' or None, default=None
        Standard deviation of the Gaussian of 'rbf' and 'diffusion'. None uses half the median of
        the distances between two rows; 'evidence' maximises Laplace's approximation of the marginal
        likelihood (type-II maximum likelihood), which often has no maximum: see Notes.
    C : float, default=1.0
        Weight of the hinge losses, > 0, relative to a prior of variance 1: a row's label has the
        likelihood exp(-C hinge). The C of :mod:`structsvm.objective` is n times this one. With
        about 10 or more the labels remain those of the start. From 1e-6 to 1e6, with a Universum
        to 300.
    gamma : float, default=0.5
        Prior probability of the second cluster, between 0 and 1.
    offset : float, default=0.0
        Variance of a constant that is added to f. With 0 the scores f of the training rows sum to
        0, which suits two or four clusters of about equal size; for three, or for clusters of
        unequal size, try 0.01 and 1.
    universum : None, 'mean', 'marginal' or array-like of shape (m, n_features), default=None
        Rows that belong to no cluster. 'mean' generates 20 rows near the mean of the data, with a
        tenth of its standard deviations; 'marginal' generates 20 rows with each feature drawn
        independently from the values in the data.
    n_clusters : int, default=2
        With more than 2 the largest cluster is divided repeatedly, until there are enough.
    n_init : int, default=9
        Number of starts of each division, from eigenvectors of a graph of near neighbours. The one
        of highest log posterior is kept, which need not be the desired division; compare with 1,
        the division of the graph itself.
    tol : float, default=0.01
        Largest change of f in a step at which to stop, > 0; the margin is at 1.
    max_iter : int, default=1000
        Steps, at most, for each start and each level of smoothing.
    random_state : int, RandomState instance or None, default=None
        Seed or generator of a generated Universum.
    verbose : bool, default=False
        Show a progress bar over the starts of each division.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        The cluster of every row, from 0.
    probabilities_ : ndarray of shape (n, n_clusters)
        The probability of every cluster for every row.
    log_posterior_, log_evidence_ : ndarray of shape (n_clusters - 1,)
        The log posterior at the mode, without constants, and the approximate log marginal
        likelihood of each division.
    length_scale_ : ndarray of shape (n_clusters - 1,)
        The length scale of each division, or NaN for kernels without one.
    collapsed_ : bool
        Whether some division ended with less than 5 % of its rows in a cluster from every start.
        That division has the labels of its first start, and the probabilities of a Bayesian support
        vector machine trained on these labels.
    n_iter_ : int
        Number of steps of all starts.
    n_features_in_ : int

    Notes
    -----
    The probabilities are those of the model, whose odds at the margin are exp(2 C): a probability
    of about 0.88 with C = 1. They are not calibrated.

    The evidence often rises with the length scale up to the edge of its range; a warning is given
    then. It is better suited to comparing fits than to choosing a length scale.

    References
    ----------
    Dai, Hu & Niu, Bayesian Maximum Margin Clustering, ICDM 2010. We differ in the majorisation,
    which replaces a Newton method with negative weights; in Z(C) of the Universum terms, which
    their equation 5 drops; in the centred prior; in the default features; and in using several
    starts.

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
            The estimator itself; after Ctrl-C with the best start so far. It warns with
            scikit-learn's ``ConvergenceWarning`` of an interruption, of a collapsed cluster, if
            ``max_iter`` was too small, and of an evidence without a maximum.

        Raises
        ------
        ValueError
            A parameter is out of its range, there are fewer rows than clusters, the rows are all
            the same, the kernel is indefinite or not square, or the Universum has another number of
            features.
        """
        check_parameters(self)
        X = self._validated(X, reset=True)
        if is_kernel(self.kernel, "precomputed"):
            require_symmetric(X)
        else:
            StandardRows(X, offset=False)  # raises if all rows are the same
        require_integer("n_clusters", self.n_clusters, 2)
        if X.shape[0] < self.n_clusters:
            raise ValueError(
                f"n_clusters={self.n_clusters} needs as many rows; got n_samples={X.shape[0]}"
            )
        rng = np.random.default_rng(checked_random_state(self.random_state).randint(2**31 - 1))
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

        With ``kernel='precomputed'`` X is the kernel of the rows with the training rows; the prior
        variances of the rows, which it does not contain, are assumed to be the mean variance of
        the training rows.

        Raises
        ------
        ValueError
            The kernel is 'graph', which is defined for the training rows only.
        """
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        return probabilities(self._branches, [self._of_branch(b, X) for b in self._branches])

    def predict(self, X: Any) -> Indices:
        """The most probable cluster of every row, shape (m,)."""
        return self.predict_proba(X).argmax(axis=1)

    def _of_branch(self, branch: Branch, X: Any) -> Vector:
        rows = submatrix(self._settings, X, slice(None), branch.rows)
        return branch.division.probabilities(rows)

    def _training_probabilities(self, X: Any) -> Vector:
        """The probabilities of the training rows.

        At each branch its own rows have those of its posterior, and other rows those of a
        prediction; with 'graph', which cannot predict, other rows do not enter the branch.
        """
        of_branch = []
        for branch in self._branches:
            second = np.zeros(X.shape[0])
            second[branch.rows] = branch.division.training_probabilities()
            others = np.setdiff1d(np.arange(X.shape[0]), branch.rows)
            if len(others) and self._settings.kernel != "graph":
                rest = submatrix(self._settings, X, others, branch.rows)
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
                "interrupted from the keyboard; the best starts so far are kept",
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

    def _checked_settings(self, X: Any) -> Settings:
        return Settings(
            self.kernel, self.length_scale, float(self.C), float(self.gamma), float(self.offset),
            checked_universum(self.universum, self.kernel, X), self.n_init, self.tol,
            self.max_iter, bool(self.verbose),
        )  # fmt: skip

    def _validated(self, X: Any, reset: bool) -> Any:
        return checked_rows(
            self, X, accept_sparse=False if is_kernel(self.kernel, "precomputed") else "csr",
            dtype=np.float64, ensure_min_samples=2 if reset else 1, reset=reset,
        )  # fmt: skip

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not is_kernel(self.kernel, "precomputed")
        tags.input_tags.pairwise = is_kernel(self.kernel, "precomputed")
        return tags
