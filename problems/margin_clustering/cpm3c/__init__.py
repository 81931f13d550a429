"""Maximum margin clustering into k clusters."""

from structsvm.problems.margin_clustering.cpm3c.estimator import CPM3C
from structsvm.problems.margin_clustering.cpm3c.problem import CPM3CProblem

__all__ = ["CPM3C", "CPM3CProblem"]
