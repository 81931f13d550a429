"""The type of the oracles that cluster a similarity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

#: Random starts of the stronger oracle that measures the slack missed in training.
RECHECK_STARTS = 10


class ClusteringOracle(Protocol):
    """An oracle of a family's ``oracles``, or an object of your own with the same attributes.

    One whose search is less precise than arithmetic also has a ``roundoff``: see
    :class:`structsvm.Problem`.
    """

    @property
    def quality(self) -> str: ...

    @property
    def cluster(self) -> Callable[..., Any]: ...
