"""A table of estimators: one or more models of each, with small data to fit them to."""

import warnings
from functools import cache, partial

import numpy as np
from cases.problems import PROBLEMS, PUBLIC, TREE
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.preprocessing import scale
from sklearn.utils import get_tags

from structsvm import LatentSVM, StructuredSVM
from structsvm.estimators.training import StructuredEstimator
from structsvm.features import DiffusionMap, KernelMap, Whitening
from structsvm.problems import (
    CPM3C,
    MMC,
    SDPMMC,
    AssignmentSVM,
    BayesianMMC,
    Chain,
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
    PartialChain,
    RankingSVM,
    SegmentSVM,
    SupervisedKMeans,
    TaxonomySVM,
    bio_transitions,
)
from structsvm.problems.decisions import DecisionProblem, GridPaths

X, y = load_iris(return_X_y=True)
X, y = X[::5], y[::5]
SETS, PARTS = [X[::2], X[1::2]], [y[::2], y[1::2]]
WORDS = [[{"a": 1, "b": "x"}, {"a": 2}], [{"c": True}]], [["u", "v"], ["u"]]


def of_problem(name):
    return PROBLEMS[name](0)[1:]


def own_sets():
    """Inputs with feasible sets of their own, and true costs."""
    inputs, outputs = DecisionProblem.example_data()
    return inputs, [output.costs for output in outputs]


def ranked():
    """Documents and their relevance."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(20, 3)), rng.integers(3, size=20)


#: Estimators, with inputs and outputs for ``fit``.
MODELS = {
    "MulticlassSVM": lambda: (MulticlassSVM(), of_problem("multiclass-strings")),
    "MulticlassSVM-balanced": lambda: (MulticlassSVM(class_weight="balanced"), (X, y)),
    "MulticlassSVM-stopped": lambda: (
        MulticlassSVM(early_stopping=True, random_state=np.random.RandomState(3)), (X, y)
    ),
    "TaxonomySVM": lambda: (TaxonomySVM(TREE), of_problem("taxonomy")),
    "ChainSVM": lambda: (ChainSVM(), of_problem("chain-strings")),
    "ChainSVM-dicts": lambda: (ChainSVM(), WORDS),
    "ChainSVM-bio": lambda: (
        ChainSVM(allowed_transitions=bio_transitions), of_problem("chain-bio")
    ),
    "SegmentSVM": lambda: (SegmentSVM(max_length=2), of_problem("segments")),
    "MMC": lambda: (MMC(n_init=1), (X,)),
    "MMC-balance": lambda: (MMC(n_init=1, balance=0.1, center=False), (X,)),
    "MMC-rbf": lambda: (MMC(kernel="rbf", n_init=1), (X,)),
    "MMC-diffusion": lambda: (MMC(kernel="diffusion", n_init=1), (X,)),
    "CPM3C": lambda: (CPM3C(3, n_init=1), (X,)),
    "CPM3C-cccp": lambda: (CPM3C(3, search="cccp", n_init=1), (X,)),
    "CPM3C-rbf": lambda: (CPM3C(3, kernel="rbf", n_init=1), (X,)),
    "MultivariateMMC": lambda: (MultivariateMMC(n_init=1), (X,)),
    "MultivariateSVM": lambda: (MultivariateSVM(), (X, y == 0)),
    "AssignmentSVM": lambda: (AssignmentSVM(), of_problem("assignment")),
    "AssignmentSVM-sparse": lambda: (
        AssignmentSVM(unmatched=True), of_problem("assignment-sparse")
    ),
    "MultiLabelSVM": lambda: (MultiLabelSVM(), of_problem("label-set")),
    "GraphSVM": lambda: (GraphSVM(), PROBLEMS["graphs-relaxed"](1)[1:]),
    "IntegerProgramSVM": lambda: (IntegerProgramSVM(), of_problem("programs")),
    "DecisionFocusedRegressor": lambda: (
        DecisionFocusedRegressor(GridPaths(2, 2)), (X[:, :3], np.exp(scale(X)))
    ),
    "DecisionFocusedRegressor-own": lambda: (DecisionFocusedRegressor(), own_sets()),
    "BayesianMMC": lambda: (BayesianMMC(n_init=2), (X,)),
    "BayesianMMC-bisecting": lambda: (
        BayesianMMC(3, multi_class="bisecting", n_init=1), (X,)
    ),
    "SDPMMC": lambda: (SDPMMC(), (X[::3],)),
    "SupervisedKMeans": lambda: (SupervisedKMeans(), (SETS, PARTS)),
    "CorrelationClustering": lambda: (CorrelationClustering(), (SETS, PARTS)),
    "DependencyParser": lambda: (DependencyParser(), of_problem("tree")),
    "DependencyParser-sparse": lambda: (DependencyParser(), of_problem("tree-sparse")),
    "RankingSVM": lambda: (RankingSVM(), ranked()),
    "StructuredSVM": lambda: (StructuredSVM(Chain()), of_problem("chain")),
    "LatentSVM": lambda: (
        LatentSVM(PartialChain(), C=1.0, n_init=1), of_problem("chain-partly-known")
    ),
    "KernelMap": lambda: (KernelMap("rbf"), (X,)),
    "Whitening": lambda: (Whitening(), (X,)),
    "DiffusionMap": lambda: (DiffusionMap(), (X,)),
    "PairMap": lambda: (PairMap(), (SETS,)),
}  # fmt: skip

#: The public estimators, which declare what pages and tests ask.
DECLARED = [kind for kind in PUBLIC if hasattr(kind, "about")]


def declared(kind):
    """A new model of an estimator, and the example that it declares, or else rows with labels."""
    example = kind.about.example_data
    return kind(), example() if example else (X, y)


MODELS |= {
    kind.__name__: partial(declared, kind) for kind in DECLARED if kind.__name__ not in MODELS
}
#: Further arguments of ``fit``, by name.
OPTIONS = {"RankingSVM": {"qid": np.repeat(np.arange(4), 5)}}

made = cache(lambda name: MODELS[name]())


def model_of(name):
    """An unfitted model, and the arguments of its ``fit``."""
    model, data = made(name)
    return clone(model), data, OPTIONS.get(name, {})


def quietly(call, *args, **options):
    """Call a function without its warnings: small data need not converge."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*args, **options)


def refitted(name, given=None, **parameters):
    """The model of this name, fitted with these parameters and further arguments."""
    model, data, options = model_of(name)
    return quietly(model.set_params(**parameters).fit, *data, **options, **(given or {}))


@cache
def fitted(name):
    """A fitted model, to be left as it is, and the first argument of ``fit``."""
    return refitted(name), model_of(name)[1][0]


def applied(model, X):
    """What a fitted model makes of inputs, as one that can be compared."""
    made = model.predict(X) if hasattr(model, "predict") else model.transform(X)
    if hasattr(made, "toarray"):
        return made.toarray()
    if isinstance(model, PairMap):
        return [items.similarity(np.ones(items.n_features)) for items in made]
    return made if isinstance(made, np.ndarray) else [made[i] for i in range(len(made))]


#: The kind of each estimator, by the name of its first model; maps of features are transformers.
KINDS = {name: type(made(name)[0]) for name in MODELS if "-" not in name}
KINDS = {name: kind for name, kind in KINDS.items() if hasattr(kind, "predict")}
#: Those that learn from outputs, and of these all that learn from several examples.
SUPERVISED = [name for name in KINDS if issubclass(KINDS[name], StructuredEstimator)]
ON_EXAMPLES = [name for name in SUPERVISED if name != "MultivariateSVM"]
#: Models that take rows and a label for each, and nothing else; scikit-learn's checks cannot make
#: sequences of sets, nor label sets or queries.
ON_ROWS = [
    model
    for name in MODELS
    if type(model := model_of(name)[0]) in DECLARED
    and (tags := get_tags(model)).input_tags.two_d_array
    and tags.target_tags.single_output
    and name not in ("RankingSVM", "MulticlassSVM-stopped", "TaxonomySVM")
] + [TaxonomySVM()]
