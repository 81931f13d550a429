"""Planes of single examples, each with a weight in the dual.

The planes belong to outputs that the oracle found earlier: a cache of outputs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import dense
from structsvm.objective import group_caps
from structsvm.planes.plane import Source, WeightedPlanes, magnitude
from structsvm.planes.rows import Rows
from structsvm.planes.whole import whole

#: Number of one-slack planes into which a dual solution is converted.
SHARED = 16


class StackedPlanes:
    """All planes as the rows of one matrix, in the order in which they were added.

    Each example is a group of its own.

    Attributes
    ----------
    n : int
        Number of examples.
    examples, weights : ndarray of shape (m,)
        The example of each plane, and the plane's dual variable in units of C / n: the sum for an
        example is at most 1.
    rows : ndarray or CSR matrix of shape (m, size)
        Joint-feature differences.
    offsets : ndarray of shape (m,)
        The losses, less the rows' products with a prior.
    idle : ndarray of shape (m,)
        For how many calls of :meth:`prune` the weight has been negligible.
    """

    def __init__(self, n: int, size: int) -> None:
        self.n = n
        self._rows = Rows(size)
        self.offsets: Vector = np.empty(0)
        self.weights = np.empty(0)
        self.examples = np.empty(0, dtype=np.intp)
        self.idle: Indices = np.empty(0, dtype=np.intp)
        self._sources: list[Source] = []  # kept, since every pass needs all of them

    def __len__(self) -> int:
        return len(self.offsets)

    @property
    def rows(self) -> Any:
        return self._rows.matrix

    @property
    def outputs(self) -> list[Any]:
        """The output of every plane."""
        return [source.outputs[0] for source in self._sources]

    def sources(self) -> tuple[Source, ...]:
        """The source of every plane."""
        return tuple(self._sources)

    def violations(self, w: Vector) -> Vector:
        """b - <a, w> of every plane."""
        return self.offsets - self.rows @ w

    def example_slacks(self, w: Vector) -> Vector:
        """The slack of every example at w that the planes imply, shape (n,)."""
        slacks = np.zeros(self.n)
        np.maximum.at(slacks, self.examples, self.violations(w))
        return slacks

    def slacks(self, w: Vector) -> Vector:
        """The mean of these slacks, shape (1,): all examples as one group."""
        return self.example_slacks(w).mean(keepdims=True)

    def magnitude(self, w: Vector) -> float:
        """The size of the terms of a violation at w, for its rounding error."""
        return magnitude(self.offsets, float(self._rows.lengths.max()), w) if len(self) else 0.0

    def add(self, examples: Indices, rows: Any, offsets: Vector, outputs: list[Any]) -> None:
        """Add planes of these examples, with weight 0."""
        with whole(self):
            self._rows = self._rows.and_more(rows)
            self.offsets = np.append(self.offsets, offsets)
            self.weights = np.append(self.weights, np.zeros(len(offsets)))
            self.idle = np.append(self.idle, np.zeros(len(offsets), dtype=np.intp))
            self.examples = np.append(self.examples, examples)
            self._sources = [*self._sources, *_sources(examples, outputs)]

    def prune(self, after: int, negligible: float = 1e-9) -> None:
        """Drop planes whose weight has been negligible for more than ``after`` calls.

        A weight is negligible if it is at most this fraction of the largest. The sum for an example
        is at most 1 again.
        """
        sums = np.bincount(self.examples, self.weights, self.n)
        self.weights = self.weights / np.maximum(1.0, sums)[self.examples]
        least = negligible * self.weights.max(initial=0.0)
        self.idle = np.where(self.weights > least, 0, self.idle + 1)
        keep = np.flatnonzero(self.idle <= after)
        if len(keep) == len(self):
            return
        with whole(self):
            self._rows = self._rows.part(keep)
            self.offsets, self.weights = self.offsets[keep], self.weights[keep]
            self.examples, self.idle = self.examples[keep], self.idle[keep]
            self._sources = [self._sources[j] for j in keep]

    def shared(self, labels: Any, C: float) -> WeightedPlanes:
        """Planes of one slack for all examples with nearly the same dual solution.

        Each is made from one output for every example, chosen by :meth:`labellings`.
        """
        n, chosen, found = self.n, self.labellings(SHARED), self.outputs
        sources = []
        for places in chosen:
            weights, outputs = np.zeros(n), [labels[i] for i in range(n)]
            weights[self.examples[places]] = 1 / n
            for j in np.flatnonzero(places):
                outputs[self.examples[j]] = found[j]
            sources.append(Source(None, outputs, weights))
        means = sparse.csr_matrix(chosen / n)
        rows, offsets = dense(means @ self.rows), means @ self.offsets
        alpha, groups = group_caps(C, np.ones(SHARED)), np.zeros(SHARED, dtype=np.intp)
        return WeightedPlanes(rows, offsets, alpha, groups, sources)

    def labellings(self, m: int) -> Vector:
        """m choices of at most one plane per example, whose mean is nearly the weights.

        The choice at a level between 0 and 1 is the plane at which the running sum of the example's
        weights passes the level.

        Returns
        -------
        ndarray of shape (m, len(self)), bool
        """
        order = np.argsort(self.examples, kind="stable")
        weights = self.weights[order]
        first = np.diff(self.examples[order], prepend=-1) > 0
        total = np.cumsum(weights)
        before = (total - weights)[first]
        ends = total - before[np.cumsum(first) - 1]
        starts = np.where(first, 0.0, np.append(0.0, ends)[:-1])
        levels = (np.arange(m)[:, None] + 0.5) / m
        chosen = np.empty((m, len(self)), dtype=bool)
        chosen[:, order] = (starts <= levels) & (levels < ends)
        return chosen


def _sources(examples: Indices, outputs: list[Any]) -> Iterator[Source]:
    """The sources of planes of these outputs, each of one example."""
    one = np.ones(1)
    pairs = zip(examples.tolist(), outputs, strict=True)
    return (Source(i, [output], one) for i, output in pairs)
