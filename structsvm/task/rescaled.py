"""Slack rescaling, which multiplies an output's violation by its loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scipy import sparse

from structsvm.data.arrays import Vector
from structsvm.task.wrapper import Wrapper, where_defined


class Rescaled(Wrapper):
    """A task with slack rescaling: an output's loss multiplies its joint-feature difference."""

    def search(self, w: Vector) -> Any:
        return self.task.search_rescaled(w)

    def differences(self, outputs: Any, places: Sequence[int]) -> Any:
        rows, losses = self.task.differences(outputs, places), self.task.losses(outputs)[places]
        return sparse.diags(losses) @ rows if sparse.issparse(rows) else losses[:, None] * rows

    def plane(self, outputs: Any, weights: Vector) -> Any:
        return self.task.plane(outputs, weights * self.task.losses(outputs))

    @where_defined
    def term_sizes(self, outputs: Any, places: Sequence[int]) -> tuple[Any, Vector]:
        rows, losses = self.task.term_sizes(outputs, places)
        return self.task.losses(outputs)[places][:, None] * rows, losses
