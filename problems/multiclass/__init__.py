"""Multiclass classification: Crammer & Singer, JMLR 2001, with any cost matrix."""

from structsvm.problems.multiclass.estimator import MulticlassSVM
from structsvm.problems.multiclass.problem import Multiclass

__all__ = ["Multiclass", "MulticlassSVM"]
