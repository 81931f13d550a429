"""Supervised k-means as an estimator: fit on sets with their partitions, predict new sets."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from structsvm.estimator import resolve_solver, warn_unless_converged
from structsvm.problem import Vector
from structsvm.problems._partitions import codes_of
from structsvm.problems.item_sets import ItemSet, as_item_sets, require_same_features
from structsvm.problems.supervised_kmeans.loss import trace_loss
from structsvm.problems.supervised_kmeans.oracles import IterativeOracle
from structsvm.problems.supervised_kmeans.problem import SupervisedKMeansProblem, require_input
from structsvm.problems.supervised_kmeans.scale import typical_scale
from structsvm.result import Verification
from structsvm.solvers import NSlackCuttingPlane, OneSlackCuttingPlane

logger = logging.getLogger(__name__)

#: Up to so many sets an undergenerating oracle is trained with a slack for each.
FEW_SETS = 100
#: Random starts of the search that looks for what the training's oracle missed.
RECHECK_STARTS = 10


class SupervisedKMeans(ClusterMixin, BaseEstimator):
    """Learns from example partitions a similarity by which k-means makes such partitions.

    The examples are sets of items, each with the partition wanted of it. A new set is then
    clustered by the similarity K_ij = <coef_, psi_ij> of its own items; its clusters need not be
    those of the examples (Finley & Joachims, Supervised k-Means Clustering).

    Parameters
    ----------
    oracle : {'iterative', 'spectral', 'discrete'} or oracle object, default='iterative'
        How the most violated clustering is searched in training: :class:`IterativeOracle`,
        :class:`SpectralOracle` or :class:`DiscreteOracle`. 'iterative' and 'discrete' may miss it;
        'spectral' is exact over relaxed clusterings.
    predictor : the same, or a scikit-learn clusterer, default=None
        How new sets are clustered; None stands for ``oracle``. A clusterer must have ``affinity``
        or ``metric`` set to 'precomputed', such as
        ``AgglomerativeClustering(metric='precomputed', linkage='average')``. With 'spectral'
        predictions are matrices.
    C : float, default=100.0
        Weight of the mean slack in the objective of :mod:`structsvm.objective`, > 0. The slack is
        in units of the loss, which is at most 100.
    scale : 'auto' or float, default='auto'
        What the joint features are divided by, > 0. 'auto' is the root of the mean over the sets
        of the squared norm of Psi(x, y) less the mean Psi of all relabellings of the items: what a
        random partition of the same sizes lacks. So C means about the same for all features,
        numbers of items and of clusters. 1 is the scale of the paper.
    nonnegative : bool, default=False
        Keep all weights >= 0, so that K is positive semi-definite if every feature is a kernel, as
        products of node features are.
    solver : 'auto' or solver object, default='auto'
        'auto' is :class:`structsvm.NSlackCuttingPlane` where the oracle undergenerates and there
        are at most 100 sets, since it knows of each set what was found earlier; else
        :class:`structsvm.OneSlackCuttingPlane`. Both with a relative gap of 1 %.
    warm_start : bool, default=False
        Start ``fit`` from the solution of the last fit.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The weights, those of node features first, in units of the features as given.
    scale_ : float
        What the joint features were divided by; ``coef_ = result_.w / scale_``.
    n_clusters_ : int or None
        The number of clusters of the examples, where they agree.
    result_ : Result
        Objective, gap, status and guarantee of the training.
    missed_slack_ : float
        By how much the mean slack is larger than the training knew, as a search with more starts
        finds it at the end, in units of the loss; 0 for 'spectral', which misses nothing. It says
        how undergenerating the training was.
    n_iter_ : int
        Passes over the sets.
    n_features_in_ : int

    Notes
    -----
    An undergenerating oracle makes an objective that is too low; see :doc:`/conventions`.

    Examples
    --------
    Items in the plane, of which only the first coordinate matters:

    >>> import numpy as np
    >>> from structsvm.problems import SupervisedKMeans
    >>> def draw(seed):
    ...     rng = np.random.default_rng(seed)
    ...     y = rng.permutation(30) % 3
    ...     items = np.column_stack([y == 0, y == 1, y == 2, *rng.normal(size=(4, 30))])
    ...     return items.astype(float), y
    >>> X, Y = zip(*map(draw, range(4)))
    >>> model = SupervisedKMeans().fit(X[:3], Y[:3])
    >>> model.score(X[3:], Y[3:])
    1.0
    >>> labels = model.predict(X[3:], n_clusters=3)
    >>> labels[0].shape
    (30,)
    """

    def __init__(
        self,
        oracle: Any = "iterative",
        predictor: Any = None,
        C: float = 100.0,
        scale: Any = "auto",
        nonnegative: bool = False,
        solver: Any = "auto",
        warm_start: bool = False,
        verbose: bool = False,
    ) -> None:
        self.oracle = oracle
        self.predictor = predictor
        self.C = C
        self.scale = scale
        self.nonnegative = nonnegative
        self.solver = solver
        self.warm_start = warm_start
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> SupervisedKMeans:
        """Train on item sets and their partitions.

        Parameters
        ----------
        X : sequence of n item sets
            Each an :class:`ItemSet`; or an array, DataFrame or scipy.sparse matrix of node
            features, a row for each item.
        y : sequence of n array-likes
            ``y[i]`` holds a label of any kind for each item of ``X[i]``. Labels of different sets
            have nothing to do with each other, and sets may have different numbers of clusters.

        Returns
        -------
        SupervisedKMeans
            The estimator itself. A training that did not converge warns with scikit-learn's
            ``ConvergenceWarning``.

        Raises
        ------
        ValueError
            The sets have different features, a label is missing (None, NaN or -1), a set has
            fewer than two clusters, or a parameter is unusable.
        """
        item_sets, codes = self._data(X, y)
        inputs = list(zip(item_sets, [int(c.max()) + 1 for c in codes], strict=True))
        require_same_features(item_sets)
        self.scale_ = typical_scale(item_sets, codes) if self.scale == "auto" else self.scale
        problem = self._problem()
        start = self._start() if self.warm_start else None
        self.result_ = self._solver(problem, len(inputs)).solve(
            problem, inputs, codes, self.C, w0=start, verbose=self.verbose
        )
        self.coef_ = self.result_.w / self.scale_
        self.n_iter_ = self.result_.iterations
        self.n_features_in_ = len(self.coef_)
        self._widths = item_sets[0].widths
        numbers = {k for _, k in inputs}
        self.n_clusters_ = numbers.pop() if len(numbers) == 1 else None
        self.missed_slack_ = self._missed_slack(inputs, codes)
        logger.info("a stronger search finds %.3g more mean slack", self.missed_slack_)
        warn_unless_converged(self.result_)
        return self

    def predict(self, X: Any, n_clusters: Any = None) -> list[Any]:
        """Cluster item sets by the learned similarity.

        Parameters
        ----------
        X : sequence of n item sets
            As for :meth:`fit`.
        n_clusters : int or sequence of n ints, optional
            How many clusters, of all sets or of each. Default: ``n_clusters_``.

        Returns
        -------
        list of n arrays
            Labels 0..k-1 of shape (m,) for each set; with the predictor 'spectral' matrices of
            shape (m, k) with orthonormal columns.

        Raises
        ------
        ValueError
            A set has other features than the examples or fewer items than clusters; or the
            examples have different numbers of clusters, and ``n_clusters`` is not given.
        """
        check_is_fitted(self)
        item_sets = as_item_sets(X)
        require_same_features(item_sets, self._widths)
        inputs = list(zip(item_sets, self._numbers(item_sets, n_clusters), strict=True))
        for i, x in enumerate(inputs):
            require_input(x, i)
        problem = self._problem()
        return [problem.decode(x, self.result_.w) for x in inputs]

    def score(self, X: Any, y: Any) -> float:
        """1 - mean loss / 100 of the predictions, each with as many clusters as ``y[i]`` has.

        The loss is that of the training, :class:`SupervisedKMeansProblem`; a partition into one
        cluster less than all wrong is about 1/k, not 0.

        Parameters
        ----------
        X : sequence of n item sets
        y : sequence of n array-likes

        Returns
        -------
        float
            In [0, 1], larger is better.
        """
        check_is_fitted(self)
        item_sets, codes = self._data(X, y)
        predicted = self.predict(item_sets, [int(c.max()) + 1 for c in codes])
        losses = [trace_loss(c, found) for c, found in zip(codes, predicted, strict=True)]
        return float(1 - np.mean(losses) / 100)

    def similarity(self, items: Any) -> Vector:
        """The learned similarity K of shape (m, m) between the items of a set."""
        check_is_fitted(self)
        item_sets = as_item_sets([items])
        require_same_features(item_sets, self._widths)
        return item_sets[0].similarity(self.coef_)

    def verify(self, X: Any, y: Any) -> Verification:
        """Recompute the certificate from the training data: see :meth:`structsvm.Result.verify`."""
        check_is_fitted(self)
        item_sets, codes = self._data(X, y)
        inputs = list(zip(item_sets, [int(c.max()) + 1 for c in codes], strict=True))
        return self.result_.verify(self._problem(), inputs, codes)

    # ------------------------------------------------------------------ what fit is made of

    def _data(self, X: Any, y: Any) -> tuple[list[ItemSet], list[Any]]:
        item_sets = as_item_sets(X)
        if y is None or len(y) != len(item_sets):
            given = "None" if y is None else len(y)
            raise ValueError(
                f"y must hold a partition for each of {len(item_sets)} item sets; got {given}"
            )
        codes = [
            codes_of(labels, len(items), f"y[{i}]")
            for i, (items, labels) in enumerate(zip(item_sets, y, strict=True))
        ]
        return item_sets, codes

    def _problem(self) -> SupervisedKMeansProblem:
        return SupervisedKMeansProblem(self.oracle, self.predictor, self.scale_, self.nonnegative)

    def _solver(self, problem: SupervisedKMeansProblem, n: int) -> Any:
        if self.solver != "auto":
            return resolve_solver(self.solver, problem)
        if problem.oracle_quality == "undergenerating" and n <= FEW_SETS:
            return NSlackCuttingPlane(rtol=0.01)
        return OneSlackCuttingPlane(rtol=0.01)

    def _start(self) -> Vector | None:
        return self.coef_ * self.scale_ if hasattr(self, "coef_") else None

    def _missed_slack(self, inputs: Any, codes: Any) -> float:
        """What a stronger search adds to the mean slack."""
        problem = self._problem()
        if problem.oracle_quality != "undergenerating":
            return 0.0
        problem.set_params(oracle=IterativeOracle(RECHECK_STARTS, random_state=1))
        found = self.result_.verify(problem, inputs, codes).primal
        return max(0.0, found - self.result_.primal) / self.C

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.target_tags.required = True
        return tags

    def _numbers(self, item_sets: Sequence[ItemSet], n_clusters: Any) -> list[Any]:
        """How many clusters each set is to have."""
        n_clusters = self.n_clusters_ if n_clusters is None else n_clusters
        if n_clusters is None:
            raise ValueError(
                "the examples have different numbers of clusters; say how many are wanted, by "
                "n_clusters"
            )
        numbers = [n_clusters] * len(item_sets) if np.ndim(n_clusters) == 0 else list(n_clusters)
        if len(numbers) != len(item_sets):
            raise ValueError(
                f"n_clusters must be a number or one for each of {len(item_sets)} sets; got "
                f"{len(numbers)}"
            )
        return numbers
