"""Labels for the nodes of graphs: trees, grids of pixels, and general graphs.

Look at :class:`GraphSVM` first. The folder ``inference`` has the searches, which do not depend on a
problem.
"""

from structsvm.problems.graphs.estimator import GraphSVM
from structsvm.problems.graphs.graph import Graph, grid_graph
from structsvm.problems.graphs.problem import (
    AttractiveGraphLabelling,
    GraphLabelling,
    TreeLabelling,
)

__all__ = [
    "AttractiveGraphLabelling",
    "Graph",
    "GraphLabelling",
    "GraphSVM",
    "TreeLabelling",
    "grid_graph",
]
