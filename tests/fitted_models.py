"""A fitted model of every kind, with data to predict."""

import warnings
from functools import partial

import numpy as np
from cases.estimators import DECLARED
from cases.problems import PROBLEMS, TREE
from sklearn.datasets import load_iris

from structsvm import LatentSVM, StructuredSVM
from structsvm.features import DiffusionMap, KernelMap, Whitening
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
    PartialChain,
    RankingSVM,
    SegmentSVM,
    SupervisedKMeans,
    TaxonomySVM,
    bio_transitions,
)
from structsvm.problems.decisions import DecisionProblem, GridPaths

X, y = load_iris(return_X_y=True)
SETS = [X[::10], X[1::10]]
PARTS = [y[::10], y[1::10]]
WORDS = [[{"a": 1, "b": "x"}, {"a": 2}], [{"c": True}]], [["u", "v"], ["u"]]


def of_problem(name):
    return PROBLEMS[name](0)[1:]


#: Estimators, with inputs and outputs for ``fit``.
MODELS = {
    "MulticlassSVM": lambda: (MulticlassSVM(), of_problem("multiclass-strings")),
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
    "MMC": lambda: (MMC(n_init=2), (X[:100],)),
    "MMC-rbf": lambda: (MMC(kernel="rbf"), (X[:100],)),
    "MMC-diffusion": lambda: (MMC(kernel="diffusion"), (X[:100],)),
    "CPM3C": lambda: (CPM3C(3), (X,)),
    "CPM3C-cccp": lambda: (CPM3C(3, search="cccp", n_init=2), (X,)),
    "MultivariateMMC": lambda: (MultivariateMMC(n_init=2), (X,)),
    "MultivariateSVM": lambda: (MultivariateSVM(), (X, y == 0)),
    "AssignmentSVM": lambda: (AssignmentSVM(), of_problem("assignment")),
    "MultiLabelSVM": lambda: (MultiLabelSVM(), of_problem("label-set")),
    "GraphSVM": lambda: (GraphSVM(), of_problem("graphs-relaxed")),
    "IntegerProgramSVM": lambda: (IntegerProgramSVM(), of_problem("programs")),
    "DecisionFocusedRegressor": lambda: (
        DecisionFocusedRegressor(GridPaths(2, 2)), (X[:, :3], np.exp(X))
    ),
    "DecisionFocusedRegressor-own": lambda: (DecisionFocusedRegressor(), own_sets()),
    "BayesianMMC": lambda: (BayesianMMC(n_init=2), (X,)),
    "SDPMMC": lambda: (SDPMMC(), (X[:60:2],)),
    "SupervisedKMeans": lambda: (SupervisedKMeans(), (SETS, PARTS)),
    "CorrelationClustering": lambda: (CorrelationClustering(), (SETS, PARTS)),
    "DependencyParser": lambda: (DependencyParser(), of_problem("tree")),
    "RankingSVM": lambda: (RankingSVM(), ranked()),
    "StructuredSVM": lambda: (StructuredSVM(PROBLEMS["chain"](0)[0]), of_problem("chain")),
    "LatentSVM": lambda: (LatentSVM(PartialChain(), n_init=2), of_problem("chain-partly-known")),
    "KernelMap": lambda: (KernelMap("rbf"), (X,)),
    "Whitening": lambda: (Whitening(), (X,)),
    "DiffusionMap": lambda: (DiffusionMap(), (X,)),
    "PairMap": lambda: (PairMap(), (SETS,)),
}  # fmt: skip


def declared(kind):
    """A new model of an estimator, and the example that it declares, or else rows with labels."""
    example = kind.about.example_data
    return kind(), example() if example else (X, y)


MODELS |= {
    kind.__name__: partial(declared, kind) for kind in DECLARED if kind.__name__ not in MODELS
}


def own_sets():
    """Inputs with feasible sets of their own, and true costs."""
    X, Y = DecisionProblem.example_data()
    return X, [y.costs for y in Y]


#: Further arguments of ``fit``, by name.
OPTIONS = {"RankingSVM": {"qid": np.repeat(np.arange(4), 5)}}


def ranked():
    """Documents and their relevance."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(20, 3)), rng.integers(3, size=20)


def model_of(name):
    """An unfitted model, and the arguments of its ``fit``."""
    model, data = MODELS[name]()
    return model, data, OPTIONS.get(name, {})


def quietly(call, *args, **options):
    """Call a function without its warnings: small data need not converge."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*args, **options)


def fitted(name):
    """A fitted model, and the first argument of ``fit``."""
    model, data, options = model_of(name)
    return quietly(model.fit, *data, **options), data[0]


def applied(model, X):
    """What a fitted model makes of inputs, as one that can be compared."""
    made = model.predict(X) if hasattr(model, "predict") else model.transform(X)
    if hasattr(made, "toarray"):
        return made.toarray()
    if isinstance(model, PairMap):
        return [items.similarity(np.ones(items.n_features)) for items in made]
    return made if isinstance(made, np.ndarray) else [made[i] for i in range(len(made))]
