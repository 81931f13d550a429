"""Type annotations of arrays, and of methods that return ``self``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, SupportsFloat

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from typing_extensions import Self as Self  # only type checkers need it
else:
    Self = Any

Vector = NDArray[np.float64]
Indices = NDArray[np.intp]
Mask = NDArray[np.bool_]


class HasShape(Protocol):
    """An array, a matrix or a data frame."""

    @property
    def shape(self) -> Any: ...


#: Numbers in an array or in lists. numpy's ``ArrayLike`` would include strings, which name choices.
Numbers = HasShape | Sequence[SupportsFloat] | Sequence[Sequence[SupportsFloat]]
