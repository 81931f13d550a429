"""Stochastic steps on the smoothed objective, one mini-batch at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.objective import example_cap
from structsvm.oracle.minibatches import Part
from structsvm.oracle.soft_outputs import soft_outputs


class AdaGrad:
    """Steps of AdaGrad (Duchi, Hazan & Singer, JMLR 12, 2011) on the entries of w of a mini-batch.

    Parameters
    ----------
    parts : sequence of Part
    w : ndarray of shape (size,)
        The start; it is changed in place.
    C : float
    n : int
        Number of examples in all parts.
    rate : float
        The length of the first step in each entry.
    """

    def __init__(self, parts: Sequence[Part], w: Vector, C: float, n: int, rate: float) -> None:
        self.w, self._parts, self._cap, self._rate = w, parts, example_cap(C, n), rate
        self._squares = np.zeros_like(w)
        used = np.zeros_like(w)
        for part in parts:
            part.columns.add(used, np.ones(part.block.size))
        # The regulariser of an entry is divided among the mini-batches that use it.
        self._share = 1 / np.maximum(used, 1)

    def epoch(self, mu: float, rng: np.random.Generator) -> None:
        """Take a step for each mini-batch, in random order."""
        for j in rng.permutation(len(self._parts)).tolist():
            self._step(self._parts[j], mu)

    def _step(self, part: Part, mu: float) -> None:
        columns = part.columns
        w = columns.of(self.w)
        soft = soft_outputs(part.block, w, mu)
        gradient = columns.of(self._share) * w - self._cap * soft.joint_feature_difference
        squares = columns.of(self._squares) + gradient**2
        columns.set(self._squares, squares)
        # An entry without any gradient so far stays where it is.
        step = gradient / np.sqrt(squares, out=np.ones_like(squares), where=squares > 0)
        columns.set(self.w, w - self._rate * step)
