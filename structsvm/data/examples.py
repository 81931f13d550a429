"""The base class of containers that hold many examples in a few arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np


class ExampleContainer(ABC):
    """n examples in one container, as a :class:`structsvm.Task` may hold them.

    ``examples[i]`` is the i-th example; ``examples[which]``, for a slice or an array of indices, is
    a container of these examples.
    """

    @abstractmethod
    def __len__(self) -> int:
        """The number of examples."""

    @abstractmethod
    def part(self, which: Any) -> Any:
        """The examples of a slice or an array of indices, in a container of the same class."""

    def example(self, i: int) -> Any:
        """The i-th example, i >= 0; by default a container of this example alone."""
        return self.part([i])

    def in_double(self) -> Any:
        """The examples with numbers of less than double precision converted to double.

        By default the container itself: override it where it holds such numbers, so that training
        can go on where single precision is not enough.
        """
        return self

    @property
    def shape(self) -> tuple[int]:
        return (len(self),)

    def __getitem__(self, which: Any) -> Any:
        if isinstance(which, (int, np.integer)):
            return self.example(range(len(self))[which])
        return self.part(which)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({[self[i] for i in range(len(self))]!r})"
