"""Maximum spanning arborescences: dependency trees of highest score.

The arc scores of a sentence of m words have shape (m, m + 1). Row j - 1 holds the scores of the
heads of word j: column 0 for the root, and column i for word i. In the row of word j, column j is
ignored.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector

#: Scores are clipped to this absolute value, so that their sums and differences are finite.
LARGEST = 1e300


def best_trees(scores: Vector, single_root: bool) -> Indices:
    """Return the heads of the best tree of each of n sentences of the same length.

    If the best heads of all words of a sentence form a tree, the best heads are returned. Sentences
    whose best heads form no tree are passed one by one to :func:`best_tree`.

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
    heads: Indices = scores.argmax(axis=2)
    for i in np.flatnonzero(~are_trees(heads, single_root)):
        heads[i] = best_tree(scores[i], single_root)
    return heads


def are_trees(heads: Indices, single_root: bool) -> Any:
    """Return, for each row of heads from 0 to m, whether it is a tree; shape (n,), bool."""
    n, m = heads.shape
    # Each round doubles the number of arcs that are followed. In a tree all paths end at the root.
    reached = np.concatenate([np.zeros((n, 1), dtype=heads.dtype), heads], axis=1)
    for _ in range(m.bit_length()):
        reached = np.take_along_axis(reached, reached, axis=1)
    trees = ~reached.any(axis=1)
    return trees & (np.count_nonzero(heads == 0, axis=1) == 1) if single_root else trees


def best_tree(scores: Vector, single_root: bool) -> Indices:
    """Return the heads of the tree of highest score, shape (m,).

    The algorithm is by Chu & Liu (Science Sinica 14, 1965) and Edmonds (Journal of Research of the
    National Bureau of Standards 71B, 1967). If the best heads of some nodes form a cycle, the cycle
    is contracted to one node. If a single root is required, all words are contracted to one node
    before the root gets an arc. The usual method, which subtracts a constant from the arcs of the
    root, would cost precision.
    """
    m = len(scores)
    arcs = np.full((m + 1, m + 1), -np.inf)  # from heads to dependents
    arcs[:, 1:] = np.clip(scores, -LARGEST, LARGEST).T
    np.fill_diagonal(arcs, -np.inf)
    heads = _best_heads(arcs, False)
    if single_root and np.count_nonzero(heads[1:] == 0) > 1:
        heads = _best_heads(arcs, True)
    return heads[1:]


def _best_heads(arcs: Vector, root_last: bool) -> Indices:
    """Return the heads in the best tree; the head of the root is given as 0.

    With ``root_last`` the tree has a single root. ``arcs`` holds the scores of arcs from heads to
    dependents, and -inf for arcs from nodes to themselves.
    """
    cycles = []
    while True:
        n = len(arcs)
        first = int(root_last and n > 2)  # the first head that may be chosen
        heads: Indices = arcs[first:].argmax(axis=0) + first
        heads[0] = 0
        cycle = _cycle(heads.tolist())
        if not cycle:
            break
        inside = np.zeros(n, dtype=bool)
        inside[cycle] = True
        rest, nodes = np.flatnonzero(~inside), np.array(cycle)
        # Gain of entering the cycle at each of its nodes, from each node outside.
        gains = arcs[rest[:, None], nodes] - arcs[heads[nodes], nodes]
        leaving = arcs[nodes[:, None], rest]
        contracted = np.full((len(rest) + 1, len(rest) + 1), -np.inf)  # the cycle comes last
        contracted[:-1, :-1] = arcs[rest[:, None], rest]
        contracted[:-1, -1], contracted[-1, :-1] = gains.max(axis=1), leaving.max(axis=0)
        cycles.append((heads, rest, nodes, gains, nodes[leaving.argmax(axis=0)]))
        arcs = contracted
    for around, rest, nodes, gains, left in reversed(cycles):
        found, heads = heads, around
        entered = gains[found[-1]].argmax()
        heads[rest] = np.where(found[:-1] < len(rest), np.append(rest, 0)[found[:-1]], left)
        heads[nodes[entered]], heads[0] = rest[found[-1]], 0
    return heads


def _cycle(heads: list[int]) -> list[int]:
    """Return the nodes of a cycle, each followed by its head, or [] if all heads lead to node 0."""
    led: dict[int, int] = {0: 0}  # the start of the path that found each node
    for start in range(1, len(heads)):
        path, node = [], start
        while node not in led:
            led[node] = start
            path.append(node)
            node = heads[node]
        if node and led[node] == start:
            return path[path.index(node) :]
    return []


def tree_max_marginals(scores: Vector, single_root: bool) -> Vector:
    """Return, for each arc, the highest score of trees with this arc, minus the highest of all.

    The module :mod:`structsvm.problems.trees.matrix_tree` sums over all trees by eliminating words.
    In this function, maxima of scores take the place of sums of weights, and sums of scores take
    the place of products of weights. Since a term cannot be subtracted from a maximum, the function
    eliminates, for each word, all other words.

    Parameters
    ----------
    scores : ndarray of shape (n, m, m + 1)
        Finite scores.
    single_root : bool

    Returns
    -------
    ndarray of shape (n, m, m + 1)
    """
    n, m, _ = scores.shape
    arcs = np.full((n, m + 1, m + 1), -np.inf)  # from heads to dependents
    arcs[:, :, 1:] = scores.transpose(0, 2, 1)
    arcs[:, np.arange(m + 1), np.arange(m + 1)] = -np.inf
    return (arcs + _derivatives(arcs, single_root))[:, :, 1:].transpose(0, 2, 1)


def _derivatives(arcs: Vector, single_root: bool) -> Vector:
    """Return the max-marginals of tree_max_marginals minus the scores of the arcs themselves."""
    size = arcs.shape[1]
    found = np.full(arcs.shape, -np.inf)
    if size == 2:
        found[:, 0, 1] = -arcs[:, 0, 1]
        return found
    words = np.arange(1, size)
    for last in (words[: size // 2], words[size // 2 :]):
        left, eliminated = arcs.copy(), []
        for k in np.setdiff1d(words, last).tolist():
            shares = left[:, :, k] - left[:, int(single_root) :, k].max(axis=1, keepdims=True)
            np.maximum(left, shares[:, :, None] + left[:, k, None], out=left)
            left[:, k] = left[:, words, words] = -np.inf
            eliminated.append((k, shares[:, :, None]))
        kept = np.append(0, last)
        found[:, kept[:, None], last] = _derivatives(left[:, kept[:, None], kept], single_root)[
            :, :, 1:
        ]
        for k, shares in reversed(eliminated):
            found[:, k, last] = (found[:, :, last] + shares).max(axis=1)
    return found
