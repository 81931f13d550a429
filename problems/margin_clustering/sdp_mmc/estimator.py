"""A clusterer and semi-supervised classifier, based on the semidefinite relaxation."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from structsvm.data.arrays import Indices, Self, Vector
from structsvm.data.labels import in_order
from structsvm.data.validation import require_integer, require_number, require_option
from structsvm.docstrings import documented
from structsvm.estimators.about import About
from structsvm.estimators.encoding import Encoded
from structsvm.estimators.estimator import outputs_called_y
from structsvm.features.kernels import Kernel
from structsvm.problems.margin_clustering.annotation import UNKNOWN, known_labels
from structsvm.problems.margin_clustering.kernel_clusterer import KernelClusterer, generator
from structsvm.problems.margin_clustering.sdp_mmc import admm, advice, features
from structsvm.problems.margin_clustering.sdp_mmc.candidates import kernel_rows
from structsvm.problems.margin_clustering.sdp_mmc.features import Landmarks
from structsvm.problems.margin_clustering.sdp_mmc.groups import Groups, checked_links, coded, linked
from structsvm.problems.margin_clustering.sdp_mmc.low_rank import solver as low_rank
from structsvm.problems.margin_clustering.sdp_mmc.low_rank.program import LowRankProgram
from structsvm.problems.margin_clustering.sdp_mmc.program import simplex
from structsvm.problems.margin_clustering.sdp_mmc.relaxation import Relaxation
from structsvm.problems.margin_clustering.sdp_mmc.rounding import Labelling, best_labels
from structsvm.results.callbacks import Callbacks
from structsvm.results.verification import Verification
from structsvm.solvers.shared.loop import Limits

#: Names of kernels and of solvers.
KERNELS, SOLVERS = ("rbf", "linear", "precomputed"), ("low_rank", "admm")


class Fitted(NamedTuple):
    """The parts of a fitted model, such as its classes, kernel and program."""

    classes: NDArray[Any]
    codes: Indices
    gamma: float | None
    kernel: Kernel
    landmarks: Landmarks | None
    program: Any
    best: Labelling


#: The result of one of the two solvers.
Solution: TypeAlias = admm.RelaxationResult | low_rank.LowRankResult

#: Fitted attributes without names of their own.
PRIVATE = ("_encoding", "_kernel", "_landmarks", "_weights", "_X")


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class SDPMMC(KernelClusterer):
    r"""Maximum margin clustering by a convex relaxation with a lower bound and optional labels.

    The soft margin of labels y depends only on the matrix M = y y'. SDPMMC minimises the inverse
    square of the margin, a convex function of M, under convex constraints that every y y'
    satisfies. The solution M is rounded to labels. The global minimum is a lower bound on the
    objective of all labels that satisfy ``balance``. The objective of the rounded labels exceeds
    the lowest possible objective by at most ``label_gap_``. If some labels are known, SDPMMC is a
    transductive support vector machine. **By default, clusters have about equal sizes: raise**
    ``balance`` **for unequal sizes.** SDPMMC suits data of up to ten thousand rows.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters. With more than two clusters, y becomes a matrix of codes, the vertices
        of a simplex. With ``n_clusters=1``, all rows get the same label without any optimisation.
    kernel : {'rbf', 'linear', 'precomputed'} or callable, default='rbf'
        Kernel of the rows. The features of the kernel 'linear' are the rows themselves. A callable
        takes two rows and returns a number. For kernels such as inner products, centre the rows or
        set ``offset``.
    gamma : float, optional
        Parameter of 'rbf', exp(-gamma d^2) for rows at a distance d. The default is 8 / m^2 for the
        median distance m of two rows, so that the standard deviation of the Gaussian is m / 4. With
        more than 2000 rows, the median distance is computed from a random sample of 2000 rows.
        ``gamma`` is the most important parameter. Kernels without a parameter ``gamma`` ignore its
        value, as in scikit-learn.
    n_components : int, optional
        Number of landmarks, drawn from the rows, for Nystroem's method. Nystroem's method
        approximates k(x, z), but k(x, x) remains exact. ``objective_``, ``label_objective_`` and
        ``lower_bound_`` are computed with the approximate kernel. By default, the kernel is exact
        for up to 2000 rows and, if it is 'linear', for up to 2000 columns; otherwise 1000 landmarks
        are used.
    offset : float, default=0.0
        Prior variance of the offset of the classifier, relative to the mean of k(x, x). The product
        of ``offset`` and the mean of k(x, x) is added to every entry of the kernel matrix. Without
        a prior of the offset, every convex relaxation would give the lower bound 0, unless the
        cluster sizes were fixed.
    C : float, default=100.0
        Weight of each row's hinge loss, > 0, and upper bound on the row's dual variable. The weight
        of the mean hinge loss, which :class:`MMC` calls C, is n times ``C`` for n rows.
        ``label_objective_`` is ``||w||^2`` plus 2 C times the sum of the hinge losses. The product
        of C and the mean of k(x, x), which is 1 for 'rbf', must be from 1e-10 to 1e8.
    balance : float, default=0.1
        Bound, < 1, on the difference between the sizes of two clusters, as a fraction of the number
        of rows. **Raise** ``balance`` **for unequal clusters**: sizes of 100 and 20 rows need at
        least 80 / 120, about .67. If two clusters share 120 rows, the default lets their sizes
        differ by at most 12. ``fit`` warns if it finds labels that violate ``balance`` and have a
        much lower objective than ``labels_``. Do not raise ``balance`` more than necessary, because
        labels with a small cluster of distant rows often have a low objective. If n is odd, the
        sizes of two clusters may always differ by one row. With k > 2 clusters, ``balance`` bounds
        the root mean square of the sizes' relative deviations from n / k, and must be < 1 / sqrt(k
        - 1).
    solver : {'low_rank', 'admm'}, default='low_rank'
        'low_rank' factorises the matrix M into V V', where V has 24 columns. 'low_rank' bounds the
        sum of all entries of the matrix M, and uses only some of the triangle inequalities. 'admm',
        for two clusters and the exact kernel, solves the semidefinite program of Xu et al. 'admm'
        bounds the sum of each row of M, and uses all triangle inequalities. Each iteration of
        'admm' takes O(n^3) time. 'admm' takes longer than 'low_rank', and its lower bound is nearly
        always lower, that is, less tight.
    tol : float, default=0.01
        Tolerance for the relative gap between ``objective_`` and ``lower_bound_``, and for the
        violation of the constraints. With 'low_rank', the fit ends when the gap, plus the sum of
        the violations times their Lagrange multipliers, is at most ``tol`` times ``objective_``.
    max_iter : int, default=400
        Maximum number of passes. A pass consists of several iterations and a search for violated
        inequalities.
    time_limit : float, optional
        Limit of the wall time in seconds, for solving the relaxation.
    random_state : int, RandomState instance or None, default=None
        Seed or generator of the randomised rounding.
    callback : callable or list of callables, optional
        A function that is called as ``callback(iteration, M)`` after every pass, where
        ``iteration`` is an :class:`structsvm.Iteration`. If the function returns a true value, the
        fit stops. The relaxed matrix M has one row for each group of rows connected by links or
        known labels. With 'low_rank', the function gets the matrix V of the factorisation M = V V'
        instead of M.
    verbose : bool, default=False
        Whether to show a progress bar.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        The label of every row, one of ``classes_``.
    classes_ : ndarray of shape (n_clusters,)
        The distinct known labels or, without known labels, 0, 1, ...
    objective_ : float
        f(M), the maximum over lambda in [0, C] of 2 sum(lambda) - lambda' (K o M) lambda, where K
        is the kernel matrix and o is the entrywise product. With 'low_rank', ``objective_`` may be
        too large by a fraction of ``tol``. If the relaxed matrix violates constraints,
        ``objective_`` may be too small, and even below ``lower_bound_``.
    lower_bound_ : float
        A lower bound on the objective of every labelling that satisfies the constraints.
    max_violation_ : float
        The largest violation of a triangle inequality or of ``balance``, the bound on the absolute
        mean of a row of ``M_``. 'low_rank' checks only the triangle inequalities that the program
        uses. 'low_rank' computes the violation of ``balance`` from the mean of all entries of
        ``M_``.
    label_objective_ : float
        The objective of ``labels_``: f(M) in the formula of ``objective_``, for the matrix M = y y'
        of the labels y.
    label_gap_ : float
        The difference ``label_objective_ - lower_bound_``: no labelling that satisfies the
        constraints is better than ``labels_`` by more than this difference.
    M_ : ndarray of shape (n, n)
        The relaxed matrix M, computed on access. The entry of M for two rows is near +1 if the rows
        share a cluster, and near -1 / (n_clusters - 1) otherwise.
    soft_assignment_ : ndarray of shape (n,)
        Only with two clusters: the leading eigenvector of ``M_``, times the square root of the
        largest eigenvalue. Positive entries indicate ``classes_[1]``.
    dual_coef_ : ndarray of shape (n,) or (n, n_clusters - 1)
        Dual coefficients of the support vector machine trained on ``labels_``: the dual variable of
        each row times its label, a sign or a vertex of a simplex.
    intercept_ : float or ndarray of shape (n_clusters - 1,)
        Offset of the support vector machine.
    gamma_ : float
        The gamma used by the kernel 'rbf'.
    result_ : RelaxationResult or LowRankResult
        Status, history and certificate of the relaxation, which ``print`` shows.
    groups_ : Groups
        The groups of rows linked by known labels, ``must_link`` and ``cannot_link``.
    n_iter_ : int
        Number of passes.
    n_features_in_ : int
        Number of columns of X.

    Notes
    -----
    Of several candidate labellings, ``labels_`` has the lowest ``label_objective_``. The candidate
    labellings come from rounding the relaxed matrix M, from rounding eigenvectors of two
    nearest-neighbour graphs and, for up to 4000 rows, from :class:`BayesianMMC`. The
    nearest-neighbour graphs and BayesianMMC use distances between rows in the feature space of
    ``kernel``. With more than two clusters, k-means finds candidate labellings from the
    eigenvectors of the nearest-neighbour graphs, from a factor of the relaxed matrix, and from the
    rows in the feature space. 'low_rank' improves the three best candidate labellings: as long as
    the objective decreases, rows move to the cluster of their highest score.

    The lower bound of 'low_rank' depends on the largest eigenvalue of a matrix with a row for each
    row of X or group of linked rows. With up to 600 rows, the largest eigenvalue is computed from a
    dense matrix. With 601 to 4000 rows, Lanczos' method estimates the largest eigenvalue, and a
    factorisation proves a slightly larger upper bound. With more than 4000 rows, the lower bound of
    'low_rank' assumes that Lanczos' method found the largest eigenvalue. In exact arithmetic,
    Lanczos' method finds the largest eigenvalue with probability 1. With more than 4000 rows,
    ``result_.guarantee`` states that the lower bound depends on Lanczos' method.

    Copies of a row share a cluster unless the balance requires otherwise. Constant features have no
    influence. A cluster of a single row needs ``balance=(n - 2) / n``.

    References
    ----------
    Xu, Neufeld, Larson & Schuurmans, Maximum Margin Clustering, NIPS 2004: equations 6 and 7,
    constraints L1 to L4, S1 and S2. Unlike Xu et al., this class computes a lower bound, adds
    triangle inequalities only when they are violated, and chooses the best of several candidates
    that satisfy the balance. Constraint S1 of Xu et al. fixes the known labels: all labelled rows
    become one node of the program. Constraint S2 of Xu et al., that each row is in the cluster of
    some labelled row, always holds if both classes have labelled rows. Xu et al. leave more than
    two clusters, and an offset, to future work. For several classes, the loss of Xu & Schuurmans,
    AAAI 2005, differs from the loss of :class:`SDPMMC`. The offset of Valizadegan & Jin, NIPS 2006,
    differs from the offset of :class:`SDPMMC`. The formula of ``objective_`` and the bound
    ``lower_bound_`` also hold with several clusters and with an offset. Burer & Monteiro,
    Mathematical Programming 95, 2003, for 'low_rank'.

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> from structsvm.problems import SDPMMC
    >>> X, inner = make_circles(40, factor=0.4, noise=0.03, random_state=0)
    >>> sdp = SDPMMC(random_state=0).fit(X)
    >>> len(set(zip(inner.tolist(), sdp.labels_.tolist())))
    2
    >>> bool(0 < sdp.label_gap_ < 0.05 * sdp.label_objective_)
    True
    """

    about = About(
        "Clusters", "clusters with a bound over all labellings, for up to thousands of rows",
        X="a matrix", y="-1 where unknown",
        page="relatives.md#a-convex-relaxation-sdpmmc",
    )  # fmt: skip

    n_clusters: int = 2
    kernel: Literal["rbf", "linear", "precomputed"] | Callable[..., Any] = "rbf"
    gamma: float | None = None
    n_components: int | None = None
    offset: float = 0.0
    C: float = 100.0
    balance: float = 0.1
    solver: Literal["low_rank", "admm"] = "low_rank"
    tol: float = 0.01
    max_iter: int = 400
    time_limit: float | None = None
    random_state: Any = None
    callback: Callbacks = None
    verbose: bool = False

    def fit(self, X: Any, y: Any = None, *, must_link: Any = None, cannot_link: Any = None) -> Self:
        """Cluster the rows of X or, if some labels are known, find the other labels.

        Parameters
        ----------
        X : array or scipy.sparse matrix of shape (n, n_features)
            The rows. With ``kernel='precomputed'``, X is the kernel matrix, dense, of shape (n, n).
        y : array-like of int of shape (n,), optional
            Labels, with -1 for each unknown label; for two clusters only. Exactly two different
            labels must be known. If y does not contain -1, y is ignored with a warning.
        must_link, cannot_link : array-like of int of shape (m, 2), optional
            Pairs of rows that must be in one cluster, and pairs that must be in different clusters.
            ``cannot_link`` is for two clusters only.

        Returns
        -------
        SDPMMC
            The estimator itself. ``fit`` warns with scikit-learn's ``ConvergenceWarning`` if the
            limit of passes or of time was reached. ``fit`` also warns, and suggests a remedy, if
            the kernel is so narrow that hardly any rows are similar, or if ``label_gap_`` is more
            than .35 of ``label_objective_``. ``fit`` warns if labels that violate ``balance`` have
            a much lower objective than ``labels_``, or if the sizes of the clusters differ as much
            as ``balance`` allows. ``fit`` warns if ``predict`` of the training rows differs from
            ``labels_``.

        Raises
        ------
        ValueError
            If a parameter is out of range, all rows are equal, the kernel matrix is indefinite or
            not square, the known labels in y are not of exactly two classes, labels and links
            contradict each other, or no labelling is found that satisfies the links and the
            balance.
        """
        self._require_parameters()
        if self.n_clusters == 1:
            return self._fit_one_cluster(X, y, must_link, cannot_link)
        return self._fit(X, y, must_link=must_link, cannot_link=cannot_link)

    def _fit_one_cluster(self, X: Any, y: Any, must_link: Any, cannot_link: Any) -> Self:
        """Put all rows into one cluster, without training."""
        with outputs_called_y(self):
            for name in [name for name in vars(self) if name.endswith("_") or name in PRIVATE]:
                delattr(self, name)  # of an earlier fit
            X, known = self._given(X, y, reset=True)
            unknown = np.full(X.shape[0], UNKNOWN)
            self._groups(unknown if known is None else known, must_link, cannot_link)
        self.classes_, self.n_iter_ = np.arange(1), 0
        self.labels_ = np.zeros(X.shape[0], dtype=np.intp)
        return self

    def decision_function(self, X: Any) -> Vector:
        """Return the scores of a support vector machine trained on ``labels_``.

        The scores have shape (n,), or (n, n_clusters) for more than two clusters. With
        ``kernel='precomputed'``, X is the kernel matrix between the rows and the training rows.
        """
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        if self.n_clusters == 1:
            return np.zeros((X.shape[0], 1))
        if self._landmarks is not None:
            scores = self._landmarks.of(X) @ self._weights
        elif self._kernel.kind == "linear":
            scores = X @ self._weights
        else:
            K = X if self._is_precomputed else self._kernel.matrix(X, self._X)
            scores = K @ self.dual_coef_
        return self._by_cluster(scores + self.intercept_)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of every row, predicted from its score; shape (n,)."""
        return self._labels_of(self.decision_function(X))

    def _labels_of(self, scores: Vector) -> NDArray[Any]:
        labels = scores >= 0 if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[labels.astype(np.intp)]

    def _by_cluster(self, scores: Vector) -> Vector:
        return np.asarray(scores if scores.ndim == 1 else scores @ simplex(self.n_clusters).T)

    def verify(self, X: Any) -> Verification:
        """Recompute the objective, lower bound and constraint violation from the training data."""
        check_is_fitted(self)
        if self.n_clusters == 1:
            raise ValueError("with n_clusters=1 nothing was optimised: there is nothing to verify")
        X = self._validated(X, reset=False)
        if X.shape[0] != len(self.labels_):
            raise ValueError(
                f"verify expects the {len(self.labels_)} training rows; got {X.shape[0]} rows"
            )
        program: Any = self._program(X, self._kernel, self._landmarks, self.groups_)
        return self.result_.verify(program)

    @property
    def M_(self) -> Vector:
        """The solution M of the relaxation, with a row and a column for each training row."""
        check_is_fitted(self)
        return self.groups_.pairs_of_rows(self.result_.Z)

    # ------------------------------------------------------------------ parts of fit

    @property
    def _limits(self) -> Limits:
        return Limits(self.max_iter, self.time_limit, self.callback, self.verbose)

    def _require_parameters(self) -> None:
        self._limits.check()
        require_integer("n_clusters", self.n_clusters, least=1)
        if not callable(self.kernel):
            require_option("kernel, if not a callable,", self.kernel, KERNELS)
        if self.n_components is not None:
            require_integer("n_components, if not None,", self.n_components, least=1)
        require_option("solver", self.solver, SOLVERS)
        if self.solver == "admm" and (self.n_clusters > 2 or self.n_components is not None):
            raise ValueError(
                "solver='admm' is for two clusters and the exact kernel; got "
                f"n_clusters={self.n_clusters} and n_components={self.n_components}. Use "
                "solver='low_rank'"
            )
        if self.gamma is not None:
            require_number("gamma, if not None,", self.gamma, "> 0")
        require_number("C", self.C, "> 0")
        require_number("balance", self.balance, ">= 0")
        most = 1 / math.sqrt(max(1, self.n_clusters - 1))
        if self.balance >= most:
            raise ValueError(
                f"balance must be less than {most:.3g}, which is 1 / sqrt(n_clusters - 1), "
                "because otherwise a cluster may be empty, and all rows in one cluster have the "
                f"largest margin; got {self.balance!r}"
            )
        require_number("offset", self.offset, ">= 0")
        require_number("tol", self.tol, "> 0")

    def _given(self, X: Any, y: Any, reset: bool) -> tuple[Any, Any]:
        X = self._validated(X, reset)
        return X, known_labels(y, X.shape[0])

    def _trained(self, data: Encoded, must_link: Any, cannot_link: Any) -> tuple[Fitted, Any]:
        """Set up the program of the rows, solve it, and round its solution to labels."""
        X, rng = data.X, generator(self.random_state)
        classes, codes = coded(data.Y, X.shape[0], self.n_clusters)
        groups = self._groups(codes, must_link, cannot_link)
        automatic = self.gamma is None and Kernel(self.kernel).kind == "rbf"
        gamma = features.default_gamma(X, rng) if automatic else self.gamma
        kernel = Kernel(self.kernel, 1.0 if gamma is None else gamma)
        of_features = self.solver == "low_rank"
        m = features.n_landmarks(kernel, X, self.n_components) if of_features else None
        landmarks = None if m is None else features.drawn_landmarks(kernel, X, m, rng)
        program: Any = self._program(X, kernel, landmarks, groups)
        result: Any
        if not of_features:
            result, rows = admm.solve(program, self.tol, self._limits), kernel_rows(program)
        else:
            result = low_rank.solve(program, self.tol, self._limits, rng)
            rows = program.features * groups.signs[:, None]
            if landmarks is not None and kernel.kind in ("rbf", "linear"):
                rows = X  # whose distances are in the same order
        best, beyond = best_labels(program, result, rows, rng)
        advice.warn_of_width(program, result.primal, kernel)
        advice.warn_of_labels(program, result, best, beyond, kernel)
        return Fitted(classes, codes, gamma, kernel, landmarks, program, best), result

    def _groups(self, codes: Indices, must_link: Any, cannot_link: Any) -> Groups:
        """Return the groups of linked rows, which are the nodes of the program."""
        n, k = len(codes), self.n_clusters
        known = np.any(codes != UNKNOWN)
        if k != 2 and (known or len(checked_links("cannot_link", cannot_link, n))):
            raise ValueError(
                f"known labels and cannot_link are for two clusters; got n_clusters={k} with "
                f"{'y' if known else 'cannot_link'}. Leave it out, and link rows of the same label "
                "by must_link; or use CPM3C, which takes known labels of several clusters"
            )
        groups = linked(n, codes, must_link, cannot_link)
        if 2 < k > groups.n_nodes:
            raise ValueError(
                f"n_clusters={k} is more than the {groups.n_nodes} rows, or groups of rows that "
                "must_link joins"
            )
        return groups

    def _program(
        self, X: Any, kernel: Kernel, landmarks: Landmarks | None, groups: Groups
    ) -> Relaxation | LowRankProgram:
        if self.solver == "admm":
            K = kernel.training_matrix(X)
            K += self.offset * np.trace(K) / len(K)
            return Relaxation(K, float(self.C), self.balance, groups)
        given = features.training_features(kernel, landmarks, X, self.offset)
        return LowRankProgram(given, float(self.C), self.balance, groups, self.n_clusters)

    def _keep(self, fitted: Fitted, result: Solution, data: Encoded) -> None:
        """Set the fitted attributes, and delete the attributes of an earlier fit."""
        for name in ("soft_assignment_", "_weights"):  # not every fit has these
            vars(self).pop(name, None)
        self.classes_, codes, self.gamma_, self._kernel, self._landmarks, *_ = fitted
        program, best, X = fitted.program, fitted.best, data.X
        self._X = None if self._is_precomputed else X
        self.result_: Solution = result
        self.groups_: Groups = program.groups
        self.n_iter_ = result.iterations
        labels = best.labels[program.groups.nodes]
        if self.n_clusters == 2:
            y = program.groups.signs * (2.0 * labels - 1)
            # y and -y are the same clustering. A known label, or -1 for the first row, decides.
            anchor = int(np.argmax(codes != UNKNOWN))
            y *= y[anchor] * (2.0 * max(codes[anchor], 0) - 1)
            labels = (y > 0).astype(np.intp)
            soft = program.groups.of_rows(result.soft_assignment(np.bincount(program.groups.nodes)))
            # The sign of an eigenvector is arbitrary; a sign of 0 would erase it.
            self.soft_assignment_: Vector = soft * (np.sign(soft @ y) or 1.0)
            self.dual_coef_: Vector = best.lam * y
        else:
            labels = in_order(labels)
            self.dual_coef_ = best.lam[:, None] * program.codes[labels]
        self.labels_ = self.classes_[labels]
        self.label_objective_ = best.value
        self.objective_, self.lower_bound_ = result.primal, result.dual
        self.max_violation_ = result.violation
        self.label_gap_ = self.label_objective_ - self.lower_bound_
        mean = program.unit / (1 + self.offset)  # of k(x, x), without the offset
        self.intercept_: Any = self.offset * mean * self.dual_coef_.sum(axis=0)
        if self._landmarks is not None:
            self._weights = self._landmarks.of(X).T @ self.dual_coef_
        elif self._kernel.kind == "linear":
            self._weights = X.T @ self.dual_coef_
        predicted = self._labels_of(self._by_cluster(program.scores(self.dual_coef_)))
        advice.warn_of_scores(self.labels_, predicted, self._kernel, self.offset)
