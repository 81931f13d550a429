"""Planes of sets of flips for new labels of two clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.problems.margin_clustering.task import ClusteringTask

if TYPE_CHECKING:
    from structsvm.problems.margin_clustering.mmc.problem import MMCProblem

#: Planes that are recomputed in one product, each with a float for every row.
BLOCK = 16
#: Largest number of entries in the rows with changed labels for which the planes are updated from
#: these rows alone.
FEW = 50_000_000


class MMCTask(ClusteringTask):
    """Rows to divide into two clusters; outputs are sets of flips."""

    problem: MMCProblem

    def relabelled(
        self,
        passes: Sequence[Any],
        weights: Vector,
        previous: tuple[Any, Vector, Vector] | None = None,
    ) -> tuple[Vector, Vector]:
        """The planes of all sets of flips for new labels, by one matrix product.

        After few label changes only the rows that changed are read.
        """
        (x,), (y,), problem = self.X, self.Y, self.problem
        masks = np.stack([flips for (flips,) in passes])
        losses = weights[:, 0] * problem.losses_of_flips(y, masks)
        if previous is not None:
            (y_old,), rows, _ = previous
            changed = np.flatnonzero(y != y_old)
            if len(changed) <= len(y) // 3 and len(changed) * x.shape[1] <= FEW:
                # For a fixed set of flips a plane is linear in y: changed rows add their change.
                steps = masks[:, changed] * (y[changed] - y_old[changed])
                return rows + weights * problem.weighted_sum(x, steps, changed), losses
        # In blocks, since a float for every row and plane may not fit in memory.
        blocks = range(0, len(masks), BLOCK)
        sums = [problem.weighted_sum(x, masks[start : start + BLOCK] * y) for start in blocks]
        return weights * np.concatenate(sums), losses
