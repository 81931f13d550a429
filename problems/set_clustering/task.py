"""Sets of items to cluster: the sizes of their terms, and searches from earlier clusterings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.problems.set_clustering.item_sets import ItemSet
from structsvm.task.task import Task

if TYPE_CHECKING:
    from structsvm.problems.set_clustering.set_problem import SetProblem


class SetTask(Task):
    """The sets of a :class:`SetProblem`, each searched by itself."""

    problem: SetProblem

    def term_sizes(self, outputs: Any, places: Any) -> tuple[Vector, Vector]:
        rows = np.array([self._sizes(self.X[i], self.Y[i], outputs[i]) for i in places])
        return rows, np.full(len(rows), self.problem.max_loss)

    def _sizes(self, x: Any, y: Any, y_hat: Any) -> Any:
        # A search compares the similarities of all pairs, not only of those in one cluster.
        sizes = abs(x) if isinstance(x, ItemSet) else (abs(x[0]), *x[1:])
        every = y, y_hat, self.problem.one_cluster(x)
        return sum(np.abs(self.problem.joint_feature(sizes, each)) for each in every)

    def refine(self, w: Vector, outputs: Any) -> Any:
        problem = self.problem
        oracle = problem.resolved("oracle")
        # Oracles of users need no refine; the outputs themselves are never worse.
        if not hasattr(oracle, "refine"):
            return outputs
        return [
            problem.searched(oracle.refine, x, problem.augmented(x, y, w), (y_hat,))
            for x, y, y_hat in zip(self.X, self.Y, outputs, strict=True)
        ]
