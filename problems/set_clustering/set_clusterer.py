"""Base class of the estimators over sets of items: from sets and labels to a problem, and back."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import norm
from sklearn.utils.validation import check_is_fitted

from structsvm.contract.capabilities import oracle_may_miss
from structsvm.contract.problem import Problem
from structsvm.data.arrays import Vector
from structsvm.data.conversion import require_parts_not_swapped
from structsvm.data.validation import checked_sample_weight, require_flag
from structsvm.estimators.base import SolverEstimator, warn_unless_converged
from structsvm.problems.set_clustering.item_sets import ItemSet, as_item_sets, common_features
from structsvm.problems.set_clustering.partitions import codes_of
from structsvm.problems.set_clustering.scales import feature_scales
from structsvm.problems.set_clustering.set_problem import SetProblem
from structsvm.results.callbacks import Callbacks
from structsvm.results.verification import Verification
from structsvm.solvers import NSlackCuttingPlane, OneSlackCuttingPlane
from structsvm.solvers.auto import Choice

if TYPE_CHECKING:
    from typing_extensions import Self

logger = logging.getLogger(__name__)

#: Sets, at most, for which solver='auto' trains an undergenerating oracle with a slack for each.
FEW_SETS = 100
#: Relative gap of the solvers that solver='auto' chooses.
RTOL = 0.01
#: A typical joint feature below this fraction of the largest one is rounding, and not a scale.
NEGLIGIBLE = 1e-12
#: Random starts of the stronger oracle that measures the slack missed in training.
RECHECK_STARTS = 10


class SetClusterer(SolverEstimator):
    """Learns a similarity from sets of items and their partitions."""

    coef_: Vector

    def __init__(
        self,
        oracle: Any,
        predictor: Any,
        C: float,
        scale: Any,
        nonnegative: bool,
        solver: Any,
        rtol: float | None,
        max_iter: int | None,
        time_limit: float | None,
        warm_start: bool,
        n_jobs: int | None,
        callback: Callbacks,
        verbose: bool,
    ) -> None:
        self.oracle = oracle
        self.predictor = predictor
        self.C = C
        self.scale = scale
        self.nonnegative = nonnegative
        self.solver = solver
        self.rtol = rtol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.callback = callback
        self.verbose = verbose

    # ------------------------------------------------------------------ hooks

    @abstractmethod
    def _problem(self, scale: Any) -> SetProblem:
        """The problem that the parameters describe."""

    @abstractmethod
    def _stronger_oracle(self) -> Any:
        """An oracle that searches longer than that of the training."""

    @abstractmethod
    def _inputs(self, item_sets: Sequence[ItemSet], n_clusters: Any) -> list[Any]:
        """The problem's inputs for item sets with these numbers of clusters."""

    def _remember(self, codes: Sequence[Any]) -> None:
        """Store what prediction needs from the partitions of the examples."""

    def _check(self, inputs: Sequence[Any], codes: Sequence[Any]) -> None:
        """Warn where the learned similarity is useless even for the examples."""

    # ------------------------------------------------------------------ fit

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, checkpoint: Any = None) -> Self:
        """Train on item sets and their partitions.

        Parameters
        ----------
        X : sequence of n item sets
            Each an :class:`ItemSet`; or an array, DataFrame or scipy.sparse matrix of node
            features, a row for each item.
        y : sequence of n array-likes
            ``y[i]`` holds a label of any kind for each item of ``X[i]``. Labels of different sets
            are unrelated, and sets may have different numbers of clusters.
        sample_weight : array-like of shape (n,), optional
            Weights of the sets, as in :class:`structsvm.StructuredSVM`.
        checkpoint : Checkpoint or path-like, optional
            As in :class:`structsvm.StructuredSVM`.

        Returns
        -------
        estimator
            The estimator itself. A fit that did not converge warns with scikit-learn's
            ``ConvergenceWarning``.

        Raises
        ------
        ValueError
            The sets have different features, a label is missing (None, NaN or -1), the number of
            clusters of a set is impossible, or a parameter is out of its range.
        """
        require_flag("warm_start", self.warm_start)
        require_parts_not_swapped(X, y)
        item_sets = as_item_sets(X)
        features = common_features(item_sets)
        inputs, codes = self._examples(item_sets, y)
        weights = checked_sample_weight(sample_weight, len(inputs))
        scale = self._resolved_scale(item_sets, inputs, codes, weights)
        problem = self._problem(scale)
        # coef_ is w without the scale, which may differ from that of the last fit.
        last = self.coef_ * scale if hasattr(self, "coef_") else None
        result = self._resolved_solver(problem, inputs, codes).solve_in_place(
            problem,
            inputs,
            codes,
            self.C,
            sample_weight=weights,
            **self._start(problem, inputs, codes, last),
            callback=self.callback,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            checkpoint=checkpoint,
        )
        self._keep_result(result)
        self.scale_, self.coef_ = scale, result.w / scale
        self.n_features_in_ = len(self.coef_)
        if features.names is not None:
            self.feature_names_in_ = np.array(features.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self._features = features
        self._remember(codes)
        self.missed_slack_ = self._missed_slack(inputs, codes, weights)
        logger.info("a stronger oracle finds %.3g more mean slack", self.missed_slack_)
        warn_unless_converged(self.result_)
        self._check(inputs, codes)
        return self

    def _examples(self, item_sets: list[ItemSet], y: Any) -> tuple[list[Any], list[Any]]:
        """The problem's inputs and outputs."""
        codes = _codes(item_sets, y)
        return self._inputs(item_sets, [int(c.max()) + 1 for c in codes]), codes

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
            return scales * self._typical_norm(inputs, codes, weights, scales)
        raise ValueError(
            f"scale must be 'auto', 'common', a number, or one for each feature; got {self.scale!r}"
        )

    def _typical_norm(self, inputs: Any, codes: Any, weights: Vector, scale: Any) -> float:
        """Root mean squared norm of the joint features minus their chance level; 1 if that is 0."""
        problem = self._problem(scale)
        lacks, sizes = [], []
        for x, y in zip(inputs, codes, strict=True):
            lacks.append(norm(problem.lack_of_chance(x, y)))
            # All items together: the sums of which ``lack_of_chance`` takes differences.
            for partition in (y, np.zeros_like(y)):
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

    def _missed_slack(self, inputs: Any, codes: Any, weights: Vector) -> float:
        """By how much the mean slack grows with the cuts of a stronger oracle."""
        problem = self._problem(self.scale_)
        if problem.oracle_quality == "overgenerating":
            return 0.0
        problem.set_params(oracle=self._stronger_oracle())
        found = self.result_.verify(problem, inputs, codes, sample_weight=weights).primal
        # At one w, so that the primal values differ by C times the mean slack alone.
        return max(0.0, found - self.result_.primal) / self.C

    # ------------------------------------------------------------------ after fit

    def similarity(self, items: Any) -> Vector:
        """The learned similarity K of shape (m, m) between the items of a set."""
        return self._known([items])[0].similarity(self.coef_)

    def verify(self, X: Any, y: Any, oracle: Any = None, sample_weight: Any = None) -> Verification:
        """Recompute the certificate from the training data: see :meth:`structsvm.Result.verify`.

        ``oracle`` replaces the oracle of the training. With a stronger one the primal value is
        nearer to the true one, and ``matches``, which compares it with that of the training, is
        usually False. With an undergenerating oracle the primal value can be below the dual,
        because the training also used what the oracle had found in earlier passes. The sets must be
        in the same order as in ``fit``, and their weights those of ``fit``.
        """
        check_is_fitted(self)
        problem = self._problem(self.scale_)
        if oracle is not None:
            problem.set_params(oracle=oracle)
        inputs, codes = self._examples(as_item_sets(X), y)
        return self.result_.verify(problem, inputs, codes, sample_weight=sample_weight)

    def _known(self, X: Any) -> list[ItemSet]:
        """Item sets, checked to have the features of the training sets."""
        check_is_fitted(self)
        item_sets = as_item_sets(X)
        common_features(item_sets, self._features)
        return item_sets

    def _decoded(self, inputs: Sequence[Any]) -> list[Any]:
        # Scale 1, because coef_ refers to the features as given.
        problem = self._problem(1.0)
        return [problem.decode(x, self.coef_) for x in inputs]

    def _mean_score(self, X: Any, y: Any) -> float:
        """1 - mean loss / 100, each set clustered into as many clusters as ``y`` has."""
        item_sets = self._known(X)
        codes = _codes(item_sets, y)
        found = self._decoded(self._inputs(item_sets, [int(c.max()) + 1 for c in codes]))
        loss = self._problem(1.0).loss
        return float(1 - np.mean([loss(c, f) for c, f in zip(codes, found, strict=True)]) / 100)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.target_tags.required = True
        return tags


def _codes(item_sets: Sequence[ItemSet], y: Any) -> list[Any]:
    """The partition of each set as labels 0..k-1."""
    y = list(y) if isinstance(y, Iterable) else y
    if not isinstance(y, list) or len(y) != len(item_sets):
        given = len(y) if isinstance(y, list) else f"{y!r:.60}"
        raise ValueError(
            f"y must hold a partition for each of {len(item_sets)} item sets; got {given}"
        )
    codes = []
    for i, (items, labels) in enumerate(zip(item_sets, y, strict=True)):
        _require_aligned(items, labels, i)
        codes.append(codes_of(labels, len(items), f"y[{i}]"))
    return codes


def _require_aligned(items: ItemSet, labels: Any, i: int) -> None:
    """Raise a ValueError where the index of pandas labels is not that of the items, in order.

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
