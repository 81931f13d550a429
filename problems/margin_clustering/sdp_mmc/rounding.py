"""Rounding: labels from the matrix of the relaxation."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

from structsvm.data.arrays import Vector
from structsvm.problems.margin_clustering.ranking import ROUNDING, ranked
from structsvm.problems.margin_clustering.sdp_mmc.divisions import graph_divisions
from structsvm.problems.margin_clustering.sdp_mmc.packing import packed_signs
from structsvm.problems.margin_clustering.sdp_mmc.relaxation import Relaxation

logger = logging.getLogger(__name__)

#: Rounding error allowed when the balance is compared with its limit, relative to the limit.
OF_BALANCE = 1e-12
#: Numbers of leading eigenvectors that draws use, alternating with all eigenvectors: where M is
#: undecided the others are noise.
RANKS = (8, 5, 3)
#: Random labellings that are drawn.
DRAWS = 1000
#: Drawn labellings for which f is computed.
TRIED = 100


class Rounded(NamedTuple):
    """Labels of the nodes and their objective.

    Attributes
    ----------
    z : ndarray of shape (n_nodes,)
        +1 or -1.
    value : float
        f(y y').
    lam : ndarray of shape (n,)
        The lambda that attains f.
    """

    z: Vector
    value: float
    lam: Vector


def soft_assignment(relaxation: Relaxation, Z: Vector) -> Vector:
    """sqrt(mu) v of the largest eigenvalue mu of M and its eigenvector v, for each node.

    It is the soft assignment of Xu et al. A node of m rows counts m times, as in M.
    """
    # M repeats the row of a node for each of its rows. The smaller matrix below has the same
    # non-zero eigenvalues.
    weights = np.sqrt(np.bincount(relaxation.groups.nodes))
    last = relaxation.n_nodes - 1
    values, vectors = eigh(Z * np.outer(weights, weights), subset_by_index=[last, last])
    return np.sqrt(max(values[0], 0.0)) * vectors[:, 0] / weights


def candidates(relaxation: Relaxation, Z: Vector) -> list[Vector]:
    """Values of the nodes whose signs are labels to try: two of M's, the rest of a graph."""
    # The column of the largest node is the similarity to the labelled rows, if any.
    column = Z[np.bincount(relaxation.groups.nodes).argmax()]
    return [soft_assignment(relaxation, Z), column, *graph_divisions(relaxation)]


def rounded(
    relaxation: Relaxation, values: list[Vector], Z: Vector, rng: np.random.Generator
) -> Rounded | None:
    """The labels of least f within the balance, by the signs of the candidates and of draws.

    A draw is a Gaussian vector with covariance Z (Goemans & Williamson, Journal of the ACM 42,
    1995) or, alternating, a low-rank part of Z. Where the balance requires it, nodes of small
    absolute value change their sign. With equal lambda f is at least n^2 / (y' K y), so f is
    computed only for the draws of largest y' K y.

    Where none of them meets the balance, labels by the sizes of the nodes are tried. Returns the
    best so far after Ctrl-C, and None if no candidate meets the balance.
    """
    chosen = _distinct(relaxation, values)
    draws = _distinct(relaxation, _draws(Z, rng))
    K = relaxation.groups.summed(relaxation.K)
    best = ranked(draws.items(), lambda item: -float(item[1] @ K @ item[1]))[:TRIED]
    found = chosen | dict(best) or _distinct(relaxation, [packed_signs(relaxation.sizes)])
    return _of_least_f(relaxation, found.values())


def beyond_balance(relaxation: Relaxation, values: list[Vector]) -> Rounded | None:
    """The labels of least f among the candidates whose signs exceed the balance."""
    signs = [np.where(value >= 0, 1.0, -1.0) for value in values]
    totals = [abs(float(relaxation.sizes @ z)) for z in signs]
    beyond = [
        z
        for z, total in zip(signs, totals, strict=True)
        if relaxation.limit * (1 + OF_BALANCE) < total < relaxation.n
    ]
    return _of_least_f(relaxation, beyond)


def _of_least_f(relaxation: Relaxation, labels: Iterable[Vector]) -> Rounded | None:
    best: Rounded | None = None
    try:
        for z in labels:
            value, lam = relaxation.margin(np.outer(z, z))
            if best is None or value < best.value * (1 - ROUNDING):
                best = Rounded(z, value, lam)
    except KeyboardInterrupt:
        if best is None:
            raise
        logger.warning("interrupted from the keyboard while rounding; the best so far is kept")
    return best


def _distinct(relaxation: Relaxation, values: Iterable[Vector]) -> dict[bytes, Vector]:
    """The balanced signs of all values, without repeats up to exchanging the clusters."""
    found: dict[bytes, Vector] = {}
    for value in values:
        z = balanced(value, relaxation.sizes, relaxation.limit)
        if z is not None:
            # y and -y are the same clustering: the first node gets +1.
            z *= z[0]
            found[z.tobytes()] = z
    return found


def _draws(Z: Vector, rng: np.random.Generator) -> Iterator[Vector]:
    values, vectors = eigh(Z)
    # Symmetric roots: eigenvectors alone have signs that rounding decides.
    roots = [_root(values[-rank:], vectors[:, -rank:]) for rank in (len(Z), *RANKS)]
    for number in range(DRAWS):
        yield roots[number % len(roots)] @ rng.standard_normal(len(Z))


def _root(values: Vector, vectors: Vector) -> Vector:
    return (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T


def balanced(values: Vector, sizes: Vector, limit: float) -> Vector | None:
    """The signs of values, +1 for 0, changed where necessary to meet the balance.

    The values of smallest magnitude change first, until the sum of sizes times signs is within the
    limit. None if it cannot be reached in this way.
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
