"""Binary classification trained for a measure of the whole data: F1, precision at k, ROC area.

Look at :class:`MultivariateSVM` first, the estimator; its problems are :class:`LabellingProblem`,
:class:`RocAreaProblem` and :class:`TopKProblem`. ``contingency`` holds the separation oracles of
losses that depend on a contingency table, which maximum margin clustering uses as well.
"""

from structsvm.problems.multivariate.contingency import ClusteringLoss
from structsvm.problems.multivariate.estimator import MultivariateSVM
from structsvm.problems.multivariate.problems import LabellingProblem, RocAreaProblem, TopKProblem

__all__ = [
    "ClusteringLoss",
    "LabellingProblem",
    "MultivariateSVM",
    "RocAreaProblem",
    "TopKProblem",
]
