"""What the problems over sets of items share: oracles by name, in training and in prediction."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from inspect import signature
from typing import Any, ClassVar

import numpy as np

from structsvm.problem import OracleQuality, Problem, Vector
from structsvm.problems.set_clustering.item_sets import ItemSet, common_features
from structsvm.validation import require_flag, require_positive


class SetProblem(Problem):
    """A similarity of items is learned, and clusterings are searched by it."""

    max_loss = 100.0
    #: The oracles that have a name.
    named: ClassVar[dict[str, Callable[[], Any]]]
    #: What the method ``cluster`` of an oracle takes.
    arguments: ClassVar[tuple[str, ...]]
    #: What else may predict, for the error.
    other_predictors: ClassVar[str] = ""

    def __init__(self, oracle: Any, predictor: Any, scale: float, nonnegative: bool) -> None:
        self.oracle = oracle
        self.predictor = predictor
        self.scale = scale
        self.nonnegative = nonnegative

    # ------------------------------------------------------------------ hooks

    @abstractmethod
    def _items(self, x: Any) -> ItemSet:
        """The item set of an input."""

    @abstractmethod
    def _augmented(self, x: Any, y: Any, w: Vector) -> Vector:
        """The similarity with the loss in it, which the separation oracle clusters by."""

    @abstractmethod
    def _called(self, search: Any, x: Any, K: Vector, starts: Any) -> Any:
        """What a method of an oracle returns."""

    @abstractmethod
    def _require_clustering(self, found: Any, search: Any, x: Any) -> None:
        """Raise a ValueError that names the oracle unless it found labels or a matrix."""

    @abstractmethod
    def lack_of_chance(self, x: Any, y: Any) -> Vector:
        """Psi(x, y) less the mean of Psi(x, .) over all permutations of the labels."""

    # ------------------------------------------------------------------ the contract

    @property
    def oracle_quality(self) -> OracleQuality:  # type: ignore[override]
        return self._resolved("oracle").quality

    def initialize(self, X: Any, Y: Any) -> None:
        for oracle in (self._resolved("oracle"), self._predictor()):
            self._require_arguments(oracle)
        require_positive("scale", self.scale)
        require_flag("nonnegative", self.nonnegative)
        item_sets = [self._items(x) for x in X]
        common_features(item_sets)
        self.size_joint_feature = item_sets[0].n_features

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        starts = (y,) if y.ndim == 1 else ()
        return self._searched(self._resolved("oracle").cluster, x, self._augmented(x, y, w), starts)

    def refine(self, x: Any, y: Any, w: Vector, y_hat: Any) -> Any:
        oracle = self._resolved("oracle")
        if not hasattr(oracle, "refine"):
            return y_hat
        return self._searched(oracle.refine, x, self._augmented(x, y, w), (y_hat,))

    def decode(self, x: Any, w: Vector) -> Any:
        return self._searched(self._predictor().cluster, x, self._similarity(x, w), ())

    def lower_bounds(self) -> Vector | None:
        return np.zeros(self.size_joint_feature) if self.nonnegative else None

    # ------------------------------------------------------------------

    def _searched(self, search: Any, x: Any, K: Vector, starts: Any) -> Any:
        """The clustering found, in an array of its own; the oracle may write to its starts."""
        found = self._called(search, x, K, tuple(start.copy() for start in starts))
        self._require_clustering(found, search, x)
        return np.array(found, dtype=np.intp if found.ndim == 1 else np.float64)

    def _similarity(self, x: Any, w: Vector) -> Vector:
        return self._items(x).similarity(w / self.scale)

    def _predictor(self) -> Any:
        return self._resolved("oracle" if self.predictor is None else "predictor")

    def _require_arguments(self, oracle: Any) -> None:
        """Raise a ValueError if the oracle is one of another kind of clustering."""
        taken = signature(oracle.cluster)
        try:
            taken.bind(*self.arguments)
        except TypeError:
            fits = False
        else:
            fits = "n_clusters" in self.arguments or "n_clusters" not in taken.parameters
        if not fits:
            raise ValueError(
                f"an oracle of {type(self).__name__} must have a method cluster("
                f"{', '.join(self.arguments)}); that of {type(oracle).__name__} takes {taken}"
            )

    def _resolved(self, name: str) -> Any:
        """The oracle that a parameter stands for."""
        oracle = getattr(self, name)
        if isinstance(oracle, str) and oracle in self.named:
            return self.named[oracle]()
        if (
            hasattr(oracle, "cluster")
            and hasattr(oracle, "quality")
            and not isinstance(oracle, type)
        ):
            return oracle
        also = self.other_predictors if name == "predictor" else ""
        example = next(iter(self.named.values())).__name__
        raise ValueError(
            f"{name} must be one of {', '.join(map(repr, self.named))}, an oracle such as "
            f"{example}() with a quality and a method cluster{also}; got {oracle!r}"
        )
