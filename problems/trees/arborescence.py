"""Maximum spanning arborescences: dependency trees of highest score.

The scores of the arcs of a sentence of m words have shape (m, m + 1): row j - 1 scores the heads of
word j, the root in column 0 and word i in column i. A word's own column is ignored.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from structsvm.data.arrays import Indices, Vector

#: Scores are clipped to this size, so that sums and differences of them are finite.
LARGEST = 1e300


def best_trees(scores: Vector, single_root: bool) -> Indices:
    """The heads of the trees of highest score, for n sentences of the same length.

    Best heads that already form a tree are returned as they are. The other sentences go one by one
    to :func:`best_tree`.

    Parameters
    ----------
    scores : ndarray of shape (n, m, m + 1)
    single_root : bool
        Whether exactly one word has the head 0.

    Returns
    -------
    ndarray of shape (n, m), int
    """
    m = scores.shape[1]
    scores = scores.astype(np.float64)
    scores[:, np.arange(m), np.arange(1, m + 1)] = -np.inf
    heads = scores.argmax(axis=2)
    for i in np.flatnonzero(~are_trees(heads, single_root)):
        heads[i] = best_tree(scores[i], single_root)
    return heads


def are_trees(heads: Indices, single_root: bool) -> Any:
    """Whether each row of heads, from 0 to m, is a tree; shape (n,), bool."""
    n, m = heads.shape
    # Each round doubles the number of arcs that are followed. In a tree all end at the root.
    reached = np.concatenate([np.zeros((n, 1), dtype=heads.dtype), heads], axis=1)
    for _ in range(m.bit_length()):
        reached = np.take_along_axis(reached, reached, axis=1)
    trees = ~reached.any(axis=1)
    return trees & (np.count_nonzero(heads == 0, axis=1) == 1) if single_root else trees


def best_tree(scores: Vector, single_root: bool) -> Indices:
    """The heads of the tree of highest score, shape (m,).

    The algorithm of Chu & Liu (Science Sinica 14, 1965) and Edmonds (Journal of Research of the
    National Bureau of Standards 71B, 1967): where the best heads of some nodes form a cycle, the
    cycle becomes one node. For a single root the words become one node before the root has any
    arc. So no constant is subtracted from the root's arcs, as is usual, which would cost precision.
    """
    m = len(scores)
    arcs = np.full((m + 1, m + 1), -np.inf)  # from heads to dependents
    arcs[:, 1:] = np.clip(scores, -LARGEST, LARGEST).T
    np.fill_diagonal(arcs, -np.inf)
    if single_root and m > 1:
        tree = _best_tree(arcs.copy(), False)
        return tree if np.count_nonzero(tree == 0) == 1 else _best_tree(arcs, True)
    return _best_tree(arcs, False)


class _Cycle(NamedTuple):
    """A cycle that became one node.

    Attributes
    ----------
    nodes, heads : ndarray of shape (k,)
        The nodes, the first of which stands for them all, and their heads.
    entered : ndarray of shape (m + 1,)
        For every head outside, the place in ``nodes`` of its best dependent.
    left : ndarray of shape (m + 1,)
        For every dependent outside, its best head among the nodes.
    """

    nodes: Indices
    heads: Indices
    entered: Indices
    left: Indices


def _best_tree(arcs: Vector, root_last: bool) -> Indices:
    """The tree of highest score for arcs from heads to dependents, which are overwritten."""
    m = len(arcs) - 1
    first = int(root_last)  # the first head that may be chosen
    heads = arcs[first:].argmax(axis=0) + first
    cycles: list[_Cycle] = []
    n_nodes, done, on_path = m, [True] + [False] * m, [False] * (m + 1)
    for start in range(1, m + 1):
        path, node = [], start
        while not done[node]:
            if not on_path[node]:
                on_path[node] = True
                path.append(node)
                node = int(heads[node])
                continue
            place = path.index(node)
            nodes = path[place:]
            n_nodes -= len(nodes) - 1
            cycles.append(_contract(arcs, heads, nodes, first if n_nodes > 1 else 0))
            for other in nodes[1:]:
                done[other] = True
            del path[place:]
            on_path[node] = False
        for other in path:
            done[other] = True
    for cycle in reversed(cycles):
        _expand(heads, cycle)
    return heads[1:]


def _contract(arcs: Vector, heads: Indices, cycle: list[int], first: int) -> _Cycle:
    """Contract a cycle to its first node, and choose that node's head."""
    node, nodes = cycle[0], np.array(cycle)
    own = heads[nodes]
    gains = arcs[:, nodes] - arcs[own, nodes]
    entered = gains.argmax(axis=1)
    from_cycle = arcs[nodes]
    left = nodes[from_cycle.argmax(axis=0)]
    arcs[nodes] = arcs[:, nodes] = gains[nodes] = -np.inf
    arcs[:, node], arcs[node] = gains.max(axis=1), from_cycle.max(axis=0)
    arcs[node, nodes] = -np.inf
    inside = np.zeros(len(heads), dtype=bool)
    inside[nodes] = True
    heads[inside[heads]] = node
    heads[node] = arcs[first:, node].argmax() + first
    return _Cycle(nodes, own, entered, left)


def _expand(heads: Indices, cycle: _Cycle) -> None:
    """Expand a cycle again, with one of its nodes attached to the head of the whole."""
    nodes, own, entered, left = cycle
    head = heads[nodes[0]]
    attached = heads == nodes[0]
    heads[attached] = left[attached]
    heads[nodes] = own
    heads[nodes[entered[head]]] = head
