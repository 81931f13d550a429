"""Dependency trees: maximum spanning arborescences and the matrix-tree theorem.

Look at :class:`DependencyParser` first.
"""

from structsvm.problems.trees.estimator import DependencyParser
from structsvm.problems.trees.problem import DependencyTree

__all__ = ["DependencyParser", "DependencyTree"]
