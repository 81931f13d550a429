"""Planes of single examples, each with a weight in the dual.

The planes belong to outputs that the oracle found earlier: a cache of outputs. There are two
layouts of the store: :class:`StackedPlanes` for products with all planes at once,
:class:`ListedPlanes` for steps of one example at a time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import dense
from structsvm.objective import group_caps
from structsvm.planes.plane import SPARSE, Source, WeightedPlanes, magnitude
from structsvm.planes.rows import Rows
from structsvm.planes.whole import whole

#: Number of one-slack planes into which a dual solution is converted.
SHARED = 16


class ExamplePlanes(ABC):
    """Planes by example; each example is a group of its own.

    Attributes
    ----------
    n : int
        Number of examples.
    examples, weights : ndarray of shape (m,)
        The example of each plane, and the plane's dual variable in units of C / n: the sum for an
        example is at most 1.
    """

    n: int
    examples: Indices
    weights: Vector

    @abstractmethod
    def __len__(self) -> int:
        """The number of planes."""

    @abstractmethod
    def violations(self, w: Vector) -> Vector:
        """b - <a, w> of every plane."""

    def example_slacks(self, w: Vector) -> Vector:
        """The slack of every example at w that the planes imply, shape (n,)."""
        slacks = np.zeros(self.n)
        np.maximum.at(slacks, self.examples, self.violations(w))
        return slacks

    def slacks(self, w: Vector) -> Vector:
        """The mean of these slacks, shape (1,): all examples as one group."""
        return self.example_slacks(w).mean(keepdims=True)

    @abstractmethod
    def sources(self) -> tuple[Source, ...]:
        """The source of every plane."""

    @abstractmethod
    def matrix(self, size: int) -> tuple[Any, Vector]:
        """The rows of all planes, dense or CSR, shape (m, size), and their offsets."""

    @property
    def outputs(self) -> list[Any]:
        """The output of every plane."""
        return [source.outputs[0] for source in self.sources()]

    def shared(self, labels: Any, size: int, C: float) -> WeightedPlanes:
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
        rows, offsets = self.matrix(size)
        means = sparse.csr_matrix(chosen / n)
        alpha, groups = group_caps(C, np.ones(SHARED)), np.zeros(SHARED, dtype=np.intp)
        return WeightedPlanes(dense(means @ rows), means @ offsets, alpha, groups, sources)

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


class StackedPlanes(ExamplePlanes):
    """All planes as the rows of one matrix, in the order in which they were added.

    Attributes
    ----------
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

    def sources(self) -> tuple[Source, ...]:
        return tuple(self._sources)

    def violations(self, w: Vector) -> Vector:
        return self.offsets - self.rows @ w

    def matrix(self, size: int) -> tuple[Any, Vector]:
        return self.rows, self.offsets

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


class OwnPlane:
    """The row and offset of one plane; the row is sparse if that is smaller."""

    __slots__ = ("offset", "output", "values", "where")

    def __init__(self, where: Any, values: Vector, offset: float, output: Any) -> None:
        self.where, self.values, self.offset, self.output = where, values, offset, output

    @classmethod
    def of(cls, rows: Any, k: int, offset: float, output: Any) -> OwnPlane:
        """The k-th row of a matrix, dense or CSR; a copy, so that the matrix can be freed."""
        if sparse.issparse(rows):
            part = slice(rows.indptr[k], rows.indptr[k + 1])
            return cls(rows.indices[part].copy(), rows.data[part].copy(), offset, output)
        where = np.flatnonzero(rows[k])
        if len(where) > SPARSE * rows.shape[1]:
            return cls(slice(None), rows[k].copy(), offset, output)
        return cls(where, rows[k][where], offset, output)

    def violation(self, w: Vector) -> float:
        """b - <a, w>."""
        return self.offset - float(self.values @ w[self.where])


class OwnPlanes:
    """The planes of one example, and their weights."""

    def __init__(self) -> None:
        self.rows: list[OwnPlane] = []
        self.weights: Vector = np.empty(0)

    def add(self, row: OwnPlane) -> int:
        """Add a plane with weight 0; return its index."""
        with whole(self):
            self.rows, self.weights = [*self.rows, row], np.append(self.weights, 0.0)
        return len(self.rows) - 1

    def most_violated(self, w: Vector) -> tuple[int, float]:
        """The index and violation of the most violated plane; -1 and 0 if no violation is > 0."""
        violations = [row.violation(w) for row in self.rows]
        best = int(np.argmax(violations)) if violations else -1
        return (best, violations[best]) if best >= 0 and violations[best] > 0 else (-1, 0.0)

    def least_violated(self, w: Vector) -> tuple[int, float]:
        """The index and violation of the least violated plane with a positive weight.

        -1 and 0 if it is the true output, which has the rest of the weight.
        """
        held = np.flatnonzero(self.weights > 0)
        violations = [self.rows[j].violation(w) for j in held]
        worst = int(np.argmin(violations)) if violations else -1
        if worst >= 0 and (violations[worst] < 0 or self.weights.sum() >= 1):
            return int(held[worst]), violations[worst]
        return -1, 0.0

    def mean_violation(self, w: Vector) -> float:
        """The violation, weighted; the rest of the weight is the true output's, of violation 0."""
        pairs = zip(self.rows, self.weights.tolist(), strict=True)
        return sum(weight * row.violation(w) for row, weight in pairs if weight)

    def add_sums(self, v: Vector) -> float:
        """Add the weighted sum of the rows to v; return the weighted sum of the offsets."""
        offset = 0.0
        for row, weight in zip(self.rows, self.weights.tolist(), strict=True):
            v[row.where] += weight * row.values
            offset += weight * row.offset
        return offset

    def prune(self, negligible: float) -> None:
        """Drop planes of negligible weight; the sum of the rest is at most 1 again."""
        keep = np.flatnonzero(self.weights > negligible)
        with whole(self):
            self.rows = [self.rows[j] for j in keep]
            self.weights = self.weights[keep] / max(1.0, float(self.weights[keep].sum()))


class ListedPlanes(ExamplePlanes):
    """The planes of every example separately: ``planes[i]`` belong to example i."""

    def __init__(self, n: int) -> None:
        self.n = n
        self._own = [OwnPlanes() for _ in range(n)]

    def __getstate__(self) -> dict[str, Any]:
        """The planes of all examples in a few arrays."""
        rows = self.rows
        whole = [isinstance(row.where, slice) for row in rows]
        return {
            "n": self.n,
            "examples": self.examples,
            "weights": self.weights,
            "where": [np.empty(0) if w else row.where for w, row in zip(whole, rows, strict=True)],
            "whole": whole,
            "values": [row.values for row in rows],
            "offsets": [row.offset for row in rows],
            "outputs": [row.output for row in rows],
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["n"])  # type: ignore[misc]
        parts = ("where", "whole", "values", "offsets", "outputs")
        for i, where, entire, values, offset, output in zip(
            state["examples"], *(state[part] for part in parts), strict=True
        ):
            self[i].rows.append(OwnPlane(slice(None) if entire else where, values, offset, output))
        ends = np.cumsum([len(own.rows) for own in self._own])
        for own, weights in zip(self._own, np.split(state["weights"], ends[:-1]), strict=True):
            own.weights = weights.copy()

    def __getitem__(self, i: int) -> OwnPlanes:
        return self._own[i]

    def __len__(self) -> int:
        return sum(len(own.rows) for own in self._own)

    @property
    def rows(self) -> list[OwnPlane]:
        """All planes, in the order of the examples."""
        return [row for own in self._own for row in own.rows]

    @property
    def weights(self) -> Vector:  # type: ignore[override]
        return np.concatenate([own.weights for own in self._own])

    def sources(self) -> tuple[Source, ...]:
        return tuple(_sources(self.examples, [row.output for row in self.rows]))

    @property
    def examples(self) -> Indices:  # type: ignore[override]
        return np.repeat(np.arange(self.n), [len(own.rows) for own in self._own])

    def violations(self, w: Vector) -> Vector:
        return np.array([row.violation(w) for row in self.rows])

    def matrix(self, size: int) -> tuple[Any, Vector]:
        rows = self.rows
        places = [np.arange(size)[row.where] for row in rows]
        ends = np.cumsum([0, *map(len, places)])
        entries = np.concatenate([row.values for row in rows])
        matrix = sparse.csr_matrix((entries, np.concatenate(places), ends), (len(rows), size))
        return matrix, np.array([row.offset for row in rows])
