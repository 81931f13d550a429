"""Maximum margin clustering as a semidefinite program."""

from structsvm.problems.margin_clustering.sdp_mmc.estimator import SDPMMC

__all__ = ["SDPMMC"]
