"""The base class of containers that store many examples in a few arrays."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from structsvm.data.arrays import Indices, Self
from structsvm.data.containers import in_double, take


class Spans:
    """The positions of the rows of n examples, stored one example after another.

    Parameters
    ----------
    sizes : ndarray of shape (n,), int
        The number of rows of each example.

    Attributes
    ----------
    starts : ndarray of shape (n + 1,)
        The position of the first row of each example. The last entry is the total number of rows.
    """

    def __init__(self, sizes: Indices) -> None:
        self.sizes = sizes
        self.starts: Indices = np.concatenate([[0], np.cumsum(sizes)])

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def owner(self) -> Indices:
        """The index of the example that each row belongs to."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def rows(self, i: int) -> slice:
        """Return the positions of one example's rows, as a slice."""
        return slice(int(self.starts[i]), int(self.starts[i + 1]))

    def rows_of(self, which: Any) -> Any:
        """Return the positions of several examples' rows.

        The examples are selected by ``which``, a slice or an array of indices. If ``which`` is a
        slice with step 1, the result is a slice.
        """
        kept = np.arange(len(self))[which]
        if isinstance(which, slice) and which.step in (None, 1) and len(kept):
            return slice(self.rows(kept[0]).start, self.rows(kept[-1]).stop)
        sizes = self.sizes[kept]
        shifts = np.repeat(self.starts[kept] - (np.cumsum(sizes) - sizes), sizes)
        return np.arange(len(shifts)) + shifts

    def taken(self, which: Any) -> tuple[Any, Any]:
        """Return the spans of some examples, and the positions of their rows."""
        return type(self)(self.sizes[which]), self.rows_of(which)

    def sums(self, values: Any) -> Any:
        """Return the sum of the values over each example's rows, shape (n,)."""
        return np.bincount(self.owner, values, len(self))


class ExampleContainer:
    """A container that stores n examples in a few arrays, for use in a :class:`structsvm.Task`.

    ``examples[i]`` is example i. If the index ``which`` is a slice or an array of indices,
    ``examples[which]`` is a container of these examples.

    A subclass is a dataclass, with ``@dataclass(eq=False, repr=False)``. A subclass declares which
    values of its fields belong to each example. The class attribute ``of_examples`` names the
    fields that have an element for each example. The class attribute ``of_rows`` names the fields
    that have several rows for each example. The field ``layout`` says which rows belong to which
    example. The layout is a :class:`Spans` or an object with a length and a method ``taken``. All
    examples share the fields that are neither in ``of_examples`` nor in ``of_rows``. The value of a
    field may be None.
    """

    of_examples: ClassVar[tuple[str, ...]] = ()
    of_rows: ClassVar[tuple[str, ...]] = ()

    def __len__(self) -> int:
        first = getattr(self, (*self.of_examples, "layout")[0])
        return int(first.shape[0]) if hasattr(first, "shape") else len(first)

    def part(self, which: Any) -> Any:
        """Return the examples at a slice or an array of indices, in the same kind of container."""
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
        """Return the i-th example, with i >= 0.

        By default, a container with one example is returned.
        """
        return self.part([i])

    def in_double(self) -> Self:
        """Return the examples with all numbers in double precision."""
        names = (*self.of_examples, *self.of_rows)
        changed = {name: in_double(getattr(self, name)) for name in names}
        return self.with_fields(**changed) if changed else self

    def with_fields(self, **changed: Any) -> Self:
        """Return a copy of the container with new values for some fields."""
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
