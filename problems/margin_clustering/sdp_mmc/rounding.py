"""Round scores of the nodes to balanced labels with a small value of the objective f."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.labels import in_order
from structsvm.problems.margin_clustering.ranking import ROUNDING, ranked
from structsvm.problems.margin_clustering.sdp_mmc.candidates import candidates, draws
from structsvm.problems.margin_clustering.sdp_mmc.program import Program

logger = logging.getLogger(__name__)

#: Allowed rounding error in the comparison of the balance with its limit, relative to the limit.
OF_BALANCE = 1e-12
#: Largest number of steps of an improvement, and of sets of moves that a step tries.
STEPS, HALVINGS = 10, 3
#: Relative gap to which f is computed for a comparison.
COMPARED_RTOL = 1e-3
#: Labels are improved only if f is at most this multiple of the least f.
WORTH_IMPROVING = 1.2


class Labelling(NamedTuple):
    """Labels of the nodes and their objective.

    Attributes
    ----------
    labels : ndarray of shape (n_nodes,)
        Cluster index of each node, starting at 0.
    value : float
        The objective of the labels.
    lam : ndarray of shape (n,)
        The dual variables lambda that attain the objective of the labels.
    """

    labels: Indices
    value: float
    lam: Vector


def best_labels(
    program: Program, result: Any, X: Any, rng: np.random.Generator
) -> tuple[Labelling, Labelling | None]:
    """Return the best balanced labels, and better labels that are not balanced, if any are found.

    If no unbalanced labels have a lower objective than the balanced labels, the function returns
    None in place of unbalanced labels. With more than two clusters, the function always returns
    None in place of unbalanced labels.

    Parameters
    ----------
    program : Program
    result : RelaxationResult or LowRankResult
    X : matrix of shape (n, n_features)
        Rows whose distances increase with the distances in the feature space of the kernel.
    rng : Generator

    Raises
    ------
    ValueError
        If no labels are found within the balance.
    """
    scores = candidates(program, result, X, rng)
    best = rounded(program, scores, draws(program, result, rng))
    if best is None:
        raise ValueError(
            f"no labelling was found within balance={program.balance:g} that satisfies the links, "
            "which does not prove that there is none; raise balance, or remove links"
        )
    two = program.n_clusters == 2
    return best, beyond_balance(program, scores, best.value) if two else None


def rounded(
    program: Program, candidates: Iterable[Vector], draws: Iterable[Vector]
) -> Labelling | None:
    """Return the labels of least objective, or None if no labels satisfy the balance.

    Among labels drawn at random, the objective f is computed only for the labels that fit the
    kernel best, by ``Program.similarity``. If no scores yield balanced labels, the function tries
    labels computed only from the sizes of the nodes.

    The best few labellings are improved. A support vector machine is trained on the labels, and
    scores each node for each cluster. Each node moves to the cluster of its highest score, as far
    as the balance constraint allows. As long as the objective decreases, the nodes are scored and
    moved again. If moving all nodes does not lower the objective, only half of the nodes move: the
    nodes whose scores increase most. After Ctrl-C the best labels so far are returned.
    """
    chosen = _most_similar(program, candidates)
    drawn = _most_similar(program, draws)[: program.tried]
    found: list[Labelling] = []
    try:
        for labels in [*chosen, *drawn] or _by_sizes(program):
            least = min((one.value for one in found), default=np.inf)
            found.append(compared(program, labels, WORTH_IMPROVING * least))
        for start in _least_first(found)[: program.improved]:
            found.extend(improvements(program, start))
    except KeyboardInterrupt:
        if not found:
            raise
        logger.warning("interrupted from the keyboard while rounding; the best so far is kept")
    return _least(program, found) if found else None


def beyond_balance(program: Program, candidates: Iterable[Vector], most: float) -> Labelling | None:
    """Return the unbalanced labels of least objective f, or None if f is above ``most``."""
    found = []
    for scores in candidates:
        labels = scores.argmax(axis=1)
        if _largest_difference(program) < program.difference(labels) < program.n:
            found.append(compared(program, labels, most))
    found = [one for one in found if one.value <= most]
    return _least(program, found) if found else None


def compared(program: Program, labels: Indices, most: float) -> Labelling:
    """Return the labels with their objective, which may be inexact if it exceeds ``most``."""
    return Labelling(labels, *program.label_margin(labels, COMPARED_RTOL, most))


def _least(program: Program, found: list[Labelling]) -> Labelling:
    """Recompute the lowest objectives more exactly; return the labels of least objective."""
    most = (1 + COMPARED_RTOL) * min(one.value for one in found)
    near = [one.labels for one in found if one.value <= most]
    return _least_first([Labelling(labels, *program.label_margin(labels)) for labels in near])[0]


def _least_first(found: list[Labelling]) -> list[Labelling]:
    return ranked(found, lambda one: one.value)


def _most_similar(program: Program, scores: Iterable[Vector]) -> list[Indices]:
    """Round scores to distinct balanced labels, sorted by decreasing ``Program.similarity``."""
    found: dict[bytes, Indices] = {}
    for one in scores:
        labels = balanced(program, one)
        if labels is not None:
            found.setdefault(in_order(labels).tobytes(), labels)
    return ranked(found.values(), lambda labels: -program.similarity(labels))


# ---------------------------------------------------------------------- the balance


def balanced(program: Program, scores: Vector) -> Indices | None:
    """Return each node's cluster of highest score, changed as needed to balance cluster sizes.

    With more than two clusters, nodes move from the largest cluster to the smallest cluster,
    starting with the nodes that lose the least score. If no node can move to the smallest cluster,
    one call of :func:`evened` makes the cluster sizes more equal. If the cluster sizes remain
    unbalanced, return None.
    """
    if program.n_clusters == 2:
        z = balanced_signs(scores[:, 1] - scores[:, 0], program.sizes, program.limit)
        return None if z is None else (z > 0).astype(np.intp)
    labels: Indices | None = scores.argmax(axis=1)
    while labels is not None and not _allowed(program, labels):
        moved = _moved(program, labels, scores)
        labels = evened(labels, program.sizes, scores) if moved is None else moved
    return labels


def balanced_signs(values: Vector, sizes: Vector, limit: float) -> Vector | None:
    """Return the signs of values (+1 for 0), changed as needed to balance cluster sizes.

    The clusters are balanced if ``abs(sizes @ signs)`` is at most ``limit``. Signs of values near 0
    change first. If the changed signs leave the clusters unbalanced, return None.
    """
    z = np.where(values >= 0, 1.0, -1.0)
    total = float(sizes @ z)
    for node in np.argsort(np.abs(values), kind="stable"):
        if abs(total) <= limit:
            break
        changed = total - 2 * sizes[node] * z[node]
        if abs(changed) < abs(total):
            z[node], total = -z[node], changed
    return z if abs(total) <= limit * (1 + OF_BALANCE) else None


def _moved(program: Program, labels: Indices, scores: Vector) -> Indices | None:
    """Move a node from the largest cluster to the smallest; return None if no node can move."""
    counts = program.sizes  # with more than two clusters no sign is negative
    totals = np.bincount(labels, counts, program.n_clusters)
    largest, smallest = totals.argmax(), totals.argmin()
    # Moving a larger node would only exchange the two clusters.
    nodes = np.flatnonzero((labels == largest) & (counts < totals[largest] - totals[smallest]))
    if not len(nodes):
        return None
    loss = scores[nodes, largest] - scores[nodes, smallest]
    labels = labels.copy()
    labels[nodes[loss.argmin()]] = smallest
    return labels


def _by_sizes(program: Program) -> list[Indices]:
    labels = packed(np.abs(program.sizes), program.n_clusters)
    if program.n_clusters == 2:
        labels = np.where(program.sizes >= 0, labels, 1 - labels)
    return [labels] if _allowed(program, labels) else []


def _allowed(program: Program, labels: Indices) -> bool:
    """Whether the labels meet the balance, and no cluster is empty."""
    difference, k = program.difference(labels), program.n_clusters
    # With two clusters, a node may have rows in both.
    used = difference < program.n if k == 2 else np.bincount(labels, minlength=k).all()
    return bool(used and difference <= _largest_difference(program))


def _largest_difference(program: Program) -> float:
    # The sum of n codes has rounding errors, even if all clusters have the same size.
    return program.limit * (1 + OF_BALANCE) + float(np.finfo(np.float64).eps) * program.n


# ---------------------------------------------------------------------- sizes of nodes


def packed(sizes: Vector, k: int) -> Indices:
    """Assign nodes to clusters of nearly equal sizes; return the cluster of each node.

    In order of decreasing size, each node is added to the cluster that is smallest at that time.
    Finally, clusters exchange nodes to make the sizes of the clusters more equal. If at least ``k``
    entries of ``sizes`` are positive, no cluster is empty.
    """
    labels, totals = np.empty(len(sizes), dtype=np.intp), np.zeros(k)
    for node in np.argsort(-sizes, kind="stable"):
        labels[node] = totals.argmin()
        totals[labels[node]] += sizes[node]
    indifferent = np.zeros((len(sizes), k))
    while (better := evened(labels, sizes, indifferent)) is not None:
        labels = better
    return labels


def evened(labels: Indices, sizes: Vector, scores: Vector) -> Indices | None:
    """Make the exchange that equalises cluster sizes most, or return None if there is none.

    Parameters
    ----------
    labels : ndarray of shape (n_nodes,)
        The cluster of each node.
    sizes : ndarray of shape (n_nodes,)
        The size of each node, >= 0.
    scores : ndarray of shape (n_nodes, k)
        Scores of the nodes. Among nodes of equal size in a cluster, the node that loses the least
        score moves.
    """
    totals = np.bincount(labels, sizes, scores.shape[1])
    best, exchange = 0.0, None
    for a, b in np.argwhere(totals[:, None] > totals).tolist():
        # A node of the larger cluster a moves to b, in exchange for a node of b or for none.
        leaving, returning = np.unique(sizes[labels == a]), np.unique(sizes[labels == b])
        returning = np.append(0.0, returning)
        moved = leaving[:, None] - returning
        # Half the decrease of the sum of the squared sizes of the clusters.
        gains = moved * (totals[a] - totals[b] - moved)
        i, j = np.unravel_index(gains.argmax(), gains.shape)
        if gains[i, j] > best:
            best, exchange = gains[i, j], ((a, b, leaving[i]), (b, a, returning[j]))
    if exchange is None:
        return None
    changed = labels.copy()
    for source, target, size in exchange:
        if size:
            nodes = np.flatnonzero((labels == source) & (sizes == size))
            loss = scores[nodes, source] - scores[nodes, target]
            changed[nodes[loss.argmin()]] = target
    return changed


# ---------------------------------------------------------------------- improvements


def improvements(program: Program, start: Labelling) -> Iterator[Labelling]:
    """Yield improved labels; the objective f decreases from each labelling to the next."""
    for _ in range(STEPS):
        found = _improved(program, start)
        if found is None:
            return
        yield found
        start = found


def _improved(program: Program, start: Labelling) -> Labelling | None:
    """Move nodes to clusters of higher score; return None if the objective f does not fall."""
    scores = program.node_scores(start.labels, start.lam)
    own = np.arange(len(scores)), start.labels
    for _ in range(HALVINGS):
        labels = balanced(program, scores)
        if labels is None or np.array_equal(labels, start.labels):
            return None
        found = compared(program, labels, start.value)
        if found.value < start.value * (1 - ROUNDING):
            return found
        moved = labels != start.labels
        gains = scores[moved, labels[moved]] - scores[own][moved]
        # A node that gains less than the median stays.
        scores[own] += max(float(np.median(gains)), 0.0) * (1 + ROUNDING)
    return None
