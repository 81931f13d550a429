"""Rankings of documents for queries, trained for ROC area, NDCG and other measures.

Look first at the estimator, :class:`RankingSVM`. The problem of RankingSVM is
:class:`RankingProblem`. The separation oracles are in ``search``.
"""

from structsvm.problems.ranking.data import Misranking
from structsvm.problems.ranking.estimator import RankingSVM
from structsvm.problems.ranking.problem import RankingProblem

__all__ = ["Misranking", "RankingProblem", "RankingSVM"]
