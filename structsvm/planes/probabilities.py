"""One-slack planes for a dual solution that is given by probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.planes.plane import Source


def planes_of(
    probabilities: Vector, names: Sequence[Any], C: float
) -> tuple[Vector, tuple[Source, ...]]:
    """Return the dual variables and the sources of planes.

    Each plane is computed from one output of each example.

    The first plane has the most probable output of each example. The second plane has the second
    most probable output, and so on.

    Parameters
    ----------
    probabilities : ndarray of shape (n, k)
    names : sequence
        The k outputs.
    C : float
    """
    n, k = probabilities.shape
    ranked = np.argsort(-probabilities, axis=1, kind="stable")
    weights = np.take_along_axis(probabilities, ranked, axis=1) / n
    masses = weights.sum(axis=0)
    some = np.flatnonzero(masses)
    outputs: Any = np.empty(k, dtype=object)
    for z, name in enumerate(names):  # a single assignment would split outputs that are sequences
        outputs[z] = name
    sources = (Source(None, outputs[ranked[:, r]], weights[:, r] / masses[r]) for r in some)
    return C * masses[some], tuple(sources)
