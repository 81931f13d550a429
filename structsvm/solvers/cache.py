"""The outputs found so far for every example, and the problem restricted to them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from structsvm.problem import Indices, Vector
from structsvm.separation import Found, Source, stacked
from structsvm.solvers.smoothing import Point


class OutputCache:
    """Planes of single examples, in the order of the examples, with a weight in the dual for each.

    Attributes
    ----------
    rows : ndarray or CSR matrix of shape (m, size)
        Joint-feature differences.
    offsets, examples, weights : ndarray of shape (m,)
        The losses, which example each belongs to, and its dual variable in units of C / n: those of
        one example sum to 1 at most.
    idle : ndarray of shape (m,)
        For how many passes its weight has been as good as 0.
    outputs : ndarray of object, shape (m,)
    """

    def __init__(self, size: int) -> None:
        self.rows: Any = sparse.csr_matrix((0, size))
        self.offsets: Vector = np.empty(0)
        self.weights: Vector = np.empty(0)
        self.examples: Indices = np.empty(0, dtype=np.intp)
        self.idle: Indices = np.empty(0, dtype=np.intp)
        self.outputs = np.empty(0, dtype=object)

    def __len__(self) -> int:
        return len(self.offsets)

    def scores(self, w: Vector) -> Vector:
        """The violation of every plane at w."""
        return self.offsets - self.rows @ w

    def slacks(self, w: Vector, n: int) -> Vector:
        """The slack of each of n examples as far as the planes tell."""
        slacks = np.zeros(n)
        np.maximum.at(slacks, self.examples, self.scores(w))
        return slacks

    def magnitude(self, w: Vector) -> float:
        """The size of the terms whose difference a violation at w is, for rounding."""
        if not len(self):
            return 0.0
        squares = self.rows.power(2) if sparse.issparse(self.rows) else self.rows**2
        longest = np.sqrt(squares.sum(axis=1).max())
        return float(np.abs(self.offsets).max() + longest * np.linalg.norm(w))

    def add(self, examples: Indices, found: Found) -> None:
        """Keep what was found for these examples, as far as it comes with a plane."""
        new = found.violated
        self.rows = stacked([self.rows, found.rows])
        self.offsets = np.append(self.offsets, found.losses[new])
        self.weights = np.append(self.weights, np.zeros(len(new)))
        self.idle = np.append(self.idle, np.zeros(len(new), dtype=np.intp))
        self.examples = np.append(self.examples, examples[new])
        kept = np.empty(len(new), dtype=object)
        kept[:] = [found.outputs[i] for i in new.tolist()]
        self.outputs = np.append(self.outputs, kept)
        self._take(np.argsort(self.examples, kind="stable"))

    def prune(self, after: int, negligible: float = 1e-9) -> None:
        """Drop planes that have had no weight to speak of for more than so many calls."""
        self.idle = np.where(self.weights > negligible, 0, self.idle + 1)
        keep = np.flatnonzero(self.idle <= after)
        if len(keep) < len(self):
            self._take(keep)

    def labellings(self, m: int) -> Vector:
        """m choices of a plane for every example, or of none, whose mean is nearly the weights.

        An example's choice at a level between 0 and 1 is the plane where the sum of its weights
        passes that level.

        Returns
        -------
        ndarray of shape (m, len(self)), bool
        """
        first = np.diff(self.examples, prepend=-1) > 0
        total = np.cumsum(self.weights)
        before = (total - self.weights)[first]
        ends = total - before[np.cumsum(first) - 1]
        starts = np.where(first, 0.0, np.append(0.0, ends)[:-1])
        levels = (np.arange(m)[:, None] + 0.5) / m
        return (starts <= levels) & (levels < ends)

    def sources(self) -> tuple[Source, ...]:
        """Where each plane comes from, as a result keeps it."""
        one = np.ones(1)
        pairs = zip(self.examples.tolist(), self.outputs, strict=True)
        return tuple(Source(i, [output], one) for i, output in pairs)

    def _take(self, keep: Indices) -> None:
        self.rows = self.rows[keep]
        self.offsets, self.weights = self.offsets[keep], self.weights[keep]
        self.examples, self.idle = self.examples[keep], self.idle[keep]
        self.outputs = self.outputs[keep]


class RestrictedObjective:
    """The smoothed objective with the slacks that the planes of a cache tell, for :class:`Descent`.

    Parameters
    ----------
    cache : OutputCache
        Its weights follow the dual solution of the descent.
    C : float
    n : int
        Number of examples.
    """

    def __init__(self, cache: OutputCache, C: float, n: int) -> None:
        self.cache, self.C, self.n = cache, C, n
        self._starts = np.flatnonzero(np.diff(cache.examples, prepend=-1))
        sizes = np.diff(self._starts, append=len(cache))
        self._group = np.repeat(np.arange(len(sizes)), sizes)

    def at(self, w: Vector, mu: float) -> Point:
        cache, share = self.cache, self.C / self.n
        scores = cache.scores(w)
        slacks = np.maximum(np.maximum.reduceat(scores, self._starts), 0)
        p = np.exp((scores - slacks[self._group]) / mu)
        partition = np.exp(-slacks / mu) + np.bincount(self._group, p)
        p /= partition[self._group]
        soft = slacks + mu * np.log(partition)
        return Point.of(
            w,
            v=share * (p @ cache.rows),
            linear=share * float(p @ cache.offsets),
            slack=share * float(slacks.sum()),
            soft_slack=share * float(soft.sum()),
            soft_slacks=soft,
            distribution=p,
        )

    def mix(self, point: Point, share: float) -> None:
        self.cache.weights += share * (point.distribution - self.cache.weights)

    def dual_solution(self) -> tuple[Vector, float]:
        """v and l of the weights, made anew."""
        share, weights = self.C / self.n, self.cache.weights
        return share * (weights @ self.cache.rows), share * float(weights @ self.cache.offsets)
