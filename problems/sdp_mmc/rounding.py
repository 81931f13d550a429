"""From the relaxation's matrix to labels."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

from structsvm.problem import Vector
from structsvm.problems.sdp_mmc.relaxation import Relaxation

logger = logging.getLogger(__name__)


class Rounded(NamedTuple):
    """Labels of the nodes, and of what they are worth.

    Attributes
    ----------
    z : ndarray of shape (n_nodes,)
        +1 or -1.
    value : float
        f(y y').
    lam : ndarray of shape (n,)
        That attains it.
    """

    z: Vector
    value: float
    lam: Vector


def soft_assignment(relaxation: Relaxation, Z: Vector) -> Vector:
    """sqrt(mu) v of the largest eigenvalue mu of M and its eigenvector v, for each node.

    It is the soft assignment of Xu et al. Nodes of m rows count m times, as they do in M.
    """
    weights = np.sqrt(np.bincount(relaxation.groups.nodes))
    last = relaxation.n_nodes - 1
    values, vectors = eigh(Z * np.outer(weights, weights), subset_by_index=[last, last])
    return np.sqrt(max(values[0], 0.0)) * vectors[:, 0] / weights


def rounded(
    relaxation: Relaxation, Z: Vector, n_draws: int, rng: np.random.Generator
) -> Rounded | None:
    """The best labels within the balance that the leading eigenvector, a column and draws give.

    A draw takes the signs of a Gaussian vector of covariance Z (Goemans & Williamson, Journal of
    the ACM 42, 1995). Where the balance asks for it, nodes of small values change their sign. It
    is None if that never meets the balance. Ctrl-C ends it with the best so far.
    """
    best: Rounded | None = None
    tried: set[bytes] = set()
    try:
        for values in _values(relaxation, Z, n_draws, rng):
            z = balanced(values, relaxation.sizes, relaxation.limit)
            if z is None or (z * z[0]).tobytes() in tried:
                continue
            tried.add((z * z[0]).tobytes())
            value, lam = relaxation.margin(np.outer(z, z))
            if best is None or value < best.value:
                best = Rounded(z, value, lam)
    except KeyboardInterrupt:
        if best is None:
            raise
        logger.warning("interrupted from the keyboard after rounding to %d labellings", len(tried))
    return best


def _values(
    relaxation: Relaxation, Z: Vector, n_draws: int, rng: np.random.Generator
) -> Iterator[Vector]:
    yield soft_assignment(relaxation, Z)
    yield Z[np.bincount(relaxation.groups.nodes).argmax()]  # who is with the labelled rows, if any
    values, vectors = eigh(Z)
    roots = vectors * np.sqrt(np.maximum(values, 0))
    for _ in range(n_draws):
        yield roots @ rng.standard_normal(len(Z))


def balanced(values: Vector, sizes: Vector, limit: float) -> Vector | None:
    """The signs of values, +1 for 0, those of smallest magnitude changed until the sum of
    sizes times signs is within the limit; None if they do not get there.
    """
    z = np.where(values >= 0, 1.0, -1.0)
    total = float(sizes @ z)
    for node in np.argsort(np.abs(values), kind="stable"):
        if abs(total) <= limit:
            break
        changed = total - 2 * sizes[node] * z[node]
        if abs(changed) < abs(total):
            z[node], total = -z[node], changed
    return z if abs(total) <= limit * (1 + 1e-12) else None
