"""Separation oracles for losses that depend only on the contingency table of two labellings."""

from structsvm.problems.multivariate.contingency.greedy import greedy_most_violated
from structsvm.problems.multivariate.contingency.losses import (
    ClusteringLoss,
    contingency_table,
    measure_loss,
    table_loss,
)
from structsvm.problems.multivariate.contingency.search import most_violated, require_loss
