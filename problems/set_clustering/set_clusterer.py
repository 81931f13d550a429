"""Base class of the estimators over sets of items: from sets and labels to a problem, and back."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

import numpy as np
from scipy.linalg import norm
from sklearn.utils.validation import check_is_fitted

from structsvm.contract.capabilities import oracle_may_miss
from structsvm.contract.problem import Problem
from structsvm.data.arrays import Numbers, Vector
from structsvm.data.conversion import require_parts_not_swapped
from structsvm.data.validation import checked_sample_weight
from structsvm.estimators.encoded import Encoded
from structsvm.estimators.training import StructuredEstimator
from structsvm.problems.set_clustering.clustering_oracle import ClusteringOracle
from structsvm.problems.set_clustering.item_sets import (
    ItemSet,
    PairTable,
    as_item_sets,
    common_features,
)
from structsvm.problems.set_clustering.item_sets.pair_block import PairBlock, common_unlisted
from structsvm.problems.set_clustering.item_sets.pair_labels import warn_of_divided, warn_of_labels
from structsvm.problems.set_clustering.partitions import codes_of
from structsvm.problems.set_clustering.scales import feature_scales
from structsvm.problems.set_clustering.set_problem import SetProblem
from structsvm.results.result import Result
from structsvm.results.verification import Verification
from structsvm.solvers import NSlackCuttingPlane, OneSlackCuttingPlane
from structsvm.solvers.auto import Choice

logger = logging.getLogger(__name__)

#: Sets, at most, for which solver='auto' trains an undergenerating oracle with a slack for each.
FEW_SETS = 100
#: Relative gap of the solvers that solver='auto' chooses.
RTOL = 0.01
#: A typical joint feature below this fraction of the largest one is rounding, and not a scale.
NEGLIGIBLE = 1e-12
#: Size of the constant feature of a table, relative to the others, so that it is hardly penalised.
CONSTANT = 10.0
#: Random starts of the stronger oracle that measures the slack missed in training.
RECHECK_STARTS = 10


@dataclass(eq=False, repr=False)
class SetClusterer(StructuredEstimator):
    """Learns a similarity from sets of items and their partitions.

    Parameters
    ----------
    scale : 'auto', 'common', float or array of shape (n_features,), default='auto'
        Divisor of the joint feature, or of each of its coordinates, > 0. 'auto' makes C and the
        result free of the units of the features: a coordinate is divided by a typical size of its
        feature, where that is not zero, and all by 'common', one number for all: the root of the
        mean over the sets of the squared norm of Psi(x, y) minus the mean of Psi over all
        permutations of the labels.
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
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where all of them have one, as the columns of a DataFrame.
    scale_ : float or ndarray of shape (n_features,)
        The divisor of the joint features; ``coef_ = result_.w / scale_``.
    n_iter_ : int
        Passes over the sets, including those that only refine earlier clusterings.
    n_features_in_ : int
        Number of features of a pair.
    """

    oracle: str | ClusteringOracle
    _: KW_ONLY
    predictor: Any = None
    scale: Literal["auto", "common"] | float | Numbers = "auto"
    nonnegative: bool = False

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
        again = self.warm_start and hasattr(self, "coef_")
        item_sets = self._known(X) if again else as_item_sets(X)
        self._unlisted = common_unlisted(item_sets)
        self._features = common_features(item_sets)
        self.n_features_in_ = item_sets[0].n_features
        if self._features.names is not None:
            self.feature_names_in_ = np.array(self._features.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        data = self._examples(item_sets, _labels(X, y), sample_weight)
        if isinstance(X, PairTable):
            warn_of_labels(item_sets, data.Y, self._features.names)
            if y is not None and X.blocks_are_components:
                warn_of_divided(X, y)
        scale = self._resolved_scale(item_sets, *data[:3])
        if again:
            self.w_ = self.coef_ * scale  # the scale of the last fit may be another
        self.scale_: float | Vector = scale
        return data

    def _encoded(self, X: Any, y: Any = None, sample_weight: Any = None) -> Encoded:
        return self._examples(self._known(X), _labels(X, y), sample_weight)

    def _examples(self, item_sets: list[ItemSet], y: Any, sample_weight: Any) -> Encoded:
        codes = _codes(item_sets, y)
        inputs = self._inputs(item_sets, [int(c.max()) + 1 for c in codes])
        weights = checked_sample_weight(sample_weight, len(inputs))
        if not self._unlisted:
            return Encoded(inputs, codes, weights)
        outputs = list(map(PairBlock.partition, item_sets, codes))
        return Encoded(inputs, outputs, weights * self._block_weights(item_sets))

    def _problem(self) -> SetProblem:
        return self._scaled_problem(self.scale_)

    def _weights_given(self, w: Vector, problem: Any) -> Vector:
        return w / self.scale_

    def _weights_trained(self, weights: Vector, problem: Any) -> Vector:
        return weights * self.scale_

    def _keep(self, problem: Any, result: Result, data: Encoded) -> None:
        super()._keep(problem, result, data)
        self.coef_: Vector = result.w / self.scale_
        self.missed_slack_ = self._missed_slack(data)
        logger.info("a stronger oracle finds %.3g more mean slack", self.missed_slack_)
        self._check(data.X, data.Y)

    def _resolved_scale(
        self, item_sets: Any, inputs: Sequence[Any], codes: Sequence[Any], weights: Vector
    ) -> Any:
        """The divisor of the joint feature, or one for each of its coordinates."""
        if not isinstance(self.scale, str):
            return self.scale
        if self.scale == "common":
            return self._typical_norm(inputs, codes, weights, 1.0)
        if self.scale == "auto":
            scales = feature_scales(item_sets, weights)
            if self._unlisted:
                scales[item_sets[0].constant] /= CONSTANT
            return scales * self._typical_norm(inputs, codes, weights, scales)
        raise ValueError(
            f"scale must be 'auto', 'common', a number, or one for each feature; got {self.scale!r}"
        )

    def _typical_norm(self, inputs: Any, codes: Any, weights: Vector, scale: Any) -> float:
        """Root mean squared norm of the joint features minus their chance level; 1 if that is 0."""
        problem = self._scaled_problem(scale)
        lacks, sizes = [], []
        for x, y in zip(inputs, codes, strict=True):
            lacks.append(norm(problem.lack_of_chance(x, y)))
            # All items together: ``lack_of_chance`` takes differences of these sums.
            for partition in (y, problem.one_cluster(x)):
                sizes.append(norm(problem.joint_feature(x, partition)))
        # scipy's norm, since numpy's overflows for numbers above 1e154.
        shares = np.sqrt(weights / weights.sum())
        typical = norm([share * norm(lack) for share, lack in zip(shares, lacks, strict=True)])
        return float(typical) if typical > NEGLIGIBLE * max(sizes) else 1.0

    def _choice(self, problem: Problem, X: Any, Y: Any) -> Choice:
        n = len(X)
        if not oracle_may_miss(problem):
            return Choice(OneSlackCuttingPlane(rtol=RTOL), "the oracle misses nothing")
        # n-slack keeps what the oracle found earlier for each set and might miss now.
        if n <= FEW_SETS:
            reason = f"the oracle undergenerates, and {n} sets are few"
            return Choice(NSlackCuttingPlane(rtol=RTOL), reason)
        reason = f"the oracle undergenerates, and {n} sets are many"
        return Choice(OneSlackCuttingPlane(rtol=RTOL), reason)

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
        return self._known([items])[0].similarity(self.coef_)

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

        The data are those given to ``fit``, in its order; what early stopping held out of them is
        left out. With an undergenerating oracle the primal value can be below the dual, because
        training also used what the oracle had found in earlier passes.

        Parameters
        ----------
        oracle : str or oracle object, optional
            Replaces the training oracle. With a stronger one the primal value is nearer to the true
            one, and ``matches``, which compares it with the primal value of training, is usually
            False.
        """
        check_is_fitted(self, "w_")
        problem = self._problem()
        if oracle is not None:
            problem.set_params(oracle=oracle)
        inputs, codes, weights, _ = self._trained_on(self._encoded(X, y, sample_weight))
        return self.result_.verify(problem, inputs, codes, sample_weight=weights)

    def _to_cluster(self, X: Any) -> list[ItemSet]:
        """The item sets of X; none where it is a table of single records."""
        alone = self._unlisted and isinstance(X, PairTable) and not X.blocks
        return [] if alone else self._known(X)

    def _known(self, X: Any) -> list[ItemSet]:
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
        # Scale 1, because coef_ refers to the features as given.
        problem = self._scaled_problem(1.0)
        return [problem.decode(x, self.coef_) for x in inputs]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.target_tags.required = True
        return tags


def _labels(X: Any, y: Any) -> Any:
    """The partition of each set, where those of a table are given by record or by pair."""
    return X.labels(y) if isinstance(X, PairTable) else y


def _codes(item_sets: Sequence[ItemSet], y: Any) -> list[Any]:
    """The partition of each set as labels 0..k-1."""
    y = list(y) if isinstance(y, Iterable) else y
    if not isinstance(y, list) or len(y) != len(item_sets):
        given = len(y) if isinstance(y, list) else f"{y!r:.60}"
        hint = ", as table.labels(y) has them for list(table)"
        raise ValueError(
            f"y must hold a partition for each of {len(item_sets)} item sets"
            f"{hint if isinstance(item_sets[0], PairBlock) else ''}; got {given}"
        )
    codes = []
    for i, (items, labels) in enumerate(zip(item_sets, y, strict=True)):
        _require_aligned(items, labels, i)
        codes.append(codes_of(labels, len(items), f"y[{i}]"))
    return codes


def _require_aligned(items: ItemSet, labels: Any, i: int) -> None:
    """Raise a ValueError unless pandas labels have the index of the items, in order.

    Where items or labels are merely numbered, by a range, they are matched by position.
    """
    if not hasattr(labels, "iloc"):
        return
    given, names = list(labels.index), list(items.items)
    if given == names or len(given) != len(names):
        return
    if set(given) == set(names):
        raise ValueError(
            f"y[{i}] has the items of its set in another order; use y[{i}].loc[names], with the "
            "names in the order of the items"
        )
    if not (_is_range(labels.index) or _is_range(items.items)):
        stranger = next(name for name in given if name not in set(names))
        raise ValueError(
            f"y[{i}] has a label for {stranger!r}, which is not an item of its set; if the names "
            f"have no meaning, pass y[{i}].to_numpy(), with labels in the order of the items"
        )


def _is_range(names: Any) -> bool:
    """Whether the names are a Python range or the RangeIndex of pandas."""
    return all(hasattr(names, end) for end in ("start", "stop", "step"))
