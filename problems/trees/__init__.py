"""Dependency trees: maximum spanning arborescences and the matrix-tree theorem."""

from structsvm.problems.trees.problem import DependencyTree

__all__ = ["DependencyTree"]
