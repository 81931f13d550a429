"""The tasks of labelling graphs: searches and sums over the union of all graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from structsvm.contract.soft_oracle import SoftSum
from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import take
from structsvm.data.ragged import Ragged
from structsvm.problems.classification.products import squared
from structsvm.problems.graphs.data import Labellings
from structsvm.problems.graphs.inference.forest import ForestMarginals
from structsvm.problems.graphs.inference.moves import LabelledGraph, expanded
from structsvm.problems.graphs.inference.relaxation import Relaxed, relaxed, roof_dual
from structsvm.problems.graphs.inference.scores import component_scores
from structsvm.problems.graphs.joint_feature import Votes
from structsvm.task.task import Task

if TYPE_CHECKING:
    from structsvm.problems.graphs.problem import GraphLabelling


class GraphTask(Task):
    """The task of labelling graphs, with its data in :class:`Graphs` and :class:`Labellings`."""

    problem: GraphLabelling

    def __init__(self, problem: GraphLabelling, X: Any, Y: Any = None) -> None:
        super().__init__(problem, problem.graphs(X))
        self.Y = None if Y is None else problem.labellings(Y, self.X.nodes.sizes)

    def with_labels(self, labels: Any) -> Any:
        return super().with_labels(self.problem.labellings(labels, self.X.nodes.sizes))

    # ------------------------------------------------------------------ searches and losses

    def search(self, w: Vector) -> Any:
        unary, of_entries = self.problem.layout_.scores(self.X, w)
        # The loss is subtracted at the true label, instead of being added at all other labels.
        unary[np.arange(len(unary)), self.Y.codes.values] -= self.problem.node_losses(self.Y)
        if self.problem.inference != "relaxation":
            return self._best(unary, of_entries)
        solutions = self._solutions(unary, of_entries)
        # Labels take less memory than integral marginals.
        kept = [None if y.persistent.all() else y for y in solutions]
        codes = np.concatenate([y.nodes.argmax(axis=1) for y in solutions])
        return self._found(codes).with_fields(relaxed=kept)

    def decode(self, w: Vector) -> Any:
        return self._decoded(*self.problem.layout_.scores(self.X, w))

    def _decoded(self, unary: Vector, of_entries: Vector) -> Labellings:
        """Return the labellings of highest score that the inference finds, never relaxed labels."""
        if self.problem.inference != "relaxation":
            return self._best(unary, of_entries)
        pairwise = self.problem.layout_.pairwise(of_entries)
        start = relaxed(unary, self.X.joined, pairwise).nodes.argmax(axis=1)
        return self._found(expanded(unary, self.X.joined, pairwise, start))

    def relaxed(self, w: Vector) -> list[Relaxed]:
        """Solve the linear relaxation of every graph, for any ``inference``."""
        return self._solutions(*self.problem.layout_.scores(self.X, w))

    def losses(self, outputs: Any) -> Vector:
        return self.problem.losses(self.Y, outputs)

    def _best(self, unary: Vector, of_entries: Vector) -> Labellings:
        """Search for the labellings of highest score without the linear relaxation."""
        if self.problem.inference == "flow":
            gain = unary[:, 1] - unary[:, 0]
            costs, owner = np.maximum(of_entries[:, 0], 0), self.X.nodes.owner
            return self._found(roof_dual(gain, self.X.joined, costs, owner))
        pairwise = self.problem.layout_.pairwise(of_entries)
        if self.problem.inference == "tree":
            return self._found(self.X.forest.maximum(unary, pairwise))
        return self._found(expanded(unary, self.X.joined, pairwise))

    def _found(self, codes: Any) -> Labellings:
        """Pack the codes of labels that a search found for all nodes."""
        small = codes.astype(np.min_scalar_type(len(self.problem.classes_)))
        return Labellings(Ragged(small, self.X.nodes.sizes), self.problem.classes_)

    def _solutions(self, unary: Vector, of_entries: Vector) -> list[Relaxed]:
        """Return the solution of the relaxation for each graph."""
        graphs = self.X
        found = relaxed(unary, graphs.joined, self.problem.layout_.pairwise(of_entries))
        return [
            Relaxed(found.nodes[graphs.nodes.rows(i)], found.edges[graphs.edges.rows(i)])
            for i in range(len(graphs))
        ]

    # ------------------------------------------------------------------ labels as parts

    def part_names(self, i: int) -> list[Any]:
        return [self.problem.classes_] * int(self.X.nodes.sizes[i])

    def part_places(self, outputs: Any) -> list[Indices]:
        k = self.problem.layout_.k
        codes = self.problem.labellings(outputs, self.X.nodes.sizes).codes
        return [k * np.arange(len(codes[i])) + codes[i] for i in range(self.n)]

    def decode_with(self, w: Vector, places: Sequence[int]) -> Labellings:
        unary, of_entries = self.problem.layout_.scores(self.X, w)
        node, label = np.divmod(np.asarray(places), self.problem.layout_.k)
        degree = np.bincount(self.X.joined.ravel(), minlength=1).max()
        # More than the scores of a node and all its edges.
        large = 1 + 2 * (np.abs(unary).max() + degree * np.abs(of_entries).max(initial=0))
        unary[self.X.nodes.starts[:-1] + node, label] += large
        return self._decoded(unary, of_entries)

    def max_marginals(self, w: Vector) -> list[Vector]:
        """Return, for each label at each node, the highest score of a labelling with this label.

        The scores are exact with ``inference='tree'``. With an inference other than 'tree', the
        scores are lower bounds: each is the score of the prediction after changing the label of a
        single node.
        """
        unary, of_entries = self.problem.layout_.scores(self.X, w)
        pairwise = self.problem.layout_.pairwise(of_entries)
        if self.problem.inference == "tree":
            found = self.X.forest.max_marginals(unary, pairwise)
        else:
            labels = self._decoded(unary, of_entries).codes.values
            found = LabelledGraph(unary, self.X.joined, pairwise, labels).scores
        return [found[self.X.nodes.rows(i)] for i in range(self.n)]

    # ------------------------------------------------------------------ sums of joint features

    def differences(self, outputs: Any, places: Sequence[int]) -> Any:
        which = np.asarray(places, dtype=np.intp)
        some = self.part(which)
        return self.problem.layout_.rows(some.X, some.votes(take(outputs, which)))

    def plane(self, outputs: Any, weights: Vector) -> Vector:
        return self.problem.layout_.sum(self.X, self.votes(outputs), weights)

    def votes(self, outputs: Any) -> Votes:
        """Return the coefficients of node and edge features in Psi(x, y) - Psi(x, output)."""
        found = self.problem.labellings(outputs, self.X.nodes.sizes)
        return self.problem.layout_.difference(self.X, self.Y, found)


class TreeLabellingTask(GraphTask):
    """The task of labelling graphs without cycles, with sums over all labellings."""

    def soft(self, w: Vector, mu: float, weights: Vector) -> SoftSum:
        graphs, layout, codes = self.X, self.problem.layout_, self.Y.codes.values
        losses, owner = self.problem.node_losses(self.Y), graphs.nodes.owner
        truth, found = self._distribution(w, mu)
        of_graphs = np.bincount(owner[graphs.forest.roots], found.log_partition, len(graphs))
        # Lowering the true labels' scores, not raising others, subtracted the total loss from all.
        values = mu * (of_graphs - truth) + graphs.nodes.sums(losses)
        true = layout.marginals(graphs, self.Y)
        votes = layout.votes(true.nodes - found.nodes, true.edges - found.edges)
        wrong = 1 - found.nodes[np.arange(len(codes)), codes]
        loss = float(weights[owner] @ (losses * wrong))
        return SoftSum(values, layout.sum(graphs, votes, weights), loss)

    def curvature(self, w: Vector, mu: float, weights: Vector) -> Vector:
        graphs, layout = self.X, self.problem.layout_
        _, found = self._distribution(w, mu)
        # An approximation: labels of different nodes and edges are treated as independent.
        votes = layout.votes(found.nodes * (1 - found.nodes), found.edges * (1 - found.edges))
        squares = graphs.with_fields(
            nodes=Ragged(squared(graphs.nodes.values), graphs.nodes.sizes),
            edges=Ragged(squared(graphs.edges.values), graphs.edges.sizes),
        )
        return np.maximum(layout.sum(squares, votes, weights), 0)

    def _distribution(self, w: Vector, mu: float) -> tuple[Vector, ForestMarginals]:
        """Return the scores of the true labellings, and the marginals.

        The scores are divided by the smoothing parameter ``mu``. For the marginals, the scores of
        the true labels are lowered by the losses of their nodes.
        """
        graphs, layout, codes = self.X, self.problem.layout_, self.Y.codes.values
        losses = self.problem.node_losses(self.Y)
        unary, of_entries = layout.scores(graphs, w / mu)
        unary[np.arange(len(unary)), codes] -= losses / mu
        pairwise = layout.pairwise(of_entries)
        scores = component_scores(unary, graphs.joined, pairwise, codes, graphs.nodes.owner)
        truth = scores + graphs.nodes.sums(losses) / mu
        return truth, graphs.forest.marginals(unary, pairwise)
