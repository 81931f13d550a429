"""Matchings of two sets of items: each pair has an item of each set.

Look at :class:`AssignmentSVM` first.
"""

from structsvm.problems.matching.data import Bipartite
from structsvm.problems.matching.estimator import AssignmentSVM
from structsvm.problems.matching.problem import Assignment

__all__ = ["Assignment", "AssignmentSVM", "Bipartite"]
