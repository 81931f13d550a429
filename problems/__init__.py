"""The problems that come with structsvm, and their estimators."""

from structsvm.problems.mmc import MMC, MMCProblem
from structsvm.problems.multiclass import Multiclass, MulticlassSVM

__all__ = ["MMC", "MMCProblem", "Multiclass", "MulticlassSVM"]
