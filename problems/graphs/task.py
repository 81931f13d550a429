"""Labels of the nodes of many graphs: searches and sums over their union."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.data.containers import take
from structsvm.data.ragged import Ragged
from structsvm.problems.graphs.inference import Relaxed, expanded, relaxed
from structsvm.problems.graphs.joint_feature import Votes
from structsvm.problems.graphs.labels import Labellings
from structsvm.task.task import Task

if TYPE_CHECKING:
    from structsvm.problems.graphs.problem import GraphLabelling


class GraphTask(Task):
    """Graphs as :class:`structsvm.problems.graphs.packed.Graphs`, and their :class:`Labellings`."""

    problem: GraphLabelling

    def __init__(self, problem: GraphLabelling, X: Any, Y: Any = None) -> None:
        super().__init__(problem, problem.graphs(X))
        self.Y = None if Y is None else problem.labellings(Y, self.X)

    def with_labels(self, labels: Any) -> Any:
        return super().with_labels(self.problem.labellings(labels, self.X))

    def search(self, w: Vector) -> Any:
        problem = self.problem
        unary, of_entries = problem.layout_.scores(self.X, w)
        # Every label but the true one scores more by the loss of the node.
        unary[np.arange(len(unary)), self.Y.codes.values] -= problem.node_losses(self.Y)
        if problem.inference == "relaxation":
            # Labels take less memory than marginals that are whole.
            return [
                problem.classes_[y.nodes.argmax(axis=1)] if y.persistent.all() else y
                for y in self._solutions(unary, of_entries)
            ]
        return self.best(unary, of_entries)

    def decode(self, w: Vector) -> Any:
        layout = self.problem.layout_
        unary, of_entries = layout.scores(self.X, w)
        if self.problem.inference != "relaxation":
            return self.best(unary, of_entries)
        pairwise = layout.pairwise(of_entries)
        start = relaxed(unary, self.X.joined, pairwise).nodes.argmax(axis=1)
        return self.found(expanded(unary, self.X.joined, pairwise, start))

    def losses(self, outputs: Any) -> Vector:
        return self.problem.losses(self.Y, outputs)

    def differences(self, outputs: Any, places: Sequence[int]) -> Any:
        which = np.asarray(places, dtype=np.intp)
        some = self.part(which)
        return self.problem.layout_.rows(some.X, some.votes(take(outputs, which)))

    def plane(self, outputs: Any, weights: Vector) -> Vector:
        return self.problem.layout_.sum(self.X, self.votes(outputs), weights)

    def votes(self, outputs: Any) -> Votes:
        """The votes of the true labels minus the votes of the labels found."""
        problem, graphs = self.problem, self.X
        if not isinstance(outputs, Labellings) and any(isinstance(y, Relaxed) for y in outputs):
            true, found = problem.votes(graphs, self.Y), problem.votes(graphs, outputs)
            return true._replace(
                of_node=true.of_node - found.of_node, of_edge=true.of_edge - found.of_edge
            )
        others = problem.labellings(outputs, graphs)
        return problem.layout_.difference(graphs, self.Y.codes.values, others.codes.values)

    def relaxed(self, w: Vector) -> list[Relaxed]:
        """The linear relaxation of every graph, whatever the inference."""
        return self._solutions(*self.problem.layout_.scores(self.X, w))

    def best(self, unary: Vector, of_entries: Vector) -> Labellings:
        """Labellings of the highest score that the inference finds."""
        pairwise = self.problem.layout_.pairwise(of_entries)
        if self.problem.inference == "tree":
            return self.found(self.X.forest.maximum(unary, pairwise))
        return self.found(expanded(unary, self.X.joined, pairwise))

    def found(self, codes: Any) -> Labellings:
        """The codes of labels that a search found for all nodes, packed."""
        small = codes.astype(np.min_scalar_type(len(self.problem.classes_)))
        return Labellings(Ragged(small, self.X.nodes.sizes), self.problem.classes_)

    def _solutions(self, unary: Vector, of_entries: Vector) -> list[Relaxed]:
        """The solution of the relaxation for each graph."""
        graphs = self.X
        found = relaxed(unary, graphs.joined, self.problem.layout_.pairwise(of_entries))
        nodes = Ragged(found.nodes, graphs.nodes.sizes)
        edges = Ragged(found.edges, graphs.edges.sizes)
        return [Relaxed(nodes[i], edges[i]) for i in range(len(graphs))]
