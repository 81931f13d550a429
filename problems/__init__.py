"""The problems that come with structsvm and their estimators, by family.

Each folder is a family; its docstring says what to look at first. A family imports from others in
one direction only: ``graphs``, ``sequences``, ``trees`` and ``multivariate`` from
``classification``; ``label_sets`` from ``classification`` and ``graphs``; ``margin_clustering``
from ``classification``, ``multivariate`` and ``set_clustering``; ``decisions`` from ``programs``.
``matching``, ``programs`` and ``ranking`` import no other family.
"""

from structsvm.problems.classification import (
    Multiclass,
    MulticlassSVM,
    Taxonomy,
    TaxonomySVM,
    tree_distance_loss,
)
from structsvm.problems.decisions import DecisionFocusedRegressor, DecisionProblem
from structsvm.problems.graphs import (
    AttractiveGraphLabelling,
    Graph,
    GraphLabelling,
    GraphSVM,
    TreeLabelling,
    grid_graph,
)
from structsvm.problems.label_sets import (
    AttractiveLabelSet,
    LabelSet,
    MultiLabelSVM,
    RelaxedLabelSet,
)
from structsvm.problems.margin_clustering import (
    CPM3C,
    MMC,
    SDPMMC,
    BayesianMMC,
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
from structsvm.problems.ranking import Misranking, RankingProblem, RankingSVM
from structsvm.problems.saved_names import SAVED_NAMES
from structsvm.problems.sequences import (
    Chain,
    ChainSVM,
    PartialChain,
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
from structsvm.saving.names import register

__all__ = [
    "CPM3C",
    "MMC",
    "SDPMMC",
    "Assignment",
    "AssignmentSVM",
    "AttractiveGraphLabelling",
    "AttractiveLabelSet",
    "BayesianMMC",
    "Bipartite",
    "CPM3CProblem",
    "Chain",
    "ChainSVM",
    "CorrelationClustering",
    "CorrelationClusteringProblem",
    "DecisionFocusedRegressor",
    "DecisionProblem",
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
    "LabelSet",
    "LabellingProblem",
    "MMCProblem",
    "Misranking",
    "MultiLabelSVM",
    "Multiclass",
    "MulticlassSVM",
    "MultivariateCPM3CProblem",
    "MultivariateMMC",
    "MultivariateMMCProblem",
    "MultivariateSVM",
    "PairMap",
    "PartialChain",
    "PartialIntegerProgram",
    "Program",
    "RankingProblem",
    "RankingSVM",
    "RelaxedLabelSet",
    "RelaxedOracle",
    "RocAreaProblem",
    "SegmentSVM",
    "Segments",
    "SpectralOracle",
    "SupervisedKMeans",
    "SupervisedKMeansProblem",
    "Taxonomy",
    "TaxonomySVM",
    "TopKProblem",
    "TreeLabelling",
    "WeightedLabels",
    "bio_segments",
    "bio_transitions",
    "bioes_transitions",
    "grid_graph",
    "segment_f1_score",
    "tree_distance_loss",
]

register(__name__, SAVED_NAMES)
