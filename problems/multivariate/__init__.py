"""Binary classification trained for a measure of the whole data: F1, precision at k, ROC area.

Look first at the estimator, :class:`MultivariateSVM`. The problems of MultivariateSVM are
:class:`LabellingProblem`, :class:`RocAreaProblem` and :class:`TopKProblem`. The package
``contingency`` holds separation oracles for losses that depend on a contingency table.
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
