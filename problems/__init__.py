"""The problems that come with structsvm, and their estimators."""

from structsvm.problems.bayesian_mmc import BayesianMMC
from structsvm.problems.chain import Chain
from structsvm.problems.correlation_clustering import (
    CorrelationClustering,
    CorrelationClusteringProblem,
    GreedyOracle,
    RelaxedOracle,
)
from structsvm.problems.cpm3c import CPM3C, CPM3CProblem
from structsvm.problems.item_sets import ItemSet, PairMap
from structsvm.problems.mmc import MMC, MMCProblem
from structsvm.problems.multiclass import Multiclass, MulticlassSVM
from structsvm.problems.multivariate_mmc import (
    MultivariateCPM3CProblem,
    MultivariateMMC,
    MultivariateMMCProblem,
)
from structsvm.problems.multivariate_svm import (
    LabellingProblem,
    MultivariateSVM,
    RocAreaProblem,
    TopKProblem,
)
from structsvm.problems.sdp_mmc import SDPMMC
from structsvm.problems.supervised_kmeans import (
    DiscreteOracle,
    IterativeOracle,
    SpectralOracle,
    SupervisedKMeans,
    SupervisedKMeansProblem,
)

__all__ = [
    "CPM3C",
    "MMC",
    "SDPMMC",
    "BayesianMMC",
    "CPM3CProblem",
    "Chain",
    "CorrelationClustering",
    "CorrelationClusteringProblem",
    "DiscreteOracle",
    "GreedyOracle",
    "ItemSet",
    "IterativeOracle",
    "LabellingProblem",
    "MMCProblem",
    "Multiclass",
    "MulticlassSVM",
    "MultivariateCPM3CProblem",
    "MultivariateMMC",
    "MultivariateMMCProblem",
    "MultivariateSVM",
    "PairMap",
    "RelaxedOracle",
    "RocAreaProblem",
    "SpectralOracle",
    "SupervisedKMeans",
    "SupervisedKMeansProblem",
    "TopKProblem",
]
