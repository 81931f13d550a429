"""Classification of single rows: one label for each row, with any cost of mistakes.

Look first at the estimator :class:`MulticlassSVM`. :class:`Multiclass` is the problem of
MulticlassSVM. :class:`TaxonomySVM` and :class:`Taxonomy` are for classes that are nodes of a tree.
"""

from structsvm.problems.classification.multiclass import Multiclass, MulticlassSVM
from structsvm.problems.classification.taxonomy import Taxonomy, TaxonomySVM, tree_distance_loss

__all__ = ["Multiclass", "MulticlassSVM", "Taxonomy", "TaxonomySVM", "tree_distance_loss"]
