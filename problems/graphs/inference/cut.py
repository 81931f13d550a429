r"""Exact labelling of binary attractive graphs by maximum flow.

With two labels a table of pair scores is, up to scores of single labels, a score :math:`-c` of a
disagreement; where all :math:`c \ge 0` the pairs are attractive, and the labelling of highest score
is a minimum cut (Greig, Porteous & Seheult, JRSS B 51, 1989; Kolmogorov & Zabih, IEEE TPAMI 2004).

scipy's maximum flow takes capacities of 32 bits. They are rounded down, so that its flow is also
one for the real capacities: what is left of them on the cut bounds how far the cut is from the
minimum. Where that is more than rounding errors of the scores, by :data:`ROUNDOFF`, the flow is
continued in what is left, scaled up to 32 bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from structsvm.problem import Indices, Vector
from structsvm.rounding import MULTIPLE

#: Relative error of a maximum score, as a roundoff, of which the engine covers a multiple.
ROUNDOFF = 2.0**-32
#: Rounding errors of sums of the scores of a pair, relative to their sizes.
ROUNDING = 4 * float(np.finfo(np.float64).eps)
#: Capacities are below 2 to this: what is left of one may be twice as large, within 32 bits.
BITS = 30
#: Continued flows, at most: the first leaves 1e-9 of the capacities, the third rounding errors.
ROUNDS = 4


def is_attractive(pairwise: Vector) -> bool:
    """Return whether there are two labels, and no edge gains by more than rounding to disagree."""
    if pairwise.shape[-1] != 2:
        return False
    errors = ROUNDING * np.abs(pairwise).sum(axis=(1, 2))
    return bool(np.all(_linear(pairwise)[2] >= -errors))


def maximum_cut(
    unary: Vector, edges: Indices, pairwise: Vector, network: FlowNetwork | None = None
) -> Indices:
    """Return a labelling of highest score of attractive pairs of two labels, shape (n_nodes,).

    Its score is the highest up to :data:`structsvm.rounding.MULTIPLE` times :data:`ROUNDOFF`,
    relative to the sum of the differences of the unary scores. Of several labellings it is the one
    with the fewest labels 1. ``network`` may be given if it has been made before, of the same
    nodes and edges.

    Raises
    ------
    ValueError
        There are not two labels, or an edge gains by a disagreement.
    """
    if not is_attractive(pairwise):
        raise ValueError("minimum cuts need two labels, and no edge that gains by a disagreement")
    network = FlowNetwork(len(unary), edges) if network is None else network
    linear, capacities = disagreements(unary, edges, pairwise)
    return network.maximum(linear, np.maximum(capacities, 0)).astype(np.intp)


def disagreements(unary: Vector, edges: Indices, pairwise: Vector) -> tuple[Vector, Vector]:
    """Return u and c such that the scores are sum_i u_i y_i - sum_e c_e [y_i != y_j] + constant."""
    first, second, capacities = _linear(pairwise)
    linear = unary[:, 1] - unary[:, 0]
    for ends, scores in zip(edges.T, (first, second), strict=True):
        linear = linear + np.bincount(ends, scores, len(unary))
    return linear, capacities


def _linear(pairwise: Vector) -> tuple[Vector, Vector, Vector]:
    """The scores of label 1 at both ends of every edge, and the score lost by a disagreement."""
    agree = pairwise[:, 1, 1] - pairwise[:, 0, 0]
    differ = pairwise[:, 1, 0] - pairwise[:, 0, 1]
    both = pairwise[:, 0, 0] + pairwise[:, 1, 1]
    capacities = (both - pairwise[:, 0, 1] - pairwise[:, 1, 0]) / 2
    return (agree + differ) / 2, (agree - differ) / 2, capacities


class FlowNetwork:
    """The network of a graph, prepared for minimum cuts with any capacities.

    Parameters
    ----------
    n_nodes : int
    edges : ndarray of shape (n_edges, 2)
    """

    def __init__(self, n_nodes: int, edges: Indices) -> None:
        n, m, nodes = n_nodes, len(edges), np.arange(n_nodes)
        self.n_nodes = n
        source, sink = np.full(n, n), np.full(n, n + 1)
        tails = np.concatenate([source, nodes, sink, nodes, edges[:, 0], edges[:, 1]])
        heads = np.concatenate([nodes, source, nodes, sink, edges[:, 1], edges[:, 0]])
        pairs, slot = np.unique(tails * (n + 2) + heads, return_inverse=True)
        tails, heads = np.divmod(pairs, n + 2)
        self._tails, self._heads = tails.astype(np.int32), heads.astype(np.int32)
        self._starts = np.searchsorted(tails, np.arange(n + 3)).astype(np.int32)
        self._from_source, self._to_sink = slot[:n], slot[3 * n : 4 * n]
        self._both_ways = slot[4 * n :].reshape(2, m)

    def maximum(self, linear: Vector, capacities: Vector) -> Vector:
        """Return y of {False, True} that maximises u @ y - sum_e c_e [y_i != y_j].

        Parameters
        ----------
        linear : ndarray of shape (n_nodes,)
            u, of any sign.
        capacities : ndarray of shape (n_edges,)
            c, all >= 0.
        """
        largest = max(np.abs(linear).max(initial=0.0), capacities.max(initial=0.0))
        # Scaled by a power of 2, no number is rounded, and none of the products below overflows.
        linear, capacities = (np.ldexp(c, -np.frexp(largest)[1]) for c in (linear, capacities))
        left = np.zeros(len(self._heads))
        left[self._from_source] = np.maximum(linear, 0)
        left[self._to_sink] = np.maximum(-linear, 0)
        for way in self._both_ways:
            left += np.bincount(way, capacities, len(left))
        allowed = MULTIPLE * ROUNDOFF * float(np.abs(linear).sum())
        reached: Any = np.zeros(self.n_nodes + 2, dtype=bool)
        above = float(left.max(initial=0.0))
        for _ in range(ROUNDS):
            if above <= 0:
                break
            reached, flow, scale = self._continued(left, above)
            cut = np.flatnonzero(reached[self._tails] & ~reached[self._heads])
            above = float(np.maximum(left[cut] - flow[cut] / scale, 0).sum())
            if above <= allowed:
                break
            left = np.maximum(left - flow / scale, 0)
        return reached[: self.n_nodes]

    def _continued(self, left: Vector, above: float) -> tuple[Any, Indices, float]:
        """Continue a flow in what is left, where no path carries more than ``above``.

        Returns
        -------
        reached : ndarray of bool
            The nodes on the source's side of the cut.
        flow : ndarray of int
            What is added, times ``scale``.
        scale : float
        """
        n, scale = self.n_nodes, 2.0 ** int(BITS - np.frexp(above)[1])
        whole = (np.minimum(left, above) * scale).astype(np.int32)
        found = csgraph.maximum_flow(self._matrix(whole, self._heads, self._starts), n, n + 1)
        flow = found.flow.data
        # The ways that are still open, and the nodes that they lead to from the source.
        is_open = flow < whole
        starts = np.concatenate([[0], np.cumsum(is_open)])[self._starts].astype(np.int32)
        heads = self._heads[is_open]
        ways = self._matrix(np.ones(len(heads)), heads, starts)
        reached = np.zeros(n + 2, dtype=bool)
        reached[csgraph.breadth_first_order(ways, n, return_predecessors=False)] = True
        return reached, flow, scale

    def _matrix(self, values: Any, heads: Any, starts: Any) -> sparse.csr_matrix:
        n = self.n_nodes + 2
        matrix = sparse.csr_matrix((values, heads, starts), (n, n))
        matrix.has_sorted_indices = True
        return matrix
