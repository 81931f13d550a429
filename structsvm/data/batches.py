"""Batches of examples, made when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector


class LazySequence(Sequence[Any]):
    """The values of a function, called whenever an element is asked for: they take no memory.

    Parameters
    ----------
    function : callable
    arguments : sequence
        Element j is ``function(arguments[j])``; a slice is a list of these.
    """

    def __init__(self, function: Callable[[Any], Any], arguments: Sequence[Any]) -> None:
        self._function, self._arguments = function, arguments

    def __len__(self) -> int:
        return len(self._arguments)

    def __getitem__(self, j: Any) -> Any:
        if isinstance(j, slice):
            return [self._function(argument) for argument in self._arguments[j]]
        return self._function(self._arguments[j])


def alike(lengths: Indices, work: Vector, most: float) -> list[Indices]:
    """Divide examples into groups of nearly equal length with about ``most`` work each.

    Returns the places of the examples of each group, rising.
    """
    order = np.argsort(lengths, kind="stable")
    number = np.cumsum(work[order]) // most
    ends = np.flatnonzero(np.diff(number)) + 1
    return [np.sort(some) for some in np.split(order, ends)]
