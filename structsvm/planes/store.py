"""Stores of planes.

A change of a store is completed or undone even if Ctrl-C interrupts the change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import compress
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import dense, stacked
from structsvm.planes.plane import Planes, WeightedPlanes


class Store(Planes):
    """A store of planes with groups, dual variables and sources.

    The rows are dense or CSR.

    Every change sets all attributes in one statement, because Ctrl-C may interrupt the program
    between two statements.

    Attributes
    ----------
    rows : ndarray or CSR matrix of shape (m, size)
    alpha : ndarray of shape (m,)
        The dual variable of every plane.
    groups : ndarray of shape (m,)
    idle : ndarray of shape (m,)
        The number of consecutive solutions in which the dual variable was negligible.
    sources : list of m sources
    """

    def __init__(self, size: int) -> None:
        self.rows: Any = np.empty((0, size))
        self._room = self.rows  # a buffer that begins with the rows, if they are dense
        self.lengths = self.offsets = self.alpha = np.empty(0)
        self.groups: Indices = np.empty(0, dtype=np.intp)
        self.idle: Indices = self.groups
        self.sources: list[Any] = []

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_room": self.rows}

    def add(self, rows: Any, offsets: Vector, groups: Indices, sources: Sequence[Any]) -> None:
        """Add planes with alpha = 0 and dense or CSR rows."""
        old, new = len(self), len(self) + len(offsets)
        if sparse.issparse(self.rows if old else rows):
            joined = room = stacked([self.rows, sparse.csr_matrix(rows)])
        else:
            room = self._room
            if len(room) < new:
                # Allocate a quarter more, so that copies are rare and memory, which is mostly rows,
                # suffices.
                room = np.empty((new + new // 4, self.rows.shape[1]))
                room[:old] = self.rows
            room[old:new] = dense(rows)
            joined = room[:new]
        vars(self).update(
            rows=joined,
            _room=room,
            lengths=np.append(self.lengths, row_lengths(rows)),
            offsets=np.append(self.offsets, offsets),
            alpha=np.append(self.alpha, np.zeros(new - old)),
            groups=np.append(self.groups, groups).astype(np.intp),
            idle=np.append(self.idle, np.zeros(new - old, dtype=np.intp)),
            sources=[*self.sources, *sources],
        )

    def add_solution(self, planes: WeightedPlanes, factor: float) -> None:
        """Add the planes of a solution, with their dual variables multiplied by ``factor``."""
        with whole(self):
            self.add(planes.rows, planes.offsets, planes.groups, planes.sources)
            self.alpha[-len(planes.alpha) :] = factor * planes.alpha

    def keep(self, keep: Any, **others: Any) -> None:
        """Keep the planes that a mask selects, and set the attributes named in ``others``."""
        for name in ("rows", "lengths", "offsets", "alpha", "groups", "idle"):
            others[name] = vars(self)[name][keep]
        sources = list(compress(self.sources, keep))
        vars(self).update(others, _room=others["rows"], sources=sources)


def row_lengths(rows: Any) -> Vector:
    """Return the norms of dense or CSR rows, shape (m,), with infinity where squares overflow."""
    with np.errstate(over="ignore"):
        if sparse.issparse(rows):
            return np.asarray(np.sqrt(rows.power(2).sum(axis=1))).ravel()
        return np.asarray(np.sqrt(np.einsum("ij,ij->i", rows, rows)))


@contextmanager
def whole(*objects: object, part: Vector | None = None) -> Iterator[None]:
    """Complete or undo the changes of objects in a ``with`` block, even if Ctrl-C interrupts them.

    The ``with`` block may assign new values to attributes of ``objects``. The only array that the
    ``with`` block may change in place is ``part``.
    """
    before, entries = [*map(dict, map(vars, objects))], None if part is None else part.copy()
    try:
        yield
    except BaseException:
        for one, attributes in zip(objects, before, strict=True):
            vars(one).update(attributes)
        if part is not None:
            part[:] = entries
        raise
