"""The problems that come with structsvm and their estimators, by family.

Each folder is a family; its docstring says what to look at first. A family imports from others in
one direction only: ``sequences``, ``trees`` and ``multivariate`` from ``classification``,
``margin_clustering`` from these two, ``graphs`` from ``classification`` and ``sequences``, and
``relatives`` from both kinds of clustering; ``matching`` and ``programs`` from none.
"""

from structsvm.problems.classification import Multiclass, MulticlassSVM
from structsvm.problems.graphs import (
    AttractiveGraphLabelling,
    Graph,
    GraphLabelling,
    GraphSVM,
    TreeLabelling,
    grid_graph,
)
from structsvm.problems.margin_clustering import (
    CPM3C,
    MMC,
    CPM3CProblem,
    MMCProblem,
    MultivariateCPM3CProblem,
    MultivariateMMC,
    MultivariateMMCProblem,
)
from structsvm.problems.matching import Assignment, AssignmentSVM, Bipartite
from structsvm.problems.multivariate import (
    LabellingProblem,
    MultivariateSVM,
    RocAreaProblem,
    TopKProblem,
)
from structsvm.problems.programs import (
    IntegerProgram,
    IntegerProgramSVM,
    PartialIntegerProgram,
    Program,
)
from structsvm.problems.relatives import SDPMMC, BayesianMMC
from structsvm.problems.sequences import (
    Chain,
    ChainSVM,
    Segments,
    SegmentSVM,
    WeightedLabels,
    bio_segments,
    bio_transitions,
    bioes_transitions,
    segment_f1_score,
)
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
    "Assignment",
    "AssignmentSVM",
    "AttractiveGraphLabelling",
    "BayesianMMC",
    "Bipartite",
    "CPM3CProblem",
    "Chain",
    "ChainSVM",
    "CorrelationClustering",
    "CorrelationClusteringProblem",
    "DependencyParser",
    "DependencyTree",
    "DiscreteOracle",
    "Graph",
    "GraphLabelling",
    "GraphSVM",
    "GreedyOracle",
    "IntegerProgram",
    "IntegerProgramSVM",
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
    "PartialIntegerProgram",
    "Program",
    "RelaxedOracle",
    "RocAreaProblem",
    "SegmentSVM",
    "Segments",
    "SpectralOracle",
    "SupervisedKMeans",
    "SupervisedKMeansProblem",
    "TopKProblem",
    "TreeLabelling",
    "WeightedLabels",
    "bio_segments",
    "bio_transitions",
    "bioes_transitions",
    "grid_graph",
    "segment_f1_score",
]
