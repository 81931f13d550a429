"""Base class of the problems over sets of items, whose oracles may be selected by name."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from structsvm.contract.constraints import WeightConstraints
from structsvm.contract.problem import OracleQuality, Problem
from structsvm.data.arrays import Vector
from structsvm.data.labels import in_order
from structsvm.data.matrices import checked_numbers
from structsvm.data.validation import require_flag
from structsvm.problems.set_clustering.item_sets.checks import common_features
from structsvm.problems.set_clustering.item_sets.item_set import ItemSet
from structsvm.problems.set_clustering.partitions import labels_of
from structsvm.problems.set_clustering.records.pair_block import common_unlisted
from structsvm.problems.set_clustering.similarities import PairSimilarity
from structsvm.task.task import Task

#: Range of the divisors of the joint features.
SCALES = (1e-150, 1e150)


class ClusteringOracle(Protocol):
    """An oracle of a clustering problem, or any object with the same attributes.

    An oracle with errors larger than rounding errors also has a ``roundoff``: see
    :class:`structsvm.Problem`.
    """

    @property
    def quality(self) -> str: ...

    @property
    def cluster(self) -> Callable[..., Any]: ...


@dataclass(eq=False, repr=False)
class SetProblem(Problem):
    """The problem of learning a similarity by which an oracle clusters items."""

    #: The loss is a percentage.
    max_loss = 100.0
    oracle_cost = "expensive"
    block_size = 1
    #: The oracles that can be chosen by name.
    named: ClassVar[dict[str, Callable[[], Any]]]
    #: Additional kinds of predictors, for the error message.
    other_predictors: ClassVar[str] = ""

    oracle: Any
    predictor: Any = None
    scale: Any = 1.0
    nonnegative: bool = False

    #: The meaning of unlisted pairs, as :attr:`ItemSet.unlisted`.
    unlisted: ClassVar[str | None] = None

    # ------------------------------------------------------------------ hooks

    @abstractmethod
    def augmented(self, x: Any, y: Any, w: Vector) -> Vector | PairSimilarity:
        """Return the loss-augmented similarity of the items, the input of the separation oracle."""

    @abstractmethod
    def _require_clustering(self, y: Any, x: Any, whose: str) -> None:
        """Raise a ValueError unless y is a matrix, or holds a label for each item of x.

        ``whose`` begins the message.
        """

    @abstractmethod
    def lack_of_chance(self, x: Any, y: Any) -> Vector:
        """Return Psi(x, y) minus the mean of Psi(x, .) over all permutations of the labels."""

    def one_cluster(self, x: Any) -> Any:
        """Return the partition with all items in one cluster."""
        items = items_of(x)
        return items.partition(np.zeros(len(items), dtype=np.intp))

    # ------------------------------------------------------------------ the contract

    @property
    def oracle_quality(self) -> OracleQuality:  # type: ignore[override]
        quality: OracleQuality = self.resolved("oracle").quality
        return quality

    @property
    def roundoff(self) -> float | None:  # type: ignore[override]
        """The ``roundoff`` of the oracle, or None if the oracle does not define ``roundoff``."""
        return getattr(self.resolved("oracle"), "roundoff", None)

    def initialize(self, X: Any, Y: Any) -> None:
        self.resolved("oracle"), self._predictor()
        require_flag("nonnegative", self.nonnegative)
        if Y is None:
            raise ValueError(f"{type(self).__name__} needs the partitions Y; it is None")
        item_sets = list(map(items_of, X))
        common_features(item_sets)
        self.unlisted = common_unlisted(item_sets)  # type: ignore[misc]
        self.size_joint_feature = item_sets[0].n_features
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
        if not self.unlisted:
            for i, (x, y) in enumerate(zip(X, Y, strict=True)):
                self._require_clustering(y, x, f"output {i} must be")

    def separation_oracle(self, x: Any, y: Any, w: Vector) -> Any:
        start = labels_of(y)
        starts = (start,) if start.ndim == 1 else ()  # no search over labels starts at a matrix
        return self.searched(self.resolved("oracle").cluster, x, self.augmented(x, y, w), starts)

    def decode(self, x: Any, w: Vector) -> Any:
        K = items_of(x).similarity(w / self.scale)
        return self.searched(self._predictor().cluster, x, K, ())

    def constraints(self) -> WeightConstraints | None:
        if not self.nonnegative:
            return None
        return WeightConstraints(lower=np.zeros(self.size_joint_feature))

    def task(self, X: Any, Y: Any = None) -> SetTask:
        return SetTask(self, X, Y)

    # ------------------------------------------------------------------

    def searched(self, search: Any, x: Any, K: Any, starts: Any) -> Any:
        """Call an oracle with copies of the starts, and check the clustering that it returns."""
        items, *number = (x,) if isinstance(x, ItemSet) else x
        found = search(K, *number, tuple(y.copy() for y in starts))
        self._require_clustering(found, x, f"{search.__qualname__} must return")
        return items.partition(in_order(found) if found.ndim == 1 else found.astype(np.float64))

    def _predictor(self) -> Any:
        return self.resolved("oracle" if self.predictor is None else "predictor")

    def resolved(self, name: str) -> Any:
        """Return the oracle that is given by a parameter: an oracle or its name."""
        oracle = getattr(self, name)
        if isinstance(oracle, str) and oracle in self.named:
            return self.named[oracle]()
        has_both = hasattr(oracle, "cluster") and hasattr(oracle, "quality")
        if has_both and not isinstance(oracle, type):  # a class without () has both, too
            return oracle
        also = self.other_predictors if name == "predictor" else ""
        example = next(iter(self.named.values())).__name__
        raise ValueError(
            f"{name} must be one of {', '.join(map(repr, self.named))}, an oracle such as "
            f"{example}() with a quality and a method cluster{also}; got {oracle!r}"
        )


def items_of(x: ItemSet | tuple[ItemSet, int]) -> ItemSet:
    """Return the item set of an input, which may also hold a number of clusters."""
    return x if isinstance(x, ItemSet) else x[0]


class SetTask(Task):
    """The task of a :class:`SetProblem`, which searches one set after another."""

    problem: SetProblem

    def term_sizes(self, outputs: Any, places: Any) -> tuple[Vector, Vector]:
        rows = np.array([self._sizes(self.X[i], self.Y[i], outputs[i]) for i in places])
        return rows, np.full(len(rows), self.problem.max_loss)

    def _sizes(self, x: Any, y: Any, y_hat: Any) -> Any:
        # A search compares the similarities of all pairs, not only of pairs inside clusters.
        sizes = abs(x) if isinstance(x, ItemSet) else (abs(x[0]), *x[1:])
        every = y, y_hat, self.problem.one_cluster(x)
        return sum(np.abs(self.problem.joint_feature(sizes, each)) for each in every)

    def refine(self, w: Vector, outputs: Any) -> Any:
        problem = self.problem
        oracle = problem.resolved("oracle")
        # Oracles of users need no ``refine``; returning the outputs is never worse.
        if not hasattr(oracle, "refine"):
            return outputs
        return [
            problem.searched(oracle.refine, x, problem.augmented(x, y, w), (labels_of(y_hat),))
            for x, y, y_hat in zip(self.X, self.Y, outputs, strict=True)
        ]
