"""Tables of estimators."""

from cases.problems import PUBLIC
from sklearn.utils import get_tags

from structsvm.problems import (
    CPM3C,
    MMC,
    SDPMMC,
    AssignmentSVM,
    BayesianMMC,
    ChainSVM,
    CorrelationClustering,
    DecisionFocusedRegressor,
    DependencyParser,
    GraphSVM,
    IntegerProgramSVM,
    MulticlassSVM,
    MultiLabelSVM,
    MultivariateMMC,
    MultivariateSVM,
    PairMap,
    RankingSVM,
    SegmentSVM,
    SupervisedKMeans,
    TaxonomySVM,
)

ESTIMATORS = [
    MulticlassSVM(),
    TaxonomySVM(),
    ChainSVM(),
    SegmentSVM(max_length=2),
    MMC(n_init=2),
    MMC(n_init=2, balance=0.1, center=False),
    CPM3C(3, kernel="rbf", n_init=1),
    MultivariateMMC(n_init=2),
    MultivariateSVM(),
    AssignmentSVM(),
    MultiLabelSVM(),
    GraphSVM(),
    IntegerProgramSVM(),
    DecisionFocusedRegressor(),
    BayesianMMC(n_init=2),
    BayesianMMC(3, multi_class="bisecting", n_init=1),
    SDPMMC(),
    SupervisedKMeans(),
    CorrelationClustering(),
    PairMap(),
    DependencyParser(),
    RankingSVM(),
]

#: The public estimators, which declare what pages and tests ask.
DECLARED = [kind for kind in PUBLIC if hasattr(kind, "about")]
ESTIMATORS += [kind() for kind in DECLARED if kind not in map(type, ESTIMATORS)]

#: Those that take rows and a label for each, and nothing else; scikit-learn's checks cannot make
#: sequences of sets, nor label sets or queries.
ON_ROWS = [
    estimator
    for estimator in ESTIMATORS
    if get_tags(estimator).input_tags.two_d_array
    and get_tags(estimator).target_tags.single_output
    and not isinstance(estimator, RankingSVM)
]
