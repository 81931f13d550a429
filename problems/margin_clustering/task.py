"""The rows of a clustering, in floats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.problems.margin_clustering.blocks import rows_in_floats
from structsvm.task.task import Task

if TYPE_CHECKING:
    from structsvm.problems.margin_clustering.clustering_problem import ClusteringProblem


class ClusteringTask(Task):
    """All rows as one example, with an annotation or None; after imputing, with their labels."""

    problem: ClusteringProblem

    def __init__(self, problem: ClusteringProblem, X: Any, Y: Any = None) -> None:
        super().__init__(problem, [rows_in_floats(x) for x in X], Y)

    def term_sizes(self, outputs: Any, places: Any) -> tuple[Vector, Vector]:
        terms = self.problem.rows_.terms
        sizes = np.tile(terms, (len(places), self.size // len(terms)))
        return sizes, self.losses(outputs)[places]
