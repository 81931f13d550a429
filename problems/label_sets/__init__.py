"""Multi-label classification: sets of labels for single rows.

Look at :class:`LabelSet` first, the problem.
"""

from structsvm.problems.label_sets.problem import LabelSet

__all__ = ["LabelSet"]
