"""The points w that the checks visit, with what the searches returned there."""

from __future__ import annotations

from typing import Any, NamedTuple

from structsvm.data.arrays import Vector


class Visit(NamedTuple):
    """A point w, the label of every example there, and the outputs that the searches returned.

    ``found`` maps a method to one (key, output) per example, None where the call failed.
    """

    w: Vector
    labels: list[Any]
    found: dict[str, list[tuple[Any, Any] | None]]
