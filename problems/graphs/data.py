"""Containers of many graphs, and of the labels of their nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from structsvm.data.arrays import Indices
from structsvm.data.examples import ExampleContainer
from structsvm.data.ragged import Ragged
from structsvm.problems.classification.labels import Labels
from structsvm.problems.classification.weighted_labels import flat_labels, flat_weights
from structsvm.problems.graphs.checks import checked_graph, edges_are_described, require_graphs
from structsvm.problems.graphs.inference.cut import FlowNetwork
from structsvm.problems.graphs.inference.forest import Forest, is_forest
from structsvm.problems.graphs.inference.relaxation import Relaxed


@dataclass(eq=False, repr=False)
class Graphs(ExampleContainer):
    """n graphs, with matrices of all nodes and of all edges.

    ``graphs[i]`` is the i-th graph in a container of its own.

    Parameters
    ----------
    nodes : Ragged
        The features of the nodes.
    ends : Ragged
        The nodes that each edge joins, counted from 0 in its own graph.
    edges : Ragged
        The features of the edges.
    described : bool or None
        Whether edges were given with features; None where there are no edges.
    """

    nodes: Ragged
    ends: Ragged
    edges: Ragged
    described: bool | None = None

    of_examples = ("nodes", "ends", "edges")

    @classmethod
    def of(
        cls,
        X: Any,
        directed: bool,
        widths: tuple[int, int] | None = None,
        described: bool | None = None,
    ) -> Graphs:
        """Check graphs and pack them; with ``directed`` edges may lead back and forth.

        ``widths`` and ``described`` are those of the graphs that were trained on.

        Raises
        ------
        ValueError
            A graph is malformed, or differs from the first, or from those trained on, in its
            numbers of features. The message names it.
        """
        parts = []
        for i in range(require_graphs(X)):
            try:
                parts.append(checked_graph(X[i], directed))
            except ValueError as error:
                raise ValueError(f"X[{i}]: {error}") from None
            for what, part in (("a node", 0), ("an edge", 2)):
                own, first = parts[-1][part].shape[1], parts[0][part].shape[1]
                if own != first:
                    raise ValueError(f"X[{i}] has {own} features of {what}, but X[0] has {first}")
        nodes, ends, edges = (Ragged.of(list(part)) for part in zip(*parts, strict=True))
        graphs = cls(nodes, ends, edges)
        if widths is not None and graphs.widths != widths:
            raise ValueError(
                f"X has {graphs.widths[0]} features of a node and {graphs.widths[1]} of an edge; "
                f"expected {widths[0]} and {widths[1]}, as in training"
            )
        graphs.described = edges_are_described(X, described)
        return graphs

    @property
    def dtype(self) -> Any:
        return self.nodes.values.dtype

    @property
    def widths(self) -> tuple[int, int]:
        """The numbers of features of a node and of an edge."""
        return self.nodes.values.shape[1], self.edges.values.shape[1]

    @cached_property
    def joined(self) -> Indices:
        """The nodes that each edge joins, counted in the union, shape (n_edges, 2)."""
        shift = self.nodes.starts[self.edges.owner]
        return self.ends.values + shift[:, None]

    @cached_property
    def forest(self) -> Forest:
        return Forest(len(self.nodes.owner), self.joined)

    @cached_property
    def network(self) -> FlowNetwork:
        return FlowNetwork(len(self.nodes.owner), self.joined)

    @property
    def is_forest(self) -> bool:
        return is_forest(len(self.nodes.owner), self.joined)

    def require_forest(self) -> None:
        """Raise a ValueError that names the first graph with a cycle."""
        if not self.is_forest:
            i = next(i for i in range(len(self)) if not self[i].is_forest)
            raise ValueError(
                f"X[{i}] has a cycle, and inference='tree' needs graphs without cycles: train with "
                "inference='relaxation' or 'expansion'"
            )


@dataclass(eq=False, repr=False)
class Labellings(ExampleContainer):
    """Labels of the nodes of n graphs; ``labellings[i]`` is the array of labels of graph i.

    Parameters
    ----------
    codes : Ragged
        The code of the label of every node.
    names : ndarray of shape (k,)
        The labels by code.
    weights : Ragged or None
        The loss of getting each node wrong, None where all are 1.
    relaxed : sequence of n, or None
        The marginals of each graph whose labels are relaxed, and None for the others. The codes of
        its nodes are then the most probable ones.
    """

    codes: Ragged
    names: Any
    weights: Ragged | None = None
    relaxed: Sequence[Relaxed | None] | None = None

    of_examples = ("codes", "weights", "relaxed")

    @classmethod
    def of(cls, Y: Any, sizes: Indices, labels: Labels) -> Labellings:
        """Pack outputs of graphs with these numbers of nodes; a ValueError unless they fit."""
        outputs = [Y[i] for i in range(len(sizes))]
        relaxed = [y if isinstance(y, Relaxed) else None for y in outputs]
        if any(relaxed):
            outputs = [
                y if marginals is None else labels.names[marginals.nodes.argmax(axis=1)]
                for y, marginals in zip(outputs, relaxed, strict=True)
            ]
        codes, weights = labels.codes(flat_labels(sizes, outputs)), flat_weights(outputs)
        return cls(
            Ragged(codes, sizes),
            labels.names,
            None if weights is None else Ragged(weights, sizes),
            relaxed if any(relaxed) else None,
        )

    def example(self, i: int) -> Any:
        found = self.relaxed[i] if self.relaxed else None
        return self.names[self.codes[i]] if found is None else found

    @property
    def fractions(self) -> list[tuple[int, Relaxed]]:
        """The places and marginals of the graphs whose labels are relaxed."""
        return [(i, y) for i, y in enumerate(self.relaxed or ()) if y is not None]
