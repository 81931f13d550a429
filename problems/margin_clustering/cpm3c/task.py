"""Planes of moves between clusters for new labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.problems.margin_clustering.task import ClusteringTask

if TYPE_CHECKING:
    from structsvm.problems.margin_clustering.cpm3c.problem import CPM3CProblem


class CPM3CTask(ClusteringTask):
    """Rows to divide into k clusters; outputs are moves to other clusters."""

    problem: CPM3CProblem

    def relabelled(
        self,
        passes: Sequence[Any],
        weights: Vector,
        previous: tuple[Any, Vector, Vector] | None = None,
    ) -> tuple[Vector, Vector]:
        (x,), (y,), problem = self.X, self.Y, self.problem
        chosen = [c for (c,) in passes]
        losses = weights[:, 0] * problem.losses_of_moves(y, chosen)
        if previous is not None:
            (y_old,), rows, _ = previous
            changed = np.flatnonzero(y != y_old)
            if len(changed) <= len(y) // 3:
                return rows + weights * problem.steps(x, y, y_old, chosen, changed), losses
        return weights * problem.planes(x, y, chosen), losses
