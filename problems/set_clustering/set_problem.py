"""Base class of the problems over sets of items: oracles by name, for training and prediction."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Any, ClassVar

import numpy as np

from structsvm.contract.constraints import WeightConstraints
from structsvm.contract.problem import OracleQuality, Problem
from structsvm.data.arrays import Vector
from structsvm.data.matrices import checked_numbers
from structsvm.data.validation import require_flag, require_number
from structsvm.problems.set_clustering.item_sets import ItemSet, common_features
from structsvm.problems.set_clustering.similarities import PairSimilarity
from structsvm.problems.set_clustering.task import SetTask

#: Range of the divisors of the joint features.
SCALES = (1e-150, 1e150)


@dataclass(eq=False, repr=False)
class SetProblem(Problem):
    """A learned similarity of items, by which an oracle searches clusterings."""

    #: Losses are percentages.
    max_loss = 100.0
    oracle_cost = "expensive"
    block_size = 1
    #: The oracles that can be chosen by name.
    named: ClassVar[dict[str, Callable[[], Any]]]
    #: The arguments of an oracle's method ``cluster``.
    arguments: ClassVar[tuple[str, ...]]
    #: Further kinds of predictors, for the error message.
    other_predictors: ClassVar[str] = ""

    oracle: Any
    predictor: Any = None
    scale: Any = 1.0
    nonnegative: bool = False

    # ------------------------------------------------------------------ hooks

    @abstractmethod
    def _items(self, x: Any) -> ItemSet:
        """Return the item set of an input."""

    @abstractmethod
    def augmented(self, x: Any, y: Any, w: Vector) -> Vector | PairSimilarity:
        """The loss-augmented similarity, by which the separation oracle clusters."""

    @abstractmethod
    def _called(self, search: Any, x: Any, K: Any, starts: Any) -> Any:
        """Call a method of an oracle with the arguments that it takes."""

    @abstractmethod
    def _require_clustering(self, found: Any, search: Any, x: Any) -> None:
        """Raise a ValueError that names the oracle unless it returned labels or a matrix."""

    @abstractmethod
    def lack_of_chance(self, x: Any, y: Any) -> Vector:
        """Psi(x, y) minus the mean of Psi(x, .) over all permutations of the labels."""

    def one_cluster(self, x: Any) -> Any:
        """The partition that puts all items into one cluster."""
        return np.zeros(len(self._items(x)), dtype=np.intp)

    # ------------------------------------------------------------------ the contract

    @property
    def oracle_quality(self) -> OracleQuality:  # type: ignore[override]
        return self.resolved("oracle").quality

    @property
    def roundoff(self) -> float | None:  # type: ignore[override]
        """The oracle's own, where its search is less precise than arithmetic."""
        return getattr(self.resolved("oracle"), "roundoff", None)

    def initialize(self, X: Any, Y: Any) -> None:
        for oracle in (self.resolved("oracle"), self._predictor()):
            self._require_arguments(oracle)
        require_flag("nonnegative", self.nonnegative)
        item_sets = [self._items(x) for x in X]
        common_features(item_sets)
        self.size_joint_feature = item_sets[0].n_features
        self._require_scale()

    def _require_scale(self) -> None:
        if np.ndim(self.scale) == 0:
            require_number("scale", self.scale, "> 0")
        scales = checked_numbers("scale", self.scale)
        if scales.shape not in ((), (self.size_joint_feature,)):
            raise ValueError(
                f"scale must be a number, or an array of one for each of {self.size_joint_feature} "
                f"features; got shape {scales.shape}"
            )
        if not (SCALES[0] <= scales.min() and scales.max() <= SCALES[1]):
            raise ValueError(
                f"scale must be from {SCALES[0]:g} to {SCALES[1]:g}; got {self.scale!r:.60}"
            )

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        starts = (y,) if y.ndim == 1 else ()  # a matrix is no start for a search over labels
        return self.searched(self.resolved("oracle").cluster, x, self.augmented(x, y, w), starts)

    def decode(self, x: Any, w: Vector) -> Any:
        return self.searched(self._predictor().cluster, x, self._similarity(x, w), ())

    def constraints(self) -> WeightConstraints | None:
        if not self.nonnegative:
            return None
        return WeightConstraints(lower=np.zeros(self.size_joint_feature))

    def task(self, X: Any, Y: Any = None) -> SetTask:
        return SetTask(self, X, Y)

    # ------------------------------------------------------------------

    def searched(self, search: Any, x: Any, K: Any, starts: Any) -> Any:
        """The clustering found, checked; copied both ways, as an oracle may write to its arrays."""
        found = self._called(search, x, K, tuple(start.copy() for start in starts))
        self._require_clustering(found, search, x)
        return np.array(found, dtype=np.intp if found.ndim == 1 else np.float64)

    def _similarity(self, x: Any, w: Vector) -> Vector:
        return self._items(x).similarity(w / self.scale)

    def _predictor(self) -> Any:
        return self.resolved("oracle" if self.predictor is None else "predictor")

    def _require_arguments(self, oracle: Any) -> None:
        """Raise a ValueError if the oracle is for another kind of clustering."""
        taken = signature(oracle.cluster)
        try:
            taken.bind(*self.arguments)
        except TypeError:
            fits = False
        else:
            # cluster(K, n_clusters) also binds (K, starts), with starts in the wrong place.
            fits = "n_clusters" in self.arguments or "n_clusters" not in taken.parameters
        if not fits:
            raise ValueError(
                f"an oracle for {type(self).__name__} must have a method cluster("
                f"{', '.join(self.arguments)}); that of {type(oracle).__name__} takes {taken}"
            )

    def resolved(self, name: str) -> Any:
        """The oracle that a parameter names or holds."""
        oracle = getattr(self, name)
        if isinstance(oracle, str) and oracle in self.named:
            return self.named[oracle]()
        if (
            hasattr(oracle, "cluster")
            and hasattr(oracle, "quality")
            # A class passed without () has both attributes, too.
            and not isinstance(oracle, type)
        ):
            return oracle
        also = self.other_predictors if name == "predictor" else ""
        example = next(iter(self.named.values())).__name__
        raise ValueError(
            f"{name} must be one of {', '.join(map(repr, self.named))}, an oracle such as "
            f"{example}() with a quality and a method cluster{also}; got {oracle!r}"
        )
