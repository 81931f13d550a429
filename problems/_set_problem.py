"""What the problems over sets of items share: oracles by name, in training and in prediction."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from structsvm.problem import OracleQuality, Problem, Vector
from structsvm.problems.item_sets import ItemSet, require_same_features
from structsvm.solvers.arguments import require_positive


class SetProblem(Problem):
    """A similarity of items is learned, and clusterings are searched by it."""

    max_loss = 100.0
    #: The oracles that have a name.
    named: ClassVar[dict[str, Callable[[], Any]]]
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
    def _searched(self, search: Any, x: Any, K: Vector, starts: Any) -> Any:
        """What a method of an oracle returns; a ValueError where that is no clustering."""

    @abstractmethod
    def lack_of_chance(self, x: Any, y: Any) -> Vector:
        """Psi(x, y) less the mean of Psi(x, .) over all permutations of the labels."""

    # ------------------------------------------------------------------ the contract

    @property
    def oracle_quality(self) -> OracleQuality:  # type: ignore[override]
        return self._resolved("oracle").quality

    def initialize(self, X: Any, Y: Any) -> None:
        self._resolved("oracle")
        self._predictor()
        require_positive("scale", self.scale)
        item_sets = [self._items(x) for x in X]
        require_same_features(item_sets)
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

    def _similarity(self, x: Any, w: Vector) -> Vector:
        return self._items(x).similarity(w / self.scale)

    def _predictor(self) -> Any:
        return self._resolved("oracle" if self.predictor is None else "predictor")

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
