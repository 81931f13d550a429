"""Known labels of two classes by their indices."""

from __future__ import annotations

import numpy as np

from structsvm.data.arrays import Indices
from structsvm.problems.margin_clustering.annotation import UNKNOWN


def coded(known: Indices | None, n: int, n_clusters: int) -> tuple[Indices, Indices]:
    """The classes, and for each row the index of its label among them, or -1."""
    if known is None:
        return np.arange(n_clusters), np.full(n, UNKNOWN)
    classes = np.unique(known[known != UNKNOWN])
    if len(classes) != 2:
        raise ValueError(
            f"the known labels must be of two classes; got {classes.tolist()}. Mark rows of "
            f"unknown label with {UNKNOWN}"
        )
    return classes, np.where(known == UNKNOWN, UNKNOWN, np.searchsorted(classes, known))


def anchored(codes: Indices) -> tuple[int, float]:
    """A row and its sign: a labelled row with its label's sign, or the first row with -1."""
    labelled = np.flatnonzero(codes != UNKNOWN)
    return (int(labelled[0]), 2.0 * codes[labelled[0]] - 1) if len(labelled) else (0, -1.0)
