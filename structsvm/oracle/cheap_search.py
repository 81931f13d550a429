"""Searches that take no call of the separation oracle: a pool of outputs, and refinement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from structsvm.data.arrays import Vector
from structsvm.oracle.examples import Examples


class Pool:
    """The outputs known so far, in the problem's own form.

    Attributes
    ----------
    known : object or None
        What the problem's ``pool_outputs`` returned; None where it pools nothing.
    """

    def __init__(self, examples: Examples, labels: Any) -> None:
        self._examples, self.known = examples, None
        self._offered = "search_pool" in examples.cheap_searches
        self.add(labels)

    def __bool__(self) -> bool:
        return self.known is not None

    def add(self, outputs: Sequence[Any] | None) -> None:
        """Add outputs of some examples, where the problem pools them."""
        if not self._offered or outputs is None or len(outputs) == 0:
            return
        self.known = self._examples.task.pool_outputs(outputs, self.known)
        self._offered = self.known is not None

    def search(self, labels: Any, w: Vector) -> Sequence[Any]:
        """The most violated output of the pool, for every example."""
        return self._examples.here.ask("search_pool", labels, w, self.known)


class CheapSearch:
    """The best outputs of the pool, or those found last, refined.

    Attributes
    ----------
    pool : Pool
    """

    def __init__(self, examples: Examples, labels: Any) -> None:
        self._examples, self.pool = examples, Pool(examples, labels)
        self._refines = "refine" in examples.cheap_searches

    def search(self, labels: Any, w: Vector, last: Sequence[Any] | None) -> Sequence[Any] | None:
        """An output for every example; None where there is no pool, and nothing to refine.

        ``last`` are those found last, if all examples have one.
        """
        found = self.pool.search(labels, w) if self.pool else last
        if self._refines and found is not None:
            return self._examples.ask("refine", labels, w, divided=(found,))
        return found if self.pool else None
