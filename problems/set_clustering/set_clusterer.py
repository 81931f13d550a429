"""Base class of the estimators over sets of items."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from structsvm.contract.capabilities import oracle_may_miss
from structsvm.contract.problem import Problem
from structsvm.data.arrays import Numbers, Vector
from structsvm.data.conversion import require_parts_not_swapped
from structsvm.estimators.encoding import Encoded
from structsvm.estimators.training import StructuredEstimator
from structsvm.problems.set_clustering.encoding import SetEncoding
from structsvm.problems.set_clustering.item_sets.item_set import ItemSet, as_item_sets
from structsvm.problems.set_clustering.partitions import labels_of
from structsvm.problems.set_clustering.records.pair_table import PairTable
from structsvm.problems.set_clustering.set_problem import (
    ClusteringOracle,
    SetProblem,
    items_of,
)
from structsvm.results.result import Result
from structsvm.results.verification import Verification
from structsvm.solvers import NSlackCuttingPlane, OneSlackCuttingPlane
from structsvm.solvers.auto import Choice

logger = logging.getLogger(__name__)

#: Largest number of sets for which solver='auto' trains an undergenerating oracle with n slacks.
FEW_SETS = 100
#: Number of random starts of the stronger oracle that measures the slack missed in training.
RECHECK_STARTS = 10
#: Relative gap of the solvers that solver='auto' chooses.
RTOL = 0.01


@dataclass(eq=False, repr=False)
class SetClusterer(StructuredEstimator):
    """A clusterer that learns a similarity from sets of items and their partitions.

    Parameters
    ----------
    scale : 'auto', 'common', None, float or array of shape (n_features,), default='auto'
        Divisor of the joint feature, or of each of its coordinates, > 0. 'auto' makes C independent
        of the units of the features. 'auto' divides each coordinate by the spread of its feature,
        and then rescales all coordinates like 'common'. 'common' divides all coordinates by the
        same number: the root mean square of the norm of the centred Psi(x, y) over the sets. To
        centre Psi(x, y), its mean over all permutations of the labels is subtracted. If sets have
        dense item features and no pair features, 'auto' also centres each set and adds one pair
        feature. The pair feature that 'auto' adds is the inner product of two items, whitened by
        the covariance within clusters. The regulariser hardly penalises the weight of the added
        pair feature. Few training sets are enough to learn the whitening, even for classes that
        occur in no training set. With None or 1, the features are unchanged.
    solver : 'auto' or solver object, default='auto'
        If the oracle may miss the best clustering and there are at most 100 sets, 'auto' is
        :class:`structsvm.NSlackCuttingPlane`. NSlackCuttingPlane stores the earlier clusterings of
        each set. Otherwise 'auto' is :class:`structsvm.OneSlackCuttingPlane`.
    rtol : float, optional
        Relative tolerance, >= 0 and < 1. Training stops when the gap is at most ``rtol`` times the
        primal value. Default: 0.01.
    n_jobs : int, optional
        Number of processes that call the oracle in ``fit``; each process gets a part of the item
        sets.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights of the unscaled features; node features come first.
    whitened_coef_ : float
        Weight of the product of whitened items; 0 without whitening.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, for example the columns of a DataFrame, if all features have names.
    scale_ : float or ndarray of shape (n_features,)
        The divisor of the joint features; ``coef_`` holds the first entries of ``result_.w /
        scale_``.
    n_iter_ : int
        Number of passes over the sets, including passes that only refine earlier clusterings.
    n_features_in_ : int
        Number of features of a pair.
    """

    oracle: str | ClusteringOracle
    _: KW_ONLY
    predictor: Any = None
    scale: Literal["auto", "common"] | float | Numbers | None = "auto"
    nonnegative: bool = False

    if TYPE_CHECKING:  # attributes that the encoding learns
        n_features_in_: int = field(init=False)
        feature_names_in_: NDArray[Any] = field(init=False)
        scale_: float | Vector = field(init=False)

    #: Whether inputs include the number of clusters.
    _counted: ClassVar[bool]
    #: The class of the problem, and that of an oracle whose longer search measures the missed
    #: slack.
    _kind: ClassVar[Callable[..., SetProblem]]
    _searcher: ClassVar[Callable[..., Any]]

    _takes_matrix, _requires_y = False, True
    _bound = None  # type: ignore[assignment]  # the number of clusters may be needed with X

    # ------------------------------------------------------------------ fit

    def _new_encoding(self) -> SetEncoding:
        return SetEncoding(self.scale, self._counted)

    def _given(self, X: Any, y: Any, reset: bool) -> tuple[Any, Any]:
        if reset:
            require_parts_not_swapped(X, y)
        item_sets = as_item_sets(X)
        if not reset or (self.warm_start and hasattr(self, "w_")):
            self._encoding.require_features(item_sets)
        return item_sets, y

    def _problem(self) -> SetProblem:
        divisor = self._encoding.divisor
        return self._kind(self.oracle, self.predictor, divisor, self.nonnegative)

    def _prepared(
        self, data: Encoded, *, last: Any = None, **options: Any
    ) -> tuple[Any, Callable[[], Result], Encoded]:
        if last is not None:
            # The scale may differ from the last fit; new features start with the weight 0.
            before, size = last.weights_given(self.w_, None), items_of(data.X[0]).n_features
            start = np.append(before, np.zeros(size))[:size]
            self.w_ = self._encoding.weights_trained(start, None)
        return super()._prepared(data, last=last, **options)

    def _keep(self, problem: Any, result: Result, data: Encoded) -> None:
        super()._keep(problem, result, data)
        if self._encoding.features.names is None:
            vars(self).pop("feature_names_in_", None)
        whitens, given = self._encoding.whitening is not None, self._encoding.features.n_features
        weights = self._encoding.weights_given(result.w, problem)
        self.coef_: Vector = weights[:given]
        self.whitened_coef_ = float(weights[given]) if whitens else 0.0
        if result.support is None:  # after a pass of a fit that goes on
            return
        self.missed_slack_ = self._missed_slack(data)
        logger.info("a stronger oracle finds %.3g more mean slack", self.missed_slack_)

    def _choice(self, problem: Problem, X: Any, Y: Any) -> Choice:
        n = len(X)
        if not oracle_may_miss(problem):
            return Choice(OneSlackCuttingPlane(rtol=RTOL), "the oracle misses nothing")
        # n-slack keeps earlier clusterings of each set, which the oracle might miss now.
        why = f"the oracle undergenerates, and {n} sets are"
        if n <= FEW_SETS:
            return Choice(NSlackCuttingPlane(rtol=RTOL), f"{why} few")
        return Choice(OneSlackCuttingPlane(rtol=RTOL), f"{why} many")

    def _missed_slack(self, data: Encoded) -> float:
        """Return how much the mean slack increases if a stronger oracle searches."""
        problem = self._problem()
        if problem.oracle_quality == "overgenerating":
            return 0.0
        problem.set_params(oracle=self._searcher(RECHECK_STARTS, random_state=1))
        found = self.result_.verify(problem, data.X, data.Y, sample_weight=data.weights).primal
        # At the same w, primal values differ only by C times the mean slack.
        return max(0.0, found - self.result_.primal) / self.C_

    # ------------------------------------------------------------------ after fit

    def similarity(self, items: Any) -> Any:
        """Return the learned similarity K of shape (m, m) between the items of a set.

        For a block of a :class:`PairTable`, the result has the attributes ``listed``, a CSR matrix
        with an entry for each listed pair, and ``elsewhere``, the similarity of every unlisted
        pair. ``elsewhere`` is -inf if unlisted pairs are impossible.
        """
        check_is_fitted(self, "w_")
        encoding = self._encoding
        known = encoding.known(self._given([items], None, reset=False)[0])
        return known[0].similarity(encoding.weights_given(self.w_, None))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return 1 - mean loss / 100 of the predictions, in [0, 1]; larger is better.

        :class:`SupervisedKMeans` takes the number of clusters from ``y[i]``. The chance level of
        SupervisedKMeans is not 0: a prediction that puts all items into one of k clusters would
        score 1/k. For :class:`CorrelationClustering` the score is the mean Rand index. For a
        :class:`PairTable` the score is the fraction of all listed pairs on which the predictions
        and y agree.

        Parameters
        ----------
        X : sequence of n item sets
        y : sequence of n array-likes
            The partition of each set. For a :class:`PairTable`, y has the format that ``fit``
            accepts.
        sample_weight : array-like of shape (n,), optional
            Weights of the sets, or of the blocks of a :class:`PairTable`.

        Returns
        -------
        float
        """
        check_is_fitted(self, "w_")
        inputs, outputs, weights, _ = self._encoded(X, y, sample_weight)
        loss, found = self._problem().loss, self._decoded(inputs)
        losses = [loss(true, each) for true, each in zip(outputs, found, strict=True)]
        return float(1 - np.average(losses, weights=weights) / 100)

    def verify(
        self, X: Any, y: Any = None, *, oracle: Any = None, sample_weight: Any = None
    ) -> Verification:
        """Recompute the certificate from the training data: see :meth:`structsvm.Result.verify`.

        Sets that early stopping held out of training are left out. If the oracle misses the best
        clustering, the primal value is too low and can be below the dual value.

        Parameters
        ----------
        X, y : the data
            The data passed to ``fit``, in the same order.
        oracle : str or oracle object, optional
            Replaces the training oracle. With a stronger oracle the primal value is closer to the
            true value. With a stronger oracle, ``matches``, which compares the primal value with
            the value from training, is usually False.
        sample_weight : array-like, optional
            The weights passed to ``fit``.
        """
        check_is_fitted(self, "w_")
        problem = self._problem()
        if oracle is not None:
            problem.set_params(oracle=oracle)
        item_sets, labels = self._given(X, y, reset=False)
        data = self._encoding.encode_as_trained(item_sets, labels, sample_weight)
        inputs, outputs, weights, _ = self._trained_on(data)
        return self.result_.verify(problem, inputs, outputs, sample_weight=weights)

    def _to_cluster(self, X: Any) -> list[ItemSet]:
        """Return the item sets of X, or an empty list if X is empty or is a table without pairs."""
        check_is_fitted(self, "w_")
        if isinstance(X, (list, tuple, PairTable)) and not len(X):
            return []
        item_sets = as_item_sets(X)
        self._encoding.require_features(item_sets)
        return list(self._encoding.known(item_sets))

    def _predicted(self, item_sets: Sequence[ItemSet], n_clusters: Any = ()) -> list[Any]:
        """Return the predicted labels, or the predicted matrix, of each set."""
        return list(map(labels_of, self._decoded(self._encoding.inputs(item_sets, n_clusters))))

    def _decoded(self, inputs: Sequence[Any]) -> list[Any]:
        problem = self._problem()
        return [problem.decode(x, self.w_) for x in inputs]
