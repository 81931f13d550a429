"""Labelling graphs whose neighbours attract each other, exact for two labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.contract.constraints import WeightConstraints
from structsvm.data.arrays import Vector
from structsvm.data.choices import ClassWeight
from structsvm.docstrings import documented
from structsvm.problems.graphs.graph import grid_graph
from structsvm.problems.graphs.joint_feature import Pairs
from structsvm.problems.graphs.labels import Labellings
from structsvm.problems.graphs.packed import Graphs
from structsvm.problems.graphs.problem import GraphLabelling, Inference
from structsvm.problems.graphs.task import GraphTask


@documented
class AttractiveGraphLabelling(GraphLabelling):
    """Graphs whose neighbours attract each other: an edge costs a score where its labels differ.

    A :class:`GraphLabelling` in which an edge has one weight for each feature, which is kept at 0
    or above by a lower bound: its score is minus the sum of weights and features if the labels
    of its nodes differ, and else 0. Features of edges must not be negative. For two labels the
    search is then exact, by a minimum cut.

    Shared parameters and attributes are added at import: see ``help``.

    Parameters
    ----------
    inference : {'flow', 'tree', 'relaxation', 'expansion'}, default='flow'
        The search. 'flow' is exact, for two labels; 'tree' is exact, by max-product, where no graph
        has a cycle. 'relaxation' solves the linear relaxation and rounds predictions; 'expansion'
        makes alpha expansions. For two labels they all find the same; for more, the score that an
        expansion loses is bounded.

    References
    ----------
    Greig, Porteous & Seheult, Exact Maximum A Posteriori Estimation for Binary Images, JRSS B 51,
    1989; Boykov, Veksler & Zabih, IEEE TPAMI 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems import AttractiveGraphLabelling, grid_graph
    >>> noise = np.random.default_rng(0).normal(size=(10, 10, 1))
    >>> half = np.where(np.arange(100).reshape(10, 10) % 10 < 5, 1, -1)
    >>> X, Y = [grid_graph(half[:, :, None] + noise)], [half.ravel()]
    >>> svm = StructuredSVM(AttractiveGraphLabelling()).fit(X, Y)
    >>> bool((svm.w_[-2:] > 0).all())
    True
    >>> int((X[0].features.ravel() * Y[0] < 0).sum()), int((svm.predict(X)[0] != Y[0]).sum())
    (22, 0)
    """

    pairs: Pairs = "attractive"

    def __init__(self, inference: Inference = "flow", class_weight: ClassWeight = None) -> None:
        super().__init__(inference, class_weight=class_weight)

    def constraints(self) -> WeightConstraints:
        layout = self.layout_
        sizes = [layout.k * layout.d, layout.n_entries * layout.p]
        return WeightConstraints(lower=np.repeat([-np.inf, 0.0], sizes))

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Eight grids of 3 x 3 pixels, each half bright."""
        rng = np.random.default_rng(0)
        Y = [(np.indices((3, 3))[i % 2].ravel() > i % 3 - 0.5).astype(int) for i in range(8)]
        noise = rng.normal(size=(8, 3, 3, 2))
        return [grid_graph(n + y.reshape(3, 3, 1)) for n, y in zip(noise, Y, strict=True)], Y

    def initialize(self, X: Any, Y: Any) -> None:
        super().initialize(X, Y)
        self.graphs(X)

    def task(self, X: Any, Y: Any = None) -> GraphTask:
        return AttractiveTask(self, X, Y)

    def graphs(self, X: Any) -> Graphs:
        graphs = super().graphs(X)
        negative = np.flatnonzero((graphs.edges.values < 0).any(axis=1))
        if len(negative):
            raise ValueError(
                f"X[{graphs.edges.owner[negative[0]]}] has a negative edge feature, with which "
                "neighbours might repel each other; give it as two features, of which one is 0"
            )
        return graphs

    def _require_labels(self, k: int) -> None:
        if self.inference == "flow" and k > 2:
            raise ValueError(
                f"inference='flow' needs two labels; Y has {k}: use 'expansion' or 'relaxation'"
            )


class AttractiveTask(GraphTask):
    """Graphs whose neighbours attract each other."""

    def best(self, unary: Vector, of_entries: Vector) -> Labellings:
        if self.problem.inference != "flow":
            return super().best(unary, of_entries)
        gain = unary[:, 1] - unary[:, 0]
        return self.found(self.X.network.maximum(gain, np.maximum(of_entries[:, 0], 0)))
