"""The scales of the features of nodes and edges."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Vector
from structsvm.data.matrices import mean_square
from structsvm.data.ragged import Ragged
from structsvm.problems.graphs.packed import Graphs


class Scales(NamedTuple):
    """The numbers that the features of nodes and of edges are divided by."""

    nodes: float
    edges: float

    @classmethod
    def of(cls, graphs: Graphs, weights: Vector) -> Scales:
        """The scales that make the mean of ||x||^2 over nodes, and over edges, 1 (weighted)."""
        return cls(*(_root_mean_square(part, weights) for part in (graphs.nodes, graphs.edges)))

    def applied(self, graphs: Graphs) -> Graphs:
        """The graphs with scaled features, and with a constant at the nodes."""
        rows = graphs.nodes.values
        rows, one = rows / rows.dtype.type(self.nodes), np.ones((rows.shape[0], 1), rows.dtype)
        if sparse.issparse(rows):
            rows = sparse.hstack([rows, sparse.csr_matrix(one)], format="csr")
        else:
            rows = np.hstack([rows, one])
        edges = Ragged(graphs.edges.values / self.edges, graphs.edges.sizes)
        return Graphs(Ragged(rows, graphs.nodes.sizes), graphs.ends, edges)


def _root_mean_square(part: Ragged, weights: Vector) -> float:
    """The root of the mean of ||x||^2 over the rows x of graphs with these weights; 1 if it is 0.

    It is also 1 if there are no rows, or if all graphs with rows have weight 0.
    """
    each = np.repeat(weights, part.sizes)
    return (mean_square(part.values, each) if each.any() else 0.0) ** 0.5 or 1.0
