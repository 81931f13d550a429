r"""Exact labelling of binary attractive graphs by maximum flow.

With two labels, the scores of a pair of nodes can be rewritten as scores of single labels, minus a
cost :math:`c` if the labels differ. If the cost of different labels is at least 0 for every pair of
nodes, the pairs are attractive, and the labelling of highest score is a minimum cut (Greig,
Porteous & Seheult, JRSS B 51, 1989; Kolmogorov & Zabih, IEEE TPAMI 2004).

scipy's maximum flow takes capacities of 32 bits. Capacities are rounded down, so that the flow is
also valid for the exact capacities. The total residual capacity r across the cut bounds how far the
cut is from the minimum. The label of a node is proved optimal if arcs of residual capacity above
the bound r form a path between the node and the source or the sink. The residual capacities are
scaled to 30 bits and the flow is continued, until the labels of all nodes are proved optimal or
only rounding errors remain.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from structsvm.data.arrays import Indices, Vector
from structsvm.objective.rounding import DOUBLE, MULTIPLE

#: Capacities are below 2 to this power: a residual capacity may be twice as large, within 32 bits.
BITS = 30
#: Least residual capacity that determines the scale, relative to the largest capacity.
LEAST = 2.0**-900
#: Largest number of flows: the first leaves 1e-9 of the capacities, the third rounding errors.
ROUNDS = 4
#: Largest number of rounds that settle nodes, fixed so that no graph depends on other graphs.
SETTLING = 4


def disagreements(unary: Vector, edges: Indices, pairwise: Vector) -> tuple[Vector, Vector]:
    """Return u and c: scores equal sum_i u_i y_i - sum_e c_e [y_i != y_j] plus a constant."""
    agree = pairwise[:, 1, 1] - pairwise[:, 0, 0]
    differ = pairwise[:, 1, 0] - pairwise[:, 0, 1]
    both = pairwise[:, 0, 0] + pairwise[:, 1, 1]
    linear = unary[:, 1] - unary[:, 0]
    for ends, scores in zip(edges.T, ((agree + differ) / 2, (agree - differ) / 2), strict=True):
        linear = linear + np.bincount(ends, scores, len(unary))
    return linear, (both - pairwise[:, 0, 1] - pairwise[:, 1, 0]) / 2


def settled(linear: Vector, edges: Indices, capacities: Vector) -> tuple[Vector, Vector, Indices]:
    """Fix the labels of nodes whose scores outweigh their edges, and repeat for the neighbours.

    The scores are u @ y - sum_e c_e [y_i != y_j], with c of any sign. A tie is settled as label 0.

    Returns
    -------
    sign : ndarray of shape (n_nodes,)
        1 and -1 for labels 1 and 0, and 0 for nodes that are not settled.
    linear : ndarray of shape (n_nodes,)
        The scores u of the nodes that are not settled, given the labels of the settled nodes.
    left : ndarray of int
        The indices of the edges whose two nodes are not settled.
    """
    n, sign, left = len(linear), np.zeros(len(linear)), np.arange(len(edges))
    for _ in range(SETTLING):
        (first, second), weights = edges[left].T, capacities[left]
        bound: Any = sum(np.bincount(ends, np.abs(weights), n) for ends in (first, second))
        sure = (sign == 0) & ((linear > bound) | (linear <= -bound))
        if not sure.any():
            break
        sign[sure] = np.where(linear[sure] > 0, 1, -1)
        for ends, others in ((first, second), (second, first)):
            linear = linear + np.bincount(ends, weights * sign[others], n)
        left = left[(sign[first] == 0) & (sign[second] == 0)]
    return sign, linear, left


class FlowNetwork:
    """The flow network of a graph whose nodes have scores, for minimum cuts.

    The nodes form groups, for example connected components, without edges between the groups. Each
    group of nodes has its own minimum cut. The capacities of a group of nodes are divided by a
    power of 2 near the largest capacity of the group.

    Parameters
    ----------
    linear : ndarray of shape (n_nodes,)
        The scores u of label 1 at the nodes, of any sign.
    edges : ndarray of shape (n_edges, 2)
        The two nodes of each edge, which belong to the same group of nodes.
    part : ndarray of shape (n_nodes,), int
        The number, from 0, of the group of nodes to which each node belongs.
    """

    def __init__(self, linear: Vector, edges: Indices, part: Indices) -> None:
        n, nodes = len(part), np.arange(len(part))
        # Each node has an arc from the source, or to the sink.
        first = np.concatenate([np.where(linear > 0, n, nodes), edges[:, 0]])
        second = np.concatenate([np.where(linear > 0, nodes, n + 1), edges[:, 1]])
        tails, heads = np.concatenate([first, second]), np.concatenate([second, first])
        # return_index makes the sort stable, which is faster, as the arcs are a few sorted runs.
        pairs, _, slot = np.unique(tails * (n + 2) + heads, True, True)
        tails, heads = np.divmod(pairs, n + 2)
        self.n_nodes, self._linear = n, linear
        self._tails, self._heads = tails.astype(np.int32), heads.astype(np.int32)
        self._starts = np.searchsorted(tails, np.arange(n + 3)).astype(np.int32)
        forth, back = slot.reshape(2, -1)
        self._of_nodes, self._both_ways = forth[:n], (forth[n:], back[n:])
        self._reverse = np.empty(len(pairs), dtype=np.intp)
        self._reverse[forth], self._reverse[back] = back, forth
        self._part = part
        # The source and the sink have the highest numbers, so the smaller end of an arc is a node.
        self._part_of_arc = self._part[np.minimum(tails, heads)]

    def maximum(self, capacities: Vector) -> Any:
        """Return the boolean y that maximises u @ y - sum_e c_e [y_i != y_j].

        Parameters
        ----------
        capacities : ndarray of shape (n_edges,)
            The costs c of disagreements, all >= 0.
        """
        left = whole = self._capacities(capacities)
        # No flow exceeds a cut, for example the cut that gives each node its best label.
        y: Any = self._linear > 0
        (above,) = self._across(y, whole)
        for _ in range(ROUNDS):
            if not above.any():
                break
            reached, left = self._continued(left, above)
            y = np.where((above > 0)[self._part], reached, y)
            remaining, cost = self._across(y, left, whole)
            done = (remaining <= MULTIPLE * DOUBLE * cost) | self._is_decided(y, left, remaining)
            above = np.where((above > 0) & ~done, remaining, 0)
        return y

    def _capacities(self, capacities: Vector) -> Vector:
        """Return the scaled capacities of all arcs.

        For each group of nodes in ``part``, the capacities are divided by a power of 2, so that the
        largest capacity of the group is at least 1/2 and below 1. No number is rounded.
        """
        whole, largest = np.zeros(len(self._heads)), np.zeros(self._part.max(initial=-1) + 1)
        whole[self._of_nodes] = np.abs(self._linear)
        for way in self._both_ways:
            whole += np.bincount(way, capacities, len(whole))
        np.maximum.at(largest, self._part_of_arc, whole)
        return np.asarray(np.ldexp(whole, -np.frexp(largest)[1][self._part_of_arc]))

    def _across(self, y: Any, *capacities: Vector) -> Any:
        """Return the capacity of the cut between labels 1 and 0, for each group of nodes."""
        side = np.concatenate([y, [True, False]])  # with the source and the sink
        cut = np.flatnonzero(side[self._tails] > side[self._heads])
        part, n_parts = self._part_of_arc[cut], int(self._part.max()) + 1
        return [np.bincount(part, values[cut], n_parts) for values in capacities]

    def _is_decided(self, y: Any, left: Vector, above: Vector) -> Any:
        """Return, for each group of nodes, whether the cut is proved to be a minimum cut."""
        passable, side = left > above[self._part_of_arc], np.append(y, [True, False])
        # Search forwards from the source, and backwards from the sink.
        passable = np.where(side[self._tails], passable, passable[self._reverse])
        reached = self._reached(passable, self.n_nodes, self.n_nodes + 1)
        return np.bincount(self._part, ~reached, len(above)) == 0

    def _reached(self, passable: Any, *starts: int) -> Any:
        """Return a mask of the nodes that ``passable`` arcs connect with one of ``starts``."""
        ways = self._matrix(passable, np.ones(len(passable)))
        reached = np.zeros(self.n_nodes + 2, dtype=bool)
        for start in starts:
            reached[csgraph.breadth_first_order(ways, start, return_predecessors=False)] = True
        return reached[: self.n_nodes]

    def _continued(self, left: Vector, above: Vector) -> tuple[Any, Vector]:
        """Continue the flow, given the residual capacities ``left`` of the arcs.

        Returns
        -------
        reached : ndarray of bool
            A mask of the nodes on the source's side of the cut.
        left : ndarray
            The new residual capacities.
        """
        n, part = self.n_nodes, self._part_of_arc
        scale = np.ldexp(1.0, BITS - np.frexp(np.clip(above, LEAST, 0.5))[1])[part]
        cut = (above > 0)[part]
        whole = np.where(cut, np.minimum(left * scale, 2**BITS - 1), 0).astype(np.int32)
        flow = np.zeros_like(whole)
        flow[cut] = csgraph.maximum_flow(self._matrix(cut, whole), n, n + 1).flow.data
        return self._reached(flow < whole, n), np.maximum(left - flow / scale, 0)

    def _matrix(self, some: Any, values: Any) -> sparse.csr_matrix:
        """Return a CSR matrix over the nodes with ``values`` at the arcs in the mask ``some``."""
        starts = np.concatenate([[0], np.cumsum(some)])[self._starts].astype(np.int32)
        n = self.n_nodes + 2
        matrix = sparse.csr_matrix((values[some], self._heads[some], starts), (n, n))
        matrix.has_sorted_indices = True
        return matrix
