"""Maximum margin clustering as a semidefinite program."""

from structsvm.problems.relatives.sdp_mmc.estimator import SDPMMC

__all__ = ["SDPMMC"]
