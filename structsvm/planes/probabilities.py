"""A dual solution that consists of probabilities of the outputs, as planes of one slack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.planes.plane import Source


def planes_of(
    probabilities: Vector, names: Sequence[Any], C: float
) -> tuple[Vector, tuple[Source, ...]]:
    """The dual variables and the sources of the planes; a source names an output per example.

    The first has the most probable output of each example, and so on.

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
    for z, name in enumerate(names):  # at once, outputs that are sequences would be taken apart
        outputs[z] = name
    sources = (Source(None, outputs[ranked[:, r]], weights[:, r] / masses[r]) for r in some)
    return C * masses[some], tuple(sources)
