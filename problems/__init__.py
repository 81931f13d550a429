"""The problems that come with structsvm and their estimators, by family.

Each folder is a family; its docstring says what to look at first. A family imports from others in
one direction only: ``sequences``, ``trees`` and ``multivariate`` from ``classification``,
``margin_clustering`` from these two, and ``relatives`` from both kinds of clustering.
"""

from structsvm.problems.classification import Multiclass, MulticlassSVM
from structsvm.problems.margin_clustering import (
    CPM3C,
    MMC,
    CPM3CProblem,
    MMCProblem,
    MultivariateCPM3CProblem,
    MultivariateMMC,
    MultivariateMMCProblem,
)
from structsvm.problems.multivariate import (
    LabellingProblem,
    MultivariateSVM,
    RocAreaProblem,
    TopKProblem,
)
from structsvm.problems.relatives import SDPMMC, BayesianMMC
from structsvm.problems.sequences import Chain
from structsvm.problems.set_clustering import (
    CorrelationClustering,
    CorrelationClusteringProblem,
    DiscreteOracle,
    GreedyOracle,
    ItemSet,
    IterativeOracle,
    PairMap,
    RelaxedOracle,
    SpectralOracle,
    SupervisedKMeans,
    SupervisedKMeansProblem,
)
from structsvm.problems.trees import DependencyParser, DependencyTree

__all__ = [
    "CPM3C",
    "MMC",
    "SDPMMC",
    "BayesianMMC",
    "CPM3CProblem",
    "Chain",
    "CorrelationClustering",
    "CorrelationClusteringProblem",
    "DependencyParser",
    "DependencyTree",
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
