"""The scales of the features of nodes and edges."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.data.column_scales import ColumnScales
from structsvm.data.ragged import Ragged
from structsvm.problems.graphs.packed import Graphs


class Scales(NamedTuple):
    """The scales of the columns of nodes, with a constant, and of edges."""

    nodes: ColumnScales
    edges: ColumnScales

    @classmethod
    def learned(cls, graphs: Graphs, weights: Vector) -> Scales:
        """The scales for weighted graphs, in which features without any weight stay as given."""
        return cls(_learned(graphs.nodes, weights, True), _learned(graphs.edges, weights, False))

    @classmethod
    def as_given(cls, graphs: Graphs) -> Scales:
        """No change, but for the constant."""
        of_nodes, of_edges = graphs.widths
        nodes = ColumnScales.as_given(of_nodes, constant=True)
        return cls(nodes, ColumnScales.as_given(of_edges, constant=False))

    def applied(self, graphs: Graphs) -> Graphs:
        """The graphs with scaled features, and with a constant at the nodes."""
        nodes = Ragged(self.nodes.applied(graphs.nodes.values), graphs.nodes.sizes)
        edges = Ragged(self.edges.applied(graphs.edges.values), graphs.edges.sizes)
        return Graphs(nodes, graphs.ends, edges)


def _learned(part: Ragged, weights: Vector, of_nodes: bool) -> ColumnScales:
    each = np.repeat(weights, part.sizes)
    if not each.any():
        return ColumnScales.as_given(part.values.shape[1], constant=of_nodes)
    return ColumnScales.learned(part.values, each, centred=of_nodes, constant=of_nodes)
