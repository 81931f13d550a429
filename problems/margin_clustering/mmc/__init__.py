"""Maximum margin clustering into two clusters: labels are signs."""

from structsvm.problems.margin_clustering.mmc.estimator import MMC
from structsvm.problems.margin_clustering.mmc.problem import MMCProblem

__all__ = ["MMC", "MMCProblem"]
