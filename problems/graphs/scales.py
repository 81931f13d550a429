"""The scales of the features of nodes and edges."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.data.column_moments import ColumnMoments
from structsvm.data.column_scales import ColumnScales
from structsvm.data.ragged import Ragged
from structsvm.problems.graphs.packed import Graphs


class Scales(NamedTuple):
    """The scales of the columns of nodes, with a constant, and of edges."""

    nodes: ColumnScales
    edges: ColumnScales

    @classmethod
    def learned(cls, graphs: Graphs, weights: Vector) -> Scales:
        """The scales for weighted graphs."""
        nodes, edges = _moments(graphs.nodes, weights), _moments(graphs.edges, weights)
        return cls(
            ColumnScales.learned(nodes, centred=True, constant=True),
            ColumnScales.learned(edges, centred=False, constant=False),
        )

    @classmethod
    def none(cls, graphs: Graphs, weights: Vector) -> Scales:
        """No change, but for the constant."""
        nodes, edges = _moments(graphs.nodes, weights), _moments(graphs.edges, weights)
        return cls(
            ColumnScales.none(nodes, constant=True), ColumnScales.none(edges, constant=False)
        )

    def applied(self, graphs: Graphs) -> Graphs:
        """The graphs with scaled features, and with a constant at the nodes."""
        nodes = Ragged(self.nodes.applied(graphs.nodes.values), graphs.nodes.sizes)
        edges = Ragged(self.edges.applied(graphs.edges.values), graphs.edges.sizes)
        return Graphs(nodes, graphs.ends, edges)


def _moments(part: Ragged, weights: Vector) -> ColumnMoments:
    """The moments of the rows that have some weight."""
    each = np.repeat(weights, part.sizes)
    return ColumnMoments.of(part.values[each > 0], each[each > 0])
