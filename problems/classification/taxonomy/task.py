"""The task of classification by a taxonomy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.classification.multiclass.task import MulticlassTask

if TYPE_CHECKING:
    from structsvm.problems.classification.taxonomy.problem import Taxonomy


class TaxonomyTask(MulticlassTask):
    """The task whose examples are rows with classes of a taxonomy."""

    problem: Taxonomy
    products: Any = None  # classes share weights

    def _dense_features(self, X: Vector, codes: Indices) -> Vector:
        of_nodes: Vector = self.problem.path_factors_[codes].toarray()
        return (of_nodes[:, :, None] * X[:, None, :]).reshape(len(X), -1)
