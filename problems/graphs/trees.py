"""Labelling the nodes of trees, with the soft oracle that only they have."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.contract.soft_oracle import SoftSum
from structsvm.data.arrays import Vector
from structsvm.data.choices import ClassWeight
from structsvm.data.ragged import Ragged
from structsvm.docstrings import documented
from structsvm.problems.by_task import SoftByTask
from structsvm.problems.classification.products import squared
from structsvm.problems.graphs.graph import Graph
from structsvm.problems.graphs.inference import ForestMarginals, component_scores
from structsvm.problems.graphs.packed import Graphs
from structsvm.problems.graphs.problem import GraphLabelling
from structsvm.problems.graphs.task import GraphTask


@documented
class TreeLabelling(SoftByTask, GraphLabelling):
    """Labels for the nodes of graphs without cycles: exact, and with a soft oracle.

    A :class:`GraphLabelling` with ``inference='tree'``. A graph may have several trees, and nodes
    without edges. The soft oracle is sum-product: it makes the smoothed solvers available.

    Shared parameters and attributes are added at import: see ``help``.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems import Graph, TreeLabelling
    >>> star = [[0, 1], [0, 2], [0, 3]]
    >>> X = [Graph(np.array([[0.0], [2.0], [1.0], [-1.0]]), star)]
    >>> svm = StructuredSVM(TreeLabelling()).fit(X, [[1, 1, 1, 0]])
    >>> print(svm.predict(X)[0])
    [1 1 1 0]
    """

    def __init__(self, directed: bool = False, class_weight: ClassWeight = None) -> None:
        super().__init__("tree", directed, class_weight)

    def task(self, X: Any, Y: Any = None) -> GraphTask:
        return TreeLabellingTask(self, X, Y)

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Fifteen trees of one to five nodes, and three labels that seldom change along an edge."""
        rng = np.random.default_rng(0)
        X, Y = [], []
        for n in 1 + np.arange(15) % 5:
            parents = [int(rng.integers(i)) for i in range(1, n)]
            y = rng.integers(3, size=n)
            for child, parent in enumerate(parents, 1):
                y[child] = y[parent] if rng.random() < 0.8 else y[child]
            edges = [(parent, child) for child, parent in enumerate(parents, 1)]
            X.append(Graph(np.eye(3)[y] + rng.normal(size=(n, 3)), edges))
            Y.append(y)
        return X, Y


class TreeLabellingTask(GraphTask):
    """Graphs without cycles, with sums over all labellings."""

    def soft(self, w: Vector, mu: float, weights: Vector) -> SoftSum:
        graphs, layout, codes = self.X, self.problem.layout_, self.Y.codes.values
        losses = self.problem.node_losses(self.Y)
        truth, found = self._distribution(w, mu)
        of_graphs = np.bincount(
            graphs.nodes.owner[graphs.forest.roots], found.log_partition, len(graphs)
        )
        # Lowering the truth instead of raising the others lowered every labelling by its losses.
        values = mu * (of_graphs - truth) + graphs.sums(losses)
        nodes, edges = -found.nodes, -found.edges
        wrong = 1 + nodes[np.arange(len(codes)), codes]
        nodes[np.arange(len(codes)), codes] += 1
        a, b = codes[graphs.joined].T
        edges[np.arange(len(edges)), a, b] += 1
        difference = layout.sum(graphs, layout.votes(nodes, edges), weights)
        loss = float(weights[graphs.nodes.owner] @ (losses * wrong))
        return SoftSum(values, difference, loss)

    def curvature(self, w: Vector, mu: float, weights: Vector) -> Vector:
        graphs, layout = self.X, self.problem.layout_
        _, found = self._distribution(w, mu)
        # As if labels and pairs of labels at different places were independent.
        votes = layout.votes(found.nodes * (1 - found.nodes), found.edges * (1 - found.edges))
        rows, edges = squared(graphs.nodes.values), squared(graphs.edges.values)
        squares = Graphs(
            Ragged(rows, graphs.nodes.sizes), graphs.ends, Ragged(edges, graphs.edges.sizes)
        )
        return np.maximum(layout.sum(squares, votes, weights), 0)

    def _distribution(self, w: Vector, mu: float) -> tuple[Vector, ForestMarginals]:
        """The scores of the true labels, and the marginals.

        The scores are in units of mu, and lowered at the true labels by their losses.
        """
        graphs, layout, codes = self.X, self.problem.layout_, self.Y.codes.values
        losses = self.problem.node_losses(self.Y)
        unary, of_entries = layout.scores(graphs, w / mu)
        unary[np.arange(len(unary)), codes] -= losses / mu
        pairwise = layout.pairwise(of_entries)
        scores = component_scores(unary, graphs.joined, pairwise, codes, graphs.nodes.owner)
        truth = scores + graphs.sums(losses) / mu
        return truth, graphs.forest.marginals(unary, pairwise)
