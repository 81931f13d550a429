"""Base class of the estimators over sets of items: from sets and labels to a problem, and back."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, cast

import numpy as np
from sklearn.utils.validation import check_is_fitted

from structsvm.contract.capabilities import oracle_may_miss
from structsvm.contract.problem import Problem
from structsvm.data.arrays import Numbers, Vector
from structsvm.data.conversion import require_parts_not_swapped
from structsvm.data.validation import checked_sample_weight
from structsvm.estimators.encoded import Encoded
from structsvm.estimators.training import StructuredEstimator
from structsvm.problems.set_clustering.clustering_oracle import ClusteringOracle
from structsvm.problems.set_clustering.given_labels import codes_of_sets, labels_of, numbers_of
from structsvm.problems.set_clustering.item_sets import (
    ItemSet,
    PairTable,
    as_item_sets,
    common_features,
)
from structsvm.problems.set_clustering.item_sets.pair_block import PairBlock, common_unlisted
from structsvm.problems.set_clustering.item_sets.pair_labels import warn_of_divided, warn_of_labels
from structsvm.problems.set_clustering.scales import feature_scales, typical_norm
from structsvm.problems.set_clustering.set_problem import SetProblem
from structsvm.problems.set_clustering.whitening import Whitening, can_whiten, cross_fitted
from structsvm.results.result import Result
from structsvm.results.verification import Verification
from structsvm.solvers import NSlackCuttingPlane, OneSlackCuttingPlane
from structsvm.solvers.auto import Choice

logger = logging.getLogger(__name__)

#: Sets, at most, for which solver='auto' trains an undergenerating oracle with a slack for each.
FEW_SETS = 100
#: Relative gap of the solvers that solver='auto' chooses.
RTOL = 0.01
#: Sizes of the constant and of the product of whitened items, relative to the other features: their
#: weights are hardly penalised. The latter is by benchmarks/set_clustering/unseen_classes.py.
CONSTANT, WHITENED = 10.0, 5.0


@dataclass(eq=False, repr=False)
class SetClusterer(StructuredEstimator):
    """Learns a similarity from sets of items and their partitions.

    Parameters
    ----------
    scale : 'auto', 'common', None, float or array of shape (n_features,), default='auto'
        Divisor of the joint feature, or of each of its coordinates, > 0. 'auto' makes C free of the
        units of the features: a coordinate is divided by a typical size of its feature, where that
        is not zero, and all by 'common', one number for all: the root of the mean over the sets of
        the squared norm of Psi(x, y) minus the mean of Psi over all permutations of the labels.
        Where sets have dense features of items alone, 'auto' also centres each set and adds the
        product of items whitened by their covariance within clusters, with a weight that is hardly
        penalised, so that few sets are enough, also for classes that none of them has. None
        leaves the features as they are, as 1 does.
    solver : 'auto' or solver object, default='auto'
        'auto' is :class:`structsvm.NSlackCuttingPlane` where the oracle undergenerates and there
        are at most 100 sets, because it stores the clusterings found earlier for each set;
        otherwise :class:`structsvm.OneSlackCuttingPlane`.
    rtol : float, optional
        Stop when the gap is at most ``rtol`` times the primal value, >= 0 and < 1. Default: 0.01.
    n_jobs : int, optional
        Number of processes that call the oracle in ``fit``, for different item sets.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights for the features as given, node features first.
    whitened_coef_ : float
        Weight of the product of whitened items, 0 without it.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where all of them have one, as the columns of a DataFrame.
    scale_ : float or ndarray of shape (n_features,)
        The divisor of the joint features: ``result_.w / scale_`` begins with ``coef_``.
    n_iter_ : int
        Passes over the sets, including those that only refine earlier clusterings.
    n_features_in_ : int
        Number of features of a pair.
    """

    oracle: str | ClusteringOracle
    _: KW_ONLY
    predictor: Any = None
    scale: Literal["auto", "common"] | float | Numbers | None = "auto"
    nonnegative: bool = False

    #: Whether the similarity of two items has a sign, and so needs a threshold.
    _signed: ClassVar[bool] = False

    _takes_matrix, _requires_y = False, True

    # ------------------------------------------------------------------ hooks

    @abstractmethod
    def _scaled_problem(self, scale: Any) -> SetProblem:
        """The problem that the parameters describe, with this divisor of the joint feature.

        ``self._unlisted`` is the ``unlisted`` of a :class:`PairTable`; None for other item sets.
        """

    @abstractmethod
    def _stronger_oracle(self) -> Any:
        """An oracle that searches longer than the training oracle."""

    @abstractmethod
    def _inputs(self, item_sets: Sequence[ItemSet], n_clusters: Any) -> list[Any]:
        """The problem's inputs for item sets with these numbers of clusters."""

    def _block_weights(self, blocks: Sequence[Any]) -> Vector:
        """Weights of the blocks of a :class:`PairTable`, besides those that the user gives."""
        return np.ones(len(blocks))

    def _check(self, inputs: Sequence[Any], codes: Sequence[Any]) -> None:
        """Warn where the learned similarity is useless even for the examples."""

    # ------------------------------------------------------------------ fit

    def _learned(self, X: Any, y: Any, sample_weight: Any) -> Encoded:
        require_parts_not_swapped(X, y)
        before = self._weights if self.warm_start and hasattr(self, "coef_") else None
        item_sets = as_item_sets(X) if before is None else self._checked(X)
        self._take_features(item_sets)
        data = self._examples(item_sets, labels_of(X, y), sample_weight)
        if isinstance(X, PairTable):
            warn_of_labels(X, data.Y, X.feature_names)
            if y is not None and X.blocks_are_components:
                warn_of_divided(X, y)
        whitened, data = self._whitened(item_sets, data)
        self.scale_: float | Vector = self._resolved_scale(item_sets, whitened, data)
        if before is not None:
            # The scale may be another than in the last fit; features that are new start at 0.
            size = whitened[0].n_features
            self.w_ = np.append(before, np.zeros(size))[:size] * self.scale_
        return data

    def _take_features(self, item_sets: Sequence[ItemSet]) -> None:
        """Set the attributes that say which features the items have."""
        self._unlisted = common_unlisted(item_sets)
        self._features = common_features(item_sets)
        self.n_features_in_ = item_sets[0].n_features
        if self._features.names is not None:
            self.feature_names_in_ = np.array(self._features.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _whitened(self, item_sets: list[ItemSet], data: Encoded) -> tuple[list[ItemSet], Encoded]:
        """The sets and examples with the product of whitened items, where the scale adds it."""
        self._whitening: Whitening | None = None
        if isinstance(self.scale, str) and self.scale == "auto" and can_whiten(item_sets):
            self._whitening = Whitening.of(item_sets, data.Y, data.weights, self._signed)
        return self._cross_fitted(item_sets, data)

    def _cross_fitted(self, item_sets: Any, data: Encoded) -> tuple[list[ItemSet], Encoded]:
        if self._whitening is not None:
            item_sets = cross_fitted(item_sets, data.Y, data.weights, self._signed)
            data = data._replace(X=self._inputs(item_sets, numbers_of(data.Y)))
        return item_sets, data

    def _encoded(self, X: Any, y: Any = None, sample_weight: Any = None) -> Encoded:
        return self._examples(self._known(X), labels_of(X, y), sample_weight)

    def _examples(self, item_sets: list[ItemSet], y: Any, sample_weight: Any) -> Encoded:
        codes = codes_of_sets(item_sets, y)
        inputs = self._inputs(item_sets, numbers_of(codes))
        weights = checked_sample_weight(sample_weight, len(inputs))
        if not self._unlisted:
            return Encoded(inputs, codes, weights)
        blocks = cast("list[PairBlock]", item_sets)
        outputs = list(map(PairBlock.partition, blocks, codes))
        return Encoded(inputs, outputs, weights * self._block_weights(item_sets))

    def _store(self, weights: Vector) -> None:
        """Set the attributes that hold the weights."""
        self.coef_: Vector = weights[: self.n_features_in_]
        self.whitened_coef_ = 0.0
        if self._whitening is not None:
            self.whitened_coef_ = float(weights[self.n_features_in_])

    @property
    def _weights(self) -> Vector:
        """The weights of the features that the problem takes, in their order."""
        return self.coef_ if self._whitening is None else np.append(self.coef_, self.whitened_coef_)

    def _problem(self) -> SetProblem:
        return self._scaled_problem(self.scale_)

    def _weights_given(self, w: Vector, problem: Any) -> Vector:
        return w / self.scale_

    def _weights_trained(self, weights: Vector, problem: Any) -> Vector:
        return weights * self.scale_

    def _keep(self, problem: Any, result: Result, data: Encoded) -> None:
        super()._keep(problem, result, data)
        self._store(result.w / self.scale_)
        self.missed_slack_ = self._missed_slack(data)
        logger.info("a stronger oracle finds %.3g more mean slack", self.missed_slack_)
        self._check(data.X, data.Y)

    def _resolved_scale(
        self, item_sets: Sequence[ItemSet], whitened: Sequence[ItemSet], data: Encoded
    ) -> Any:
        """The divisor of the joint feature, or one for each of its coordinates."""
        if self.scale is None:
            return 1.0
        if not isinstance(self.scale, str):
            return self.scale
        if self.scale == "common":
            return typical_norm(self._scaled_problem(1.0), *data[:3])
        if self.scale == "auto":
            scales = feature_scales(whitened, data.weights)
            if self._unlisted:
                scales[cast(PairBlock, item_sets[0]).constant] /= CONSTANT
            if self._whitening is not None:
                # The fraction of zeros, by which rare features are recognised, is lost by centring.
                scales[: self.n_features_in_] = feature_scales(item_sets, data.weights)
                scales[self.n_features_in_] /= WHITENED
                scales[self.n_features_in_ + 1 :] /= CONSTANT
            return scales * typical_norm(self._scaled_problem(scales), *data[:3])
        raise ValueError(
            "scale must be 'auto', 'common', None, a number, or one for each feature; got "
            f"{self.scale!r}"
        )

    def _choice(self, problem: Problem, X: Any, Y: Any) -> Choice:
        n = len(X)
        if not oracle_may_miss(problem):
            return Choice(OneSlackCuttingPlane(rtol=RTOL), "the oracle misses nothing")
        # n-slack keeps what the oracle found earlier for each set and might miss now.
        why = f"the oracle undergenerates, and {n} sets are"
        if n <= FEW_SETS:
            return Choice(NSlackCuttingPlane(rtol=RTOL), f"{why} few")
        return Choice(OneSlackCuttingPlane(rtol=RTOL), f"{why} many")

    def _missed_slack(self, data: Encoded) -> float:
        """By how much the mean slack grows with the cuts of a stronger oracle."""
        problem = self._problem()
        if problem.oracle_quality == "overgenerating":
            return 0.0
        problem.set_params(oracle=self._stronger_oracle())
        found = self.result_.verify(problem, data.X, data.Y, sample_weight=data.weights).primal
        # At one w, so that the primal values differ by C times the mean slack alone.
        return max(0.0, found - self.result_.primal) / self.C_

    # ------------------------------------------------------------------ after fit

    def similarity(self, items: Any) -> Any:
        """The learned similarity K of shape (m, m) between the items of a set.

        For a block of a :class:`PairTable` it has ``listed``, a CSR matrix with an entry for each
        listed pair, and ``elsewhere``, the similarity of every other pair, -inf if impossible.
        """
        check_is_fitted(self, "w_")
        return self._known([items])[0].similarity(self._weights)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """1 - mean loss / 100 of the predictions, in [0, 1], larger is better.

        :class:`SupervisedKMeans` is given the number of clusters of ``y[i]``; all items in one of k
        clusters would score 1/k, so that the chance level is not 0. For
        :class:`CorrelationClustering` the score is the mean Rand index; for a :class:`PairTable`
        it is the fraction of all its listed pairs on which the predictions and y agree, because
        there a block counts by the number of its listed pairs.

        Parameters
        ----------
        X : sequence of n item sets
        y : sequence of n array-likes
            For a :class:`PairTable` as in ``fit``.
        sample_weight : array-like of shape (n,), optional
            Weights of the sets in the mean; of a :class:`PairTable` those of its blocks.

        Returns
        -------
        float
        """
        check_is_fitted(self, "w_")
        inputs, codes, weights, _ = self._encoded(X, y, sample_weight)
        loss, found = self._scaled_problem(1.0).loss, self._decoded(inputs)
        losses = [loss(c, f) for c, f in zip(codes, found, strict=True)]
        return float(1 - np.average(losses, weights=weights) / 100)

    def verify(
        self, X: Any, y: Any = None, *, oracle: Any = None, sample_weight: Any = None
    ) -> Verification:
        """Recompute the certificate from the training data: see :meth:`structsvm.Result.verify`.

        What early stopping held out is left out. With an undergenerating oracle the primal value
        can be below the dual, because training also used what the oracle had found in earlier
        passes.

        Parameters
        ----------
        X, y : the data
            Those passed to ``fit``, in its order.
        oracle : str or oracle object, optional
            Replaces the training oracle. With a stronger one the primal value is nearer to the true
            one, and ``matches``, which compares it with that of training, is usually False.
        sample_weight : array-like, optional
            Those passed to ``fit``.
        """
        check_is_fitted(self, "w_")
        problem = self._problem()
        if oracle is not None:
            problem.set_params(oracle=oracle)
        item_sets = self._checked(X)
        data = self._examples(item_sets, labels_of(X, y), sample_weight)
        inputs, codes, weights, _ = self._trained_on(self._cross_fitted(item_sets, data)[1])
        return self.result_.verify(problem, inputs, codes, sample_weight=weights)

    def _to_cluster(self, X: Any) -> list[ItemSet]:
        """The item sets of X; none where it is empty, or a table of single records."""
        kinds = (list, tuple, PairTable) if self._unlisted else (list, tuple)
        return [] if isinstance(X, kinds) and not len(X) else self._known(X)

    def _known(self, X: Any) -> list[ItemSet]:
        """Item sets with the features of the training sets, as the problem takes them."""
        item_sets = self._checked(X)
        whitening = self._whitening
        return item_sets if whitening is None else list(map(whitening.applied, item_sets))

    def _checked(self, X: Any) -> list[ItemSet]:
        """Item sets, checked to have the features of the training sets."""
        item_sets = as_item_sets(X)
        if (kind := common_unlisted(item_sets)) != self._unlisted:
            trained, given = (
                f"a PairTable with unlisted={each!r}" if each else "item sets"
                for each in (self._unlisted, kind)
            )
            raise ValueError(
                f"the model was trained on {trained}, and X is {given}; make X as in training"
            )
        common_features(item_sets, self._features)
        return item_sets

    def _predicted(self, X: Any, inputs: Sequence[Any]) -> Any:
        """The labels of each set; of a table, the cluster of each record."""
        found = self._decoded(inputs)
        if not self._unlisted:
            return found
        labels = [y.labels for y in found]
        if not isinstance(X, PairTable):
            return labels
        if any(each.ndim == 2 for each in labels):
            raise ValueError(
                "the predictor returns matrices, which are no clusters of records; choose one that "
                "returns labels, such as 'greedy', or predict list(table)"
            )
        return X.clusters(labels)

    def _decoded(self, inputs: Sequence[Any]) -> list[Any]:
        # Scale 1, because the weights refer to the features as given.
        problem = self._scaled_problem(1.0)
        return [problem.decode(x, self._weights) for x in inputs]
