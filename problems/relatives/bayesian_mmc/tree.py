"""More than two clusters: the largest is divided until there are enough (top down)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from structsvm.problem import Indices, Vector
from structsvm.problems.relatives.bayesian_mmc.division import Division, Settings


class Branch(NamedTuple):
    """A division of the rows of one cluster; what was cluster ``parent`` keeps f <= 0.

    Attributes
    ----------
    parent : int
        Its number; rows of f > 0 get the next free one.
    rows : ndarray of shape (m,)
        Training rows in it.
    division : Division
    """

    parent: int
    rows: Indices
    division: Division


def grown(
    settings: Settings, X: Any, n_clusters: int, rng: np.random.Generator
) -> tuple[list[Branch], Indices]:
    """The branches, and the cluster of every row.

    Raises
    ------
    ValueError
        The largest cluster has but one row, or rows that are all the same.
    """
    labels = np.zeros(X.shape[0], dtype=np.intp)
    branches: list[Branch] = []
    for number in range(1, n_clusters):
        parent = int(np.bincount(labels).argmax())
        rows = np.flatnonzero(labels == parent)
        division = Division(settings, part(settings, X, rows, rows), rng)
        labels[rows[division.labels]] = number
        branches.append(Branch(parent, rows, division))
    return branches, labels


def part(settings: Settings, X: Any, rows: Any, columns: Indices) -> Any:
    """Some rows of X; of a precomputed kernel also the columns of some training rows."""
    precomputed = isinstance(settings.kernel, str) and settings.kernel == "precomputed"
    return X[rows][:, columns] if precomputed else X[rows]


def probabilities(branches: list[Branch], of_branch: list[Vector]) -> Vector:
    """Probabilities of all clusters, shape (m, n_clusters), from those of f > 0 at each branch."""
    p = np.ones((len(of_branch[0]), len(branches) + 1))
    for number, (branch, second) in enumerate(zip(branches, of_branch, strict=True), start=1):
        p[:, number] = p[:, branch.parent] * second
        p[:, branch.parent] *= 1 - second
    return p
