"""Relatives of maximum margin clustering that are trained without a separation oracle.

:class:`SDPMMC` is a convex relaxation with a bound over all labellings, :class:`BayesianMMC` a
Gaussian process with probabilities; look at their estimators first.
"""

from structsvm.problems.relatives.bayesian_mmc import BayesianMMC
from structsvm.problems.relatives.sdp_mmc import SDPMMC

__all__ = ["SDPMMC", "BayesianMMC"]
