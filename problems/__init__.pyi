"""The names that structsvm.problems exports; a family is imported when one of its names is used."""

from .classification import (
    Multiclass as Multiclass,
    MulticlassSVM as MulticlassSVM,
    Taxonomy as Taxonomy,
    TaxonomySVM as TaxonomySVM,
    tree_distance_loss as tree_distance_loss,
)
from .decisions import (
    DecisionFocusedRegressor as DecisionFocusedRegressor,
    DecisionProblem as DecisionProblem,
)
from .graphs import (
    AttractiveGraphLabelling as AttractiveGraphLabelling,
    Graph as Graph,
    GraphLabelling as GraphLabelling,
    GraphSVM as GraphSVM,
    TreeLabelling as TreeLabelling,
    grid_graph as grid_graph,
)
from .label_sets import (
    AttractiveLabelSet as AttractiveLabelSet,
    LabelSet as LabelSet,
    MultiLabelSVM as MultiLabelSVM,
    RelaxedLabelSet as RelaxedLabelSet,
)
from .margin_clustering import (
    CPM3C as CPM3C,
    MMC as MMC,
    SDPMMC as SDPMMC,
    BayesianMMC as BayesianMMC,
    CPM3CProblem as CPM3CProblem,
    MMCProblem as MMCProblem,
    MultivariateCPM3CProblem as MultivariateCPM3CProblem,
    MultivariateMMC as MultivariateMMC,
    MultivariateMMCProblem as MultivariateMMCProblem,
    majority_accuracy as majority_accuracy,
)
from .matching import (
    Assignment as Assignment,
    AssignmentSVM as AssignmentSVM,
    Bipartite as Bipartite,
)
from .multivariate import (
    ClusteringLoss as ClusteringLoss,
    LabellingProblem as LabellingProblem,
    MultivariateSVM as MultivariateSVM,
    RocAreaProblem as RocAreaProblem,
    TopKProblem as TopKProblem,
)
from .programs import (
    BundleMethod as BundleMethod,
    BundleResult as BundleResult,
    HammingCosts as HammingCosts,
    IntegerProgram as IntegerProgram,
    IntegerProgramSVM as IntegerProgramSVM,
    PartialIntegerProgram as PartialIntegerProgram,
    Program as Program,
    SoftMarginLoss as SoftMarginLoss,
)
from .ranking import (
    Misranking as Misranking,
    RankingProblem as RankingProblem,
    RankingSVM as RankingSVM,
)
from .sequences import (
    Chain as Chain,
    ChainSVM as ChainSVM,
    PartialChain as PartialChain,
    SegmentSVM as SegmentSVM,
    Segments as Segments,
    WeightedLabels as WeightedLabels,
    bio_segments as bio_segments,
    bio_transitions as bio_transitions,
    bioes_transitions as bioes_transitions,
    segment_f1_score as segment_f1_score,
)
from .set_clustering import (
    CorrelationClustering as CorrelationClustering,
    CorrelationClusteringProblem as CorrelationClusteringProblem,
    DiscreteOracle as DiscreteOracle,
    GreedyOracle as GreedyOracle,
    ItemSet as ItemSet,
    IterativeOracle as IterativeOracle,
    PairMap as PairMap,
    PairTable as PairTable,
    RelaxedOracle as RelaxedOracle,
    SpectralOracle as SpectralOracle,
    SupervisedKMeans as SupervisedKMeans,
    SupervisedKMeansProblem as SupervisedKMeansProblem,
)
from .trees import (
    DependencyParser as DependencyParser,
    DependencyTree as DependencyTree,
)
