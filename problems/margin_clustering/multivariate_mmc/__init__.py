"""Maximum margin clustering with a loss of the whole clustering: NMI, Rand, F."""

from structsvm.problems.margin_clustering.multivariate_mmc.estimator import MultivariateMMC
from structsvm.problems.margin_clustering.multivariate_mmc.problem import (
    MultivariateCPM3CProblem,
    MultivariateMMCProblem,
)

__all__ = ["MultivariateCPM3CProblem", "MultivariateMMC", "MultivariateMMCProblem"]
