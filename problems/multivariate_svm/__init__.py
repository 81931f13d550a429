"""Binary classification for a multivariate measure: F1, precision at k, ROC area and others."""

from structsvm.problems.multivariate_svm.estimator import MultivariateSVM
from structsvm.problems.multivariate_svm.labelling import LabellingProblem
from structsvm.problems.multivariate_svm.ranking import RocAreaProblem, TopKProblem

__all__ = ["LabellingProblem", "MultivariateSVM", "RocAreaProblem", "TopKProblem"]
