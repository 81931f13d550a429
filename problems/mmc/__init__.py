"""Maximum margin clustering into two clusters, by sign decoding."""

from structsvm.problems.mmc.estimator import MMC
from structsvm.problems.mmc.problem import MMCProblem

__all__ = ["MMC", "MMCProblem"]
