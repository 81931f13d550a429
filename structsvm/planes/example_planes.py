"""Planes of single examples, with one dual variable per plane."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Vector
from structsvm.data.containers import dense
from structsvm.objective import group_caps
from structsvm.planes.plane import Source, WeightedPlanes
from structsvm.planes.store import Store

#: Number of one-slack planes into which a dual solution is converted.
SHARED = 16


class StackedPlanes(Store):
    """A store of planes of single examples.

    Parameters
    ----------
    n : int
        Number of examples.
    size : int
        Length of w.

    Attributes
    ----------
    alpha : ndarray of shape (m,)
        The dual variables in units of C / n. The sum of an example's dual variables is at most 1.
    groups : ndarray of shape (m,)
        The index of each plane's example.
    """

    def __init__(self, n: int, size: int) -> None:
        super().__init__(size)
        self.n = n

    def violations(self, w: Vector) -> Vector:
        """Return b - <a, w> for every plane."""
        return np.asarray(self.offsets - self.rows @ w)

    def example_slacks(self, w: Vector) -> Vector:
        """Return the slack of every example at w, as implied by the planes, shape (n,)."""
        slacks = np.zeros(self.n)
        np.maximum.at(slacks, self.groups, self.violations(w))
        return slacks

    def slacks(self, w: Vector) -> Vector:
        """Return the mean of the examples' slacks, shape (1,).

        The mean is taken over all examples, which form one group.
        """
        return np.asarray(self.example_slacks(w).mean(keepdims=True))

    def prune(self, after: int, negligible: float = 1e-9) -> None:
        """Drop planes if their alpha has been negligible for more than ``after`` calls.

        An alpha is negligible if it is at most ``negligible`` times the largest alpha. Before
        planes are dropped, the sum of alpha for each example is reduced to at most 1.
        """
        sums = np.bincount(self.groups, self.alpha, self.n)
        self.alpha = self.alpha / np.maximum(1.0, sums)[self.groups]
        least = negligible * self.alpha.max(initial=0.0)
        self.idle = np.where(self.alpha > least, 0, self.idle + 1)
        keep = self.idle <= after
        if not keep.all():
            self.keep(keep)

    def shared(self, labels: Any, C: float) -> WeightedPlanes:
        """Return planes with one slack for all examples, which nearly reproduce the dual solution.

        The method :meth:`labellings` chooses the outputs from which each plane is computed, one
        output per example.
        """
        n, chosen = self.n, self.labellings(SHARED)
        sources = []
        for places in chosen:
            weights, outputs = np.zeros(n), [labels[i] for i in range(n)]
            weights[self.groups[places]] = 1 / n
            for j in np.flatnonzero(places):
                outputs[self.groups[j]] = self.sources[j].outputs[0]
            sources.append(Source(None, outputs, weights))
        means = sparse.csr_matrix(chosen / n)
        rows, offsets = dense(means @ self.rows), means @ self.offsets
        alpha, groups = group_caps(C, np.ones(SHARED)), np.zeros(SHARED, dtype=np.intp)
        return WeightedPlanes(rows, offsets, alpha, groups, sources)

    def labellings(self, m: int) -> Vector:
        """Select at most one plane per example, m times.

        The share of the m selections that contain a plane is close to the plane's dual variable.

        Returns
        -------
        ndarray of shape (m, len(self)), bool
        """
        order = np.argsort(self.groups, kind="stable")
        weights = self.alpha[order]
        first = np.diff(self.groups[order], prepend=-1) > 0
        total = np.cumsum(weights)
        before = (total - weights)[first]
        ends = total - before[np.cumsum(first) - 1]
        starts = np.where(first, 0.0, np.append(0.0, ends)[:-1])
        levels = (np.arange(m)[:, None] + 0.5) / m
        chosen = np.empty((m, len(self)), dtype=bool)
        chosen[:, order] = (starts <= levels) & (levels < ends)
        return chosen
