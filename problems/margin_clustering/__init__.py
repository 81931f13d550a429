"""Maximum margin clustering: the labels are found together with the classifier.

Look first at :class:`MMC`, for two clusters, and at its problem :class:`MMCProblem`. :class:`CPM3C`
is for more than two clusters, and :class:`MultivariateMMC` measures clusterings by NMI, the Rand
index or F.
"""

from structsvm.problems.margin_clustering.bayesian_mmc import BayesianMMC
from structsvm.problems.margin_clustering.cpm3c import CPM3C, CPM3CProblem
from structsvm.problems.margin_clustering.majority import majority_accuracy
from structsvm.problems.margin_clustering.mmc import MMC, MMCProblem
from structsvm.problems.margin_clustering.multivariate_mmc import (
    MultivariateCPM3CProblem,
    MultivariateMMC,
    MultivariateMMCProblem,
)
from structsvm.problems.margin_clustering.sdp_mmc import SDPMMC

__all__ = [
    "CPM3C",
    "MMC",
    "SDPMMC",
    "BayesianMMC",
    "CPM3CProblem",
    "MMCProblem",
    "MultivariateCPM3CProblem",
    "MultivariateMMC",
    "MultivariateMMCProblem",
    "majority_accuracy",
]
