"""Multiclass classification by Crammer & Singer, JMLR 2001, with any cost matrix."""

from structsvm.problems.classification.multiclass.estimator import MulticlassSVM
from structsvm.problems.classification.multiclass.problem import Multiclass

__all__ = ["Multiclass", "MulticlassSVM"]
