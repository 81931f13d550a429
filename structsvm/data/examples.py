"""The container of examples: many in a few arrays, one after the other."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from structsvm.data.arrays import Indices, Self
from structsvm.data.containers import in_double, take


class Spans:
    """The positions of the rows of n examples that are stored one after the other.

    Parameters
    ----------
    sizes : ndarray of shape (n,), int
        The number of rows of every example.

    Attributes
    ----------
    starts : ndarray of shape (n + 1,)
        The first row of every example; the last entry is the number of all rows.
    """

    def __init__(self, sizes: Indices) -> None:
        self.sizes = sizes
        self.starts: Indices = np.concatenate([[0], np.cumsum(sizes)])

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def owner(self) -> Indices:
        """The example of every row."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def rows(self, i: int) -> slice:
        """The rows of one example."""
        return slice(int(self.starts[i]), int(self.starts[i + 1]))

    def rows_of(self, which: Any) -> Any:
        """The rows of several examples: for a slice of examples without step, a slice of rows."""
        kept = np.arange(len(self))[which]
        if isinstance(which, slice) and which.step in (None, 1) and len(kept):
            return slice(self.rows(kept[0]).start, self.rows(kept[-1]).stop)
        sizes = self.sizes[kept]
        shifts = np.repeat(self.starts[kept] - (np.cumsum(sizes) - sizes), sizes)
        return np.arange(len(shifts)) + shifts

    def taken(self, which: Any) -> tuple[Any, Any]:
        """The spans of some of the examples, and the places of their rows among these."""
        return type(self)(self.sizes[which]), self.rows_of(which)

    def sums(self, values: Any) -> Any:
        """The sum of the values of the rows of each example, shape (n,)."""
        return np.bincount(self.owner, values, len(self))


class ExampleContainer:
    """n examples in a few arrays, as a :class:`structsvm.Task` may hold them.

    ``examples[i]`` is the i-th example; ``examples[which]``, for a slice or an array of indices, is
    a container of these examples.

    A subclass is a dataclass, ``@dataclass(eq=False, repr=False)``, that says how its fields are
    divided. ``of_examples`` names those with an element for each example, and ``of_rows`` those
    with a row for each row of its field ``layout``: a :class:`Spans`, or another object with a
    length and a method ``taken``. All other fields belong to every example. A field may be None.
    """

    of_examples: ClassVar[tuple[str, ...]] = ()
    of_rows: ClassVar[tuple[str, ...]] = ()

    def __len__(self) -> int:
        first = getattr(self, (*self.of_examples, "layout")[0])
        return int(first.shape[0]) if hasattr(first, "shape") else len(first)

    def part(self, which: Any) -> Any:
        """The examples of a slice or an array of indices, in a container of the same class."""
        changed: dict[str, Any] = {}
        rows: Any = None
        if self.of_rows:
            changed["layout"], rows = self.layout.taken(which)  # type: ignore[attr-defined]
        for names, places in ((self.of_examples, which), (self.of_rows, rows)):
            for name in names:
                value = getattr(self, name)
                changed[name] = None if value is None else take(value, places)
        return self.with_fields(**changed)

    def example(self, i: int) -> Any:
        """The i-th example, i >= 0; by default a container of this example alone."""
        return self.part([i])

    def in_double(self) -> Self:
        """The examples with numbers of less than double precision converted to double."""
        names = (*self.of_examples, *self.of_rows)
        changed = {name: in_double(getattr(self, name)) for name in names}
        return self.with_fields(**changed) if changed else self

    def with_fields(self, **changed: Any) -> Self:
        """The same examples with other values of some fields."""
        return replace(self, **changed)  # type: ignore[type-var]

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self),)

    def __getitem__(self, which: Any) -> Any:
        if isinstance(which, (int, np.integer)):
            return self.example(range(len(self))[which])
        return self.part(which)

    def __repr__(self) -> str:
        if type(self).example is ExampleContainer.example:  # each example is a container
            return f"<{type(self).__name__} of {len(self)}>"
        return f"{type(self).__name__}({[self[i] for i in range(len(self))]!r})"
