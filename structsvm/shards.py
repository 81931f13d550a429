"""Parts of the examples as other processes know them: by name, kept there once they were sent."""

from __future__ import annotations

import threading
from collections import OrderedDict
from functools import cached_property
from typing import Any

from structsvm.part import Part
from structsvm.problem import Indices

#: Trainings whose parts a process keeps.
KEPT = 2


class Shard:
    """A part, or some of its examples, by name: what a task is given.

    It travels as its name, and arrives with what is kept there under that name.

    Parameters
    ----------
    training : str
        Names the problem and the data.
    number : int
        Names the part.
    home : Part or None
        The part, None where it is not kept.
    rows : ndarray, optional
        The places of the examples in it. Default: all.
    sends : bool, default=False
        Whether the part travels too.
    """

    def __init__(
        self,
        training: str,
        number: int,
        home: Part | None,
        rows: Indices | None = None,
        sends: bool = False,
    ) -> None:
        self.training, self.number, self.home, self.rows = training, number, home, rows
        self.sends = sends

    @cached_property
    def part(self) -> Part | None:
        """What is asked; None where it is not kept."""
        return self.home if self.home is None or self.rows is None else self.home.subset(self.rows)

    def with_part(self) -> Shard:
        """The same, with the part to travel too."""
        return Shard(self.training, self.number, self.home, self.rows, sends=True)

    def some(self, rows: Indices) -> Shard:
        """Some of these examples, by their place among them."""
        rows = rows if self.rows is None else self.rows[rows]
        return Shard(self.training, self.number, self.home, rows)

    def __reduce__(self) -> tuple[Any, ...]:
        cargo = self.home if self.sends else None
        return _arrived, (self.training, self.number, self.rows, cargo)


class _Store:
    """The parts that were sent to this process, of the trainings asked for last."""

    def __init__(self) -> None:
        self._trainings: OrderedDict[str, dict[int, Part]] = OrderedDict()
        self._lock = threading.Lock()

    def parts(self, training: str) -> dict[int, Part]:
        with self._lock:
            parts = self._trainings.setdefault(training, {})
            self._trainings.move_to_end(training)
            if len(self._trainings) > KEPT:
                self._trainings.popitem(last=False)
            return parts


_store = _Store()


def _arrived(training: str, number: int, rows: Indices | None, cargo: Part | None) -> Shard:
    parts = _store.parts(training)
    if cargo is not None:
        for other in parts.values():  # one problem for all parts
            cargo.problem = other.problem
            break
        parts[number] = cargo
    return Shard(training, number, parts.get(number), rows, sends=cargo is not None)
