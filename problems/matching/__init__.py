"""Matchings of two sets of items: which item of one set belongs to which of the other.

Look at :class:`AssignmentSVM` first.
"""

from structsvm.problems.matching.data import Bipartite
from structsvm.problems.matching.estimator import AssignmentSVM
from structsvm.problems.matching.problem import Assignment

__all__ = ["Assignment", "AssignmentSVM", "Bipartite"]
