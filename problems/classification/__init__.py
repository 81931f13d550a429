"""Classification of single rows: one label for each, under any cost of mistakes.

Look at :class:`MulticlassSVM` first, the estimator; :class:`Multiclass` is its problem.
"""

from structsvm.problems.classification.multiclass import Multiclass, MulticlassSVM

__all__ = ["Multiclass", "MulticlassSVM"]
