"""More than two clusters, top down: the largest is divided until there are enough."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from structsvm.problem import Indices, Vector
from structsvm.problems.relatives.bayesian_mmc.division import Division, Settings


class Branch(NamedTuple):
    """A division of one cluster: rows with f <= 0 stay in it, the others form a new cluster.

    Attributes
    ----------
    parent : int
        The number of the divided cluster; the new one has the next free number.
    rows : ndarray of shape (m,)
        The training rows of the divided cluster.
    division : Division
    """

    parent: int
    rows: Indices
    division: Division


def grown(
    settings: Settings, X: Any, n_clusters: int, rng: np.random.Generator
) -> tuple[list[Branch], Indices]:
    """The branches that make ``n_clusters`` clusters, and the cluster of every row.

    Raises
    ------
    ValueError
        The largest cluster has a single row, or its rows are all the same.
    """
    labels = np.zeros(X.shape[0], dtype=np.intp)
    branches: list[Branch] = []
    for number in range(1, n_clusters):
        parent = int(np.bincount(labels).argmax())
        rows = np.flatnonzero(labels == parent)
        division = Division(settings, submatrix(settings, X, rows, rows), rng)
        labels[rows[division.labels]] = number
        branches.append(Branch(parent, rows, division))
    return branches, labels


def submatrix(settings: Settings, X: Any, rows: Any, columns: Indices) -> Any:
    """Some rows of X; for a precomputed kernel, only the columns of these training rows."""
    precomputed = isinstance(settings.kernel, str) and settings.kernel == "precomputed"
    return X[rows][:, columns] if precomputed else X[rows]


def probabilities(branches: list[Branch], of_branch: list[Vector]) -> Vector:
    """Probabilities of all clusters, shape (m, n_clusters), from those of f > 0 at each branch."""
    p = np.ones((len(of_branch[0]), len(branches) + 1))
    for number, (branch, second) in enumerate(zip(branches, of_branch, strict=True), start=1):
        # In this order: the new cluster needs the parent's probability before it is reduced.
        p[:, number] = p[:, branch.parent] * second
        p[:, branch.parent] *= 1 - second
    return p
