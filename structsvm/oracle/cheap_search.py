"""Searches that replace calls of the separation oracle: a pool of outputs, and refinement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from structsvm.data.arrays import Vector
from structsvm.oracle.examples import Examples


class Pool:
    """The pool of outputs found so far.

    Attributes
    ----------
    known : object or None
        The last return value of the task's ``pool_outputs``, or None if the task has no pool.
    """

    def __init__(self, examples: Examples, labels: Any) -> None:
        self._examples, self.known = examples, None
        self._offered = "search_pool" in examples.cheap_searches
        self.add(labels)

    def __bool__(self) -> bool:
        return self.known is not None

    def add(self, outputs: Sequence[Any] | None) -> None:
        """Add outputs of some examples to the pool, if there is one."""
        if not self._offered or outputs is None or len(outputs) == 0:
            return
        self.known = self._examples.task.pool_outputs(outputs, self.known)
        self._offered = self.known is not None

    def search(self, labels: Any, w: Vector) -> Sequence[Any]:
        """Return the most violated output in the pool for every example."""
        return self._examples.here.ask("search_pool", labels, w, self.known)


class CheapSearch:
    """A search that takes outputs from the pool, or the last outputs, and refines them if possible.

    Attributes
    ----------
    pool : Pool
    """

    def __init__(self, examples: Examples, labels: Any) -> None:
        self._examples, self.pool = examples, Pool(examples, labels)
        self._refines = "refine" in examples.cheap_searches

    def search(self, labels: Any, w: Vector, last: Sequence[Any] | None) -> Sequence[Any] | None:
        """Return an output for every example, or None if no cheap search is possible.

        ``last`` holds the last output of every example, or is None if some example has none.
        """
        found = self.pool.search(labels, w) if self.pool else last
        if self._refines and found is not None:
            return self._examples.ask("refine", labels, w, divided=(found,))
        return found if self.pool else None
