r"""Exact labelling of binary attractive graphs by maximum flow.

With two labels a table of pair scores is, up to scores of single labels, a score :math:`-c` of a
disagreement; where all :math:`c \ge 0` the pairs are attractive, and the labelling of highest score
is a minimum cut (Greig, Porteous & Seheult, JRSS B 51, 1989; Kolmogorov & Zabih, IEEE TPAMI 2004).

scipy's maximum flow takes capacities of 32 bits. They are rounded down, so that its flow is also
one for the real capacities: what is left of them on the cut bounds how far the cut is from the
minimum. A node is decided if arcs with more left than this bound lead to it from the source, or
from it to the sink: on the other side it would cost more. Until all nodes are decided, or only
rounding errors are left, the flow continues in what is left, scaled up to 32 bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from structsvm.data.arrays import Indices, Vector
from structsvm.objective.rounding import DOUBLE, MULTIPLE

#: Capacities are below 2 to this: what is left of one may be twice as large, within 32 bits.
BITS = 30
#: What is left is scaled as if it were this at least, relative to the largest capacity.
LEAST = 2.0**-900
#: Continued flows, at most: the first leaves 1e-9 of the capacities, the third rounding errors.
ROUNDS = 4
#: Rounds in which nodes are settled, at most: a number by which no graph depends on others.
SETTLING = 4


def disagreements(unary: Vector, edges: Indices, pairwise: Vector) -> tuple[Vector, Vector]:
    """Return u and c such that the scores are sum_i u_i y_i - sum_e c_e [y_i != y_j] + constant."""
    agree = pairwise[:, 1, 1] - pairwise[:, 0, 0]
    differ = pairwise[:, 1, 0] - pairwise[:, 0, 1]
    both = pairwise[:, 0, 0] + pairwise[:, 1, 1]
    linear = unary[:, 1] - unary[:, 0]
    for ends, scores in zip(edges.T, ((agree + differ) / 2, (agree - differ) / 2), strict=True):
        linear = linear + np.bincount(ends, scores, len(unary))
    return linear, (both - pairwise[:, 0, 1] - pairwise[:, 1, 0]) / 2


def settled(linear: Vector, edges: Indices, capacities: Vector) -> tuple[Vector, Vector, Indices]:
    """Settle nodes whose own score outweighs their edges, then their neighbours likewise.

    The scores are u @ y - sum_e c_e [y_i != y_j], with c of any sign. Where labels tie, 0 is taken.

    Returns
    -------
    sign : ndarray of shape (n_nodes,)
        1 and -1 for labels 1 and 0, and 0 for nodes left open.
    linear : ndarray of shape (n_nodes,)
        u for the nodes left open, given the others.
    left : ndarray of int
        The edges between nodes left open.
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
    """The network of a graph whose nodes have scores, for minimum cuts.

    Each part of the graph is cut by itself, with capacities scaled to its own largest: the labels
    of one part do not depend on the others.

    Parameters
    ----------
    linear : ndarray of shape (n_nodes,)
        u, of any sign.
    edges : ndarray of shape (n_edges, 2)
        None leads from one part to another.
    part : ndarray of shape (n_nodes,), int
        The number of the part of every node, from 0.
    """

    def __init__(self, linear: Vector, edges: Indices, part: Indices) -> None:
        n, nodes = len(part), np.arange(len(part))
        # An arc from the source to a node, or from the node to the sink.
        first = np.concatenate([np.where(linear > 0, n, nodes), edges[:, 0]])
        second = np.concatenate([np.where(linear > 0, nodes, n + 1), edges[:, 1]])
        tails, heads = np.concatenate([first, second]), np.concatenate([second, first])
        # With return_index the sort is stable, which is faster: the arcs are a few sorted runs.
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
        # Of the two ends of an arc, source and sink have the highest numbers.
        self._part_of_arc = self._part[np.minimum(tails, heads)]

    def maximum(self, capacities: Vector) -> Any:
        """Return y of {False, True} that maximises u @ y - sum_e c_e [y_i != y_j].

        Parameters
        ----------
        capacities : ndarray of shape (n_edges,)
            c, all >= 0.
        """
        left = whole = self._capacities(capacities)
        # No flow is larger than a cut, such as the cut that gives each node its own best label.
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
        """The capacities of all arcs; in each part they are scaled by a power of 2.

        The largest is then 1/2 or more, and below 1; no number is rounded.
        """
        whole, largest = np.zeros(len(self._heads)), np.zeros(self._part.max(initial=-1) + 1)
        whole[self._of_nodes] = np.abs(self._linear)
        for way in self._both_ways:
            whole += np.bincount(way, capacities, len(whole))
        np.maximum.at(largest, self._part_of_arc, whole)
        return np.asarray(np.ldexp(whole, -np.frexp(largest)[1][self._part_of_arc]))

    def _across(self, y: Any, *capacities: Vector) -> Any:
        """The capacities from labels 1 to labels 0, in each component."""
        side = np.concatenate([y, [True, False]])  # with the source and the sink
        cut = np.flatnonzero(side[self._tails] > side[self._heads])
        part, n_parts = self._part_of_arc[cut], int(self._part.max()) + 1
        return [np.bincount(part, values[cut], n_parts) for values in capacities]

    def _is_decided(self, y: Any, left: Vector, above: Vector) -> Any:
        """Whether no other labels cost a component as little, where these cost ``above``."""
        passable, side = left > above[self._part_of_arc], np.append(y, [True, False])
        # From the source onwards, and from the sink backwards.
        passable = np.where(side[self._tails], passable, passable[self._reverse])
        reached = self._reached(passable, self.n_nodes, self.n_nodes + 1)
        return np.bincount(self._part, ~reached, len(above)) == 0

    def _reached(self, passable: Any, *starts: int) -> Any:
        """The nodes that arcs which are ``passable`` lead to, bool of shape (n_nodes,)."""
        ways = self._matrix(passable, np.ones(len(passable)))
        reached = np.zeros(self.n_nodes + 2, dtype=bool)
        for start in starts:
            reached[csgraph.breadth_first_order(ways, start, return_predecessors=False)] = True
        return reached[: self.n_nodes]

    def _continued(self, left: Vector, above: Vector) -> tuple[Any, Vector]:
        """Continue a flow in what is left, where a component carries ``above`` at most.

        Returns
        -------
        reached : ndarray of bool
            The nodes on the source's side of the cut.
        left : ndarray
            What is left then.
        """
        n, part = self.n_nodes, self._part_of_arc
        scale = np.ldexp(1.0, BITS - np.frexp(np.clip(above, LEAST, 0.5))[1])[part]
        cut = (above > 0)[part]
        whole = np.where(cut, np.minimum(left * scale, 2**BITS - 1), 0).astype(np.int32)
        flow = np.zeros_like(whole)
        flow[cut] = csgraph.maximum_flow(self._matrix(cut, whole), n, n + 1).flow.data
        return self._reached(flow < whole, n), np.maximum(left - flow / scale, 0)

    def _matrix(self, some: Any, values: Any) -> sparse.csr_matrix:
        """The values of some arcs."""
        starts = np.concatenate([[0], np.cumsum(some)])[self._starts].astype(np.int32)
        n = self.n_nodes + 2
        matrix = sparse.csr_matrix((values[some], self._heads[some], starts), (n, n))
        matrix.has_sorted_indices = True
        return matrix
