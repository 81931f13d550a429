"""Every table that an estimator takes: where it is, and the methods that take it."""

from functools import cache

import numpy as np
import pytest
from cases.estimators import of_problem, quietly
from cases.problems import PROBLEMS, TREE
from sklearn.base import clone

from structsvm.features import DiffusionMap, KernelMap, Whitening
from structsvm.problems import (
    CPM3C,
    MMC,
    SDPMMC,
    AssignmentSVM,
    BayesianMMC,
    ChainSVM,
    CorrelationClustering,
    DependencyParser,
    GraphSVM,
    IntegerProgramSVM,
    MulticlassSVM,
    MultiLabelSVM,
    MultivariateMMC,
    MultivariateSVM,
    PairMap,
    PairTable,
    Program,
    RankingSVM,
    SegmentSVM,
    SupervisedKMeans,
    TaxonomySVM,
)
from structsvm.problems.decisions import DecisionFocusedRegressor, GridPaths, Instance

pandas = pytest.importorskip("pandas")

rng = np.random.default_rng(0)
half = np.arange(40) < 20
X = rng.normal(size=(40, 3)) + 3 * half[:, None]
y = np.where(half, "a", "b")
costs = np.exp(rng.normal(size=(40, 4)))
queries = np.repeat(np.arange(8), 5)
LABELS = np.column_stack([half, X[:, 1] > 0, X[:, 2] > 0]).astype(int)


def frame(array):
    return pandas.DataFrame(array, columns=list("pqrs")[: np.shape(array)[1]])


class Case:
    """An estimator, a table that it is given, the arguments of ``fit``, and methods that take it.

    ``with_table`` makes the arguments of the table; the last of them may be a dict of options.
    """

    def __init__(self, model, table, with_table, *methods):
        self.model, self.table, self.with_table = model, table, with_table
        self.methods = methods

    def arguments(self, table):
        *given, last = self.with_table(table)
        return (given, last) if last.__class__ is Options else ([*given, last], {})

    def fit(self, table):
        args, options = self.arguments(table)
        return quietly(clone(self.model).fit, *args, **options)

    def call(self, model, method, table):
        args, options = self.arguments(table)
        if method == "predict" and isinstance(model, RankingSVM):
            options = {}
        with_y = method in ("score", "regret", "verify", "fit_temperature")
        return getattr(model, method)(*args[: 1 + with_y], **options)


class Options(dict):
    """Further arguments, by name."""


def rows(model, *y, methods=("predict",), **options):
    table = frame(X) if y else frame(X[::3])
    return Case(model, table, lambda table: (table, *y, Options(options)), *methods)


def in_the_last(model, given, field, outputs, *methods):
    """A table that is a field of the last of several inputs, all of which have one."""
    last = given[-1]
    return Case(
        model, getattr(last, field),
        lambda table: ([*given[:-1], last._replace(**{field: table})], outputs), *methods,
    )  # fmt: skip


def in_graphs(field):
    given, labels = (part[::-1] for part in PROBLEMS["graphs-relaxed"](1)[1:])
    given = [g._replace(edge_features=rng.normal(size=(len(g.edges), 3))) for g in given]
    given = [g._replace(**{field: frame(getattr(g, field))}) for g in given]
    return in_the_last(GraphSVM(), given, field, labels, "predict", "predict_relaxed", "score")


def in_sides(field):
    given, matchings = of_problem("assignment-items")
    given = [x._replace(**{field: frame(np.hstack([getattr(x, field)] * 2))}) for x in given]
    return in_the_last(AssignmentSVM(), given, field, matchings, "predict", "score", "verify")


def in_programs():
    given, values = of_problem("programs")
    given = [Program(frame(x.features), x.constraints) for x in given]
    return in_the_last(IntegerProgramSVM(), given, "features", values, "predict", "score")


def of_own_sets():
    given = [Instance(frame(part), GridPaths(2, 2)) for part in rng.normal(size=(12, 4, 3))]
    return in_the_last(
        DecisionFocusedRegressor(), given, "features", costs[:12], "decide", "regret", "score"
    )


def last_of(model, tables, outputs, *methods):
    """The last of several tables."""
    return Case(model, tables[-1], lambda table: ([*tables[:-1], table], outputs), *methods)


def matrices(model, name, *methods):
    given, outputs = of_problem(name)
    return last_of(model, list(map(frame, given)), outputs, *methods)


def sets(model, *methods):
    return last_of(model, [frame(X[::2]), frame(X[1::2])], [y[::2], y[1::2]], *methods)


def sentences():
    given = [[("the", "DET"), ("cat", "NOUN"), ("sleeps", "VERB")], [("go", "VERB"), ("on", "ADV")]]
    given = [pandas.DataFrame(sentence, columns=["word", "tag"]) for sentence in given]
    return last_of(DependencyParser(), given, [[2, 3, 0], [0, 1]], "predict", "score")


def pairs():
    names = [f"{i:02}" for i in range(20)]
    ends = [(i, j) for i in range(20) for j in range(i)]
    index = pandas.MultiIndex.from_tuples([(names[i], names[j]) for i, j in ends])
    table = frame(np.array([np.abs(X[2 * i] - X[2 * j]) for i, j in ends])).set_index(index)
    entities = {name: y[2 * i] for i, name in enumerate(names)}
    model = CorrelationClustering()
    return Case(model, table, lambda table: (PairTable(table), entities), "predict", "score")


def sequences(table):
    return Case(
        ChainSVM(loss="log_loss"), table, lambda given: (given, y, Options(groups=queries)),
        "predict", "score", "verify", "predict_proba", "fit_temperature",
    )  # fmt: skip


def decisions(part, *methods):
    data = {"X": frame(X), "y": frame(costs)}
    return Case(
        DecisionFocusedRegressor(GridPaths(2, 2)), data[part],
        lambda table: tuple((data | {part: table}).values()), *methods,
    )  # fmt: skip


SCORED = "predict", "score"
CASES = {
    "MulticlassSVM": lambda: rows(
        MulticlassSVM(loss="log_loss"), y,
        methods=(*SCORED, "predict_proba", "decision_function", "verify"),
    ),
    "TaxonomySVM": lambda: rows(TaxonomySVM(TREE), np.where(half, "low", "c")),
    "MultivariateSVM": lambda: rows(MultivariateSVM(), half, methods=SCORED),
    "MultiLabelSVM": lambda: rows(MultiLabelSVM(), LABELS, methods=SCORED),
    "MultiLabelSVM y": lambda: Case(
        MultiLabelSVM(), frame(LABELS), lambda table: (X, table), "score", "verify"
    ),
    "RankingSVM": lambda: rows(RankingSVM(), LABELS[:, 1], methods=SCORED, qid=queries),
    "DecisionFocusedRegressor": lambda: decisions("X", "predict", "decide", "regret"),
    "DecisionFocusedRegressor y": lambda: decisions("y", "regret", "score", "verify"),
    "DecisionFocusedRegressor own": of_own_sets,
    "GraphSVM nodes": lambda: in_graphs("features"),
    "GraphSVM edges": lambda: in_graphs("edge_features"),
    "ChainSVM": lambda: sequences(frame(X)),
    "ChainSVM text": lambda: sequences(frame(X).assign(word=y)),
    "ChainSVM list": lambda: matrices(ChainSVM(), "chain", *SCORED, "verify"),
    "SegmentSVM": lambda: matrices(SegmentSVM(max_length=2), "segments", *SCORED),
    "IntegerProgramSVM": in_programs,
    "AssignmentSVM left": lambda: in_sides("left"),
    "AssignmentSVM right": lambda: in_sides("right"),
    "CorrelationClustering": lambda: sets(CorrelationClustering(), *SCORED),
    "CorrelationClustering pairs": pairs,
    "SupervisedKMeans": lambda: sets(SupervisedKMeans(), *SCORED),
    "PairMap": lambda: sets(PairMap(), "transform"),
    "DependencyParser": sentences,
    **{
        type(model).__name__: lambda model=model: rows(model)
        for model in (MMC(n_init=1), CPM3C(2, n_init=1), MultivariateMMC(n_init=1), SDPMMC(),
                      BayesianMMC(n_init=1))
    },
    **{
        type(model).__name__: lambda model=model: rows(model, methods=("transform",))
        for model in (KernelMap(), Whitening(), DiffusionMap())
    },
}  # fmt: skip


@cache
def case_of(name):
    case = CASES[name]()
    return case, case.fit(case.table)
