"""Every problem that comes with structsvm keeps the contract; every estimator keeps scikit-learn's.

PROBLEMS and ESTIMATORS list variants; what has none is tested with the example that it declares.
"""

import functools
import sys
import warnings

import networkx
import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import LinearConstraint
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

import structsvm.problems
from structsvm import Problem, SelfLabelledProblem, StructuredSVM, check_problem
from structsvm.contract.constraints import constraints_of
from structsvm.data.containers import n_examples
from structsvm.oracle.setup import initialize
from structsvm.oracle.violated import absolute_sums
from structsvm.problems import (
    CPM3C,
    MMC,
    SDPMMC,
    Assignment,
    AssignmentSVM,
    AttractiveGraphLabelling,
    AttractiveLabelSet,
    BayesianMMC,
    Bipartite,
    Chain,
    ChainSVM,
    CorrelationClustering,
    CorrelationClusteringProblem,
    CPM3CProblem,
    DecisionFocusedRegressor,
    DecisionProblem,
    DependencyParser,
    DependencyTree,
    DiscreteOracle,
    Graph,
    GraphLabelling,
    GraphSVM,
    GreedyOracle,
    IntegerProgram,
    IntegerProgramSVM,
    ItemSet,
    IterativeOracle,
    LabellingProblem,
    LabelSet,
    Misranking,
    MMCProblem,
    Multiclass,
    MulticlassSVM,
    MultiLabelSVM,
    MultivariateCPM3CProblem,
    MultivariateMMC,
    MultivariateMMCProblem,
    MultivariateSVM,
    PairMap,
    PartialChain,
    PartialIntegerProgram,
    Program,
    RankingProblem,
    RankingSVM,
    RelaxedLabelSet,
    RocAreaProblem,
    Segments,
    SegmentSVM,
    SpectralOracle,
    SupervisedKMeans,
    SupervisedKMeansProblem,
    Taxonomy,
    TaxonomySVM,
    TopKProblem,
    TreeLabelling,
    WeightedLabels,
    bio_transitions,
)
from structsvm.problems.decisions import (
    GridPaths,
    Knapsack,
    MixedIntegerProgram,
    best_decisions,
)
from structsvm.task.bound import bound

TREE = networkx.DiGraph([("top", "a"), ("top", "low"), ("low", "b"), ("low", "c")])
ASYMMETRIC = [[0, 1, 5], [2, 0, 0.5], [100, 1, 0]]


def rows(seed, n=20, d=5):
    return np.random.default_rng(seed).normal(size=(n, d))


def labelled(seed, names=(0, 1, 2)):
    rng = np.random.default_rng(seed)
    return np.array(names)[np.r_[0, 1, 2, rng.integers(3, size=17)]]


def sparse_rows(seed, **kwargs):
    return sparse.csr_matrix(np.maximum(rows(seed, **kwargs), 0))


def partly_known(X, Y):
    """The sequences without their last labels."""
    return X, [[*y[: len(y) // 2].tolist(), *[None] * (len(y) - len(y) // 2)] for y in Y]


def sequences(seed, convert=np.asarray, names=(0, 1, 2), lists=False):
    """Seven sequences of one to four rows, and their labels."""
    rng = np.random.default_rng(seed)
    X, Y = [], []
    for length in (3, 1, 4, 2, 4, 1, 2):
        x = np.maximum(rng.normal(size=(length, 3)), -0.5)
        X.append(x.astype(convert) if convert is np.float32 else convert(x))
        Y.append(np.array(names)[rng.integers(3, size=length)])
    return X, [y.tolist() for y in Y] if lists else Y


def described(seed):
    """The same labels with two of twelve binary features at a position."""
    _, Y = sequences(seed)
    rng = np.random.default_rng(seed)
    return [sparse.csr_matrix(rng.random((len(y), 12)) < 0.2).astype(float) for y in Y], Y


def weighted(seed):
    """The sequences with a weight for each position, some of them 0."""
    X, Y = sequences(seed)
    rng = np.random.default_rng(seed)
    return X, [WeightedLabels(y, rng.integers(3, size=len(y))) for y in Y]


def bio_sequences(seed):
    """The same with labels of the BIO scheme."""
    X, Y = sequences(seed)
    labels = [["O", "B", "I", "I"], ["B", "I", "B", "O"], ["B", "O", "O", "B"]]
    return X, [labels[i % 3][: len(y)] for i, y in enumerate(Y)]


def candidates(seed, convert=np.asarray, names=("a", "b")):
    """Six sequences of one to four positions in segments of one or two, with their candidates."""
    rng = np.random.default_rng(seed)
    X, Y = [], []
    for length in (3, 1, 4, 2, 4, 3):
        x = np.maximum(rng.normal(size=(2 * length, 3)), -0.5)
        X.append(x.astype(convert) if convert is np.float32 else convert(x))
        stops = [*np.flatnonzero(rng.random(length - 1) < 0.5) + 1, length]
        if max(np.diff([0, *stops])) > 2:
            stops = range(1, length + 1)
        starts = [0, *stops[:-1]]
        labels = rng.choice(names, size=len(starts)).tolist()
        Y.append([(int(a), int(b), y) for a, b, y in zip(starts, stops, labels, strict=True)])
    return X, Y


def described_candidates(seed):
    """The same segments with two of twelve binary features each."""
    X, Y = candidates(seed)
    rng = np.random.default_rng(seed)
    return [sparse.csr_matrix(rng.random((len(x), 12)) < 0.2).astype(float) for x in X], Y


def item_sets(seed, convert=np.asarray, pairs=False):
    """Sets of six, five and four items in three, two and two clusters."""
    rng = np.random.default_rng(seed)
    X, Y = [], []
    for m, k in ((6, 3), (5, 2), (4, 2)):
        features = (*np.triu_indices(m), rng.normal(size=(m * (m + 1) // 2, 2))) if pairs else None
        X.append((ItemSet(convert(np.maximum(rng.normal(size=(m, 3)), -0.5)), features), k))
        Y.append(np.r_[np.arange(k), rng.integers(k, size=m - k)])
    return X, Y


def label_sets(seed, convert=np.asarray, n_labels=4):
    """Rows and indicators of their labels, of which some rows have none."""
    rng = np.random.default_rng(seed)
    X = np.maximum(rng.normal(size=(9, 3)), -0.5)
    X = X.astype(convert) if convert is np.float32 else convert(X)
    return X, rng.integers(2, size=(9, n_labels)) * (rng.random((9, 1)) < 0.8)


def open_sets(seed, convert=np.asarray, pairs=False):
    """The same without the numbers of clusters."""
    X, Y = item_sets(seed, convert, pairs)
    return [items for items, _ in X], Y


def two_sets(seed, convert=np.asarray, unmatched=False, items=False):
    """Features of the pairs of two sets of unequal sizes, and matchings of them."""
    rng = np.random.default_rng(seed)
    X, Y = [], []
    for m, n in ((3, 4), (2, 2), (4, 3), (3, 3)):
        y = rng.permutation(np.r_[np.arange(n), np.full(max(0, m - n), -1)])[:m]
        y[rng.random(m) < 0.4 * unmatched] = -1
        pairs = np.maximum(rng.normal(size=(m, n, 3)), -0.5)
        left, right = rng.normal(size=(m, 2)), rng.normal(size=(n, 1))
        if convert is sparse.csr_matrix:
            pairs = convert(pairs.reshape(-1, 3))
        if items or sparse.issparse(pairs):
            pairs = Bipartite(pairs, left, right)
        X.append(convert(pairs) if convert in (np.float32, np.asarray) and not items else pairs)
        Y.append(y)
    return X, Y


def programs(seed, convert=np.asarray, weights=False, unknown=0.0):
    """Two programs of six and five variables with a cover, a sum and an order, and solutions."""
    rng = np.random.default_rng(seed)
    X, Y = [], []
    for v in (6, 5):
        features = np.maximum(rng.normal(size=(v, 3)), -0.5)
        order = np.eye(1, v) - np.eye(1, v, 2)
        x = Program(
            features.astype(convert) if convert is np.float32 else convert(features),
            {
                "cover": LinearConstraint(np.eye(v - 1, v) + np.eye(v - 1, v, 1), 0, 1),
                "order": (sparse.csr_matrix(order), [0]),
                "sum": LinearConstraint(np.ones((1, v)), 1, 2),
            },
        )
        solutions = list(IntegerProgram().outputs(x))
        y = solutions[rng.integers(len(solutions))]
        y = np.where(rng.random(v) < unknown, -1, y)
        X.append(x)
        Y.append((y, rng.random(v)) if weights else y)
    return X, Y


def predicted(seed, optimize, convert=np.asarray, shared=False, sense="min"):
    """Twelve costs of decisions that two features predict."""
    rng = np.random.default_rng(seed)
    m = optimize.n_costs
    X = rng.normal(size=(12, m, 2) if shared else (12, 2))
    scores = X @ [1.0, -1.0] if shared else X @ rng.normal(size=(2, m))
    Y = best_decisions(optimize, np.exp(scores), sense)
    X = X.astype(convert) if convert is np.float32 else convert(X)
    return DecisionProblem(optimize, sense), X, Y


def pieces(**options):
    """Numbers of pieces of five kinds, at most two of each, four of all and three of the last."""
    return MixedIntegerProgram(
        LinearConstraint([[1, 1, 1, 1, 1], [0, 0, 1, 1, 1]], [4, 0], [4, 3]), upper=2, **options
    )


def parsed(seed, convert=np.asarray, single_root=True, names=None):
    """Five sentences of one to four words, with random arcs, and trees."""
    rng = np.random.default_rng(seed)
    X, Y = [], []
    for m in (3, 1, 4, 2, 3):
        x = np.maximum(rng.normal(size=(m, m + 1, 3)), -0.5)
        X.append(x.astype(convert) if convert is np.float32 else convert(x))
        # In some order each word is attached to one before it, the first to the root.
        order, heads = rng.permutation(m) + 1, np.zeros(m, dtype=int)
        for k in range(1, m):
            earlier = order[:k] if single_root else np.append(order[:k], 0)
            heads[order[k] - 1] = rng.choice(earlier)
        labels = [] if names is None else np.array(names)[np.arange(m) % len(names)].tolist()
        Y.append(heads if names is None else list(zip(heads.tolist(), labels, strict=True)))
    return X, Y


def described_arcs(seed):
    """The same trees with labels, and with two of twelve binary features for each arc."""
    X, Y = parsed(seed, names=["det", "obj", "root"])
    rng = np.random.default_rng(seed)
    arcs = [rng.random((x.shape[0] * x.shape[1], 12)) < 0.2 for x in X]
    return [sparse.csr_matrix(x).astype(float) for x in arcs], Y


def arc_rows(x):
    return sparse.csr_matrix(x.reshape(-1, x.shape[-1]))


def queries(seed, convert=np.asarray):
    """Five queries of four or five documents of three grades, one query of equal grades."""
    rng = np.random.default_rng(seed)
    grades = [rng.integers(0, 3, size=4 + i % 2) for i in range(4)] + [np.ones(4, dtype=int)]
    grades[0][:2] = 0, 1
    X = [(convert(rng.normal(size=(len(y), 3))), y) for y in grades]
    return X, [Misranking.none(len(y)) for y in grades]


def relevant(seed):
    """The same with two grades."""
    X, Y = queries(seed)
    return [(rows, np.minimum(y, 1)) for rows, y in X], Y


def labelled_graphs(seed, convert=np.asarray, names=(0, 1), forests=False, weights=False):
    """Four graphs of one to five nodes with features of their edges, and labels."""
    rng = np.random.default_rng(seed)
    X, Y = [], []
    for n in (4, 1, 5, 3):
        first, second = np.triu_indices(n, 1)
        chosen = second == first + 1 if forests else rng.random(len(first)) < 0.7
        edges = np.column_stack([first, second])[chosen]
        features = np.maximum(rng.normal(size=(n, 3)), -0.5)
        features = features.astype(convert) if convert is np.float32 else convert(features)
        X.append(Graph(features, edges, rng.random((len(edges), 2))))
        y = np.array(names)[rng.integers(len(names), size=n)]
        Y.append(WeightedLabels(y, rng.integers(3, size=n)) if weights else y)
    return X, Y


PROBLEMS = {
    "multiclass": lambda s: (Multiclass(), rows(s), labelled(s)),
    "multiclass-sparse": lambda s: (Multiclass(), sparse_rows(s), labelled(s)),
    "multiclass-sparse-array": lambda s: (
        Multiclass(),
        sparse.csr_array(sparse_rows(s)),
        labelled(s),
    ),
    "multiclass-float32": lambda s: (Multiclass(), rows(s).astype(np.float32), labelled(s)),
    "multiclass-sparse32": lambda s: (Multiclass(), sparse_rows(s).astype("f4"), labelled(s)),
    "multiclass-integers": lambda s: (Multiclass(), np.round(9 * rows(s)).astype(int), labelled(s)),
    "multiclass-strings": lambda s: (Multiclass(), rows(s), labelled(s, ["ü", "b", "a long one"])),
    "multiclass-list-of-labels": lambda s: (Multiclass(), rows(s), labelled(s).tolist()),
    "multiclass-negative": lambda s: (Multiclass(), rows(s), labelled(s, [-7, 3, 1000])),
    "multiclass-booleans": lambda s: (Multiclass(), rows(s), labelled(s) > 0),
    "multiclass-cost": lambda s: (Multiclass(ASYMMETRIC), rows(s), labelled(s)),
    "multiclass-cost-sparse": lambda s: (
        Multiclass(ASYMMETRIC),
        sparse_rows(s),
        labelled(s, ["x", "y", "z"]),
    ),
    "taxonomy": lambda s: (Taxonomy(TREE), rows(s), labelled(s, ["a", "b", "c"])),
    "taxonomy-sparse": lambda s: (Taxonomy(TREE), sparse_rows(s), labelled(s, ["a", "b", "low"])),
    "taxonomy-float32": lambda s: (
        Taxonomy(TREE, ASYMMETRIC),
        rows(s).astype(np.float32),
        labelled(s, ["top", "b", "low"]),
    ),
    "taxonomy-parents": lambda s: (
        Taxonomy(networkx.DiGraph([*TREE.edges, ("a", "c")]), None),
        sparse_rows(s).astype("f4"),
        labelled(s, ["a", "b", "c"]),
    ),
    "chain": lambda s: (Chain(), *sequences(s)),
    "chain-sparse": lambda s: (Chain(), *sequences(s, sparse.csr_matrix)),
    "chain-seen-states": lambda s: (Chain(all_possible_states=False), *described(s)),
    "chain-float32": lambda s: (Chain(), *sequences(s, np.float32)),
    "chain-strings": lambda s: (Chain(), *sequences(s, names=["ü", "b", "a long one"])),
    "chain-lists-of-labels": lambda s: (Chain(), *sequences(s, lists=True)),
    "chain-weighted": lambda s: (Chain(class_weight={0: 2.0, 1: 0.5}), *weighted(s)),
    "chain-bio": lambda s: (Chain(bio_transitions), *bio_sequences(s)),
    "chain-partly-known": lambda s: (PartialChain(), *partly_known(*sequences(s))),
    "segments-weighted": lambda s: (Segments(2, class_weight={"a": 2.0, "b": 0.5}), *candidates(s)),
    "segments-seen-states": lambda s: (
        Segments(2, all_possible_states=False),
        *described_candidates(s),
    ),
    "trees-seen-states": lambda s: (
        DependencyTree(all_possible_states=False),
        *described_arcs(s),
    ),
    "segments": lambda s: (Segments(2), *candidates(s)),
    "segments-sparse": lambda s: (Segments(2), *candidates(s, sparse.csr_matrix)),
    "segments-float32": lambda s: (Segments(2), *candidates(s, np.float32)),
    "segments-one-label": lambda s: (Segments(2), *candidates(s, names=("x", "x"))),
    "assignment": lambda s: (Assignment(), *two_sets(s)),
    "assignment-float32": lambda s: (Assignment(), *two_sets(s, np.float32)),
    "assignment-items": lambda s: (Assignment(), *two_sets(s, items=True)),
    "assignment-unmatched": lambda s: (Assignment(True), *two_sets(s, unmatched=True)),
    "assignment-sparse": lambda s: (
        Assignment(unmatched=True),
        *two_sets(s, sparse.csr_matrix, unmatched=True),
    ),
    "graphs-relaxed": lambda s: (GraphLabelling(), *labelled_graphs(s)),
    "graphs-relaxed-3": lambda s: (GraphLabelling(), *labelled_graphs(s, names=("x", "ü", "z"))),
    "graphs-expansion": lambda s: (
        GraphLabelling("expansion", directed=True),
        *labelled_graphs(s, sparse.csr_matrix, names=(3, 1, 7)),
    ),
    "graphs-flow": lambda s: (AttractiveGraphLabelling(), *labelled_graphs(s, np.float32)),
    "graphs-flow-sparse": lambda s: (
        AttractiveGraphLabelling(class_weight="balanced"),
        *labelled_graphs(s, sparse.csr_matrix),
    ),
    "graphs-potts": lambda s: (
        AttractiveGraphLabelling("expansion"),
        *labelled_graphs(s, names=(0, 1, 2), weights=True),
    ),
    "graphs-trees": lambda s: (TreeLabelling(), *labelled_graphs(s, forests=True)),
    "graphs-trees-sparse": lambda s: (
        TreeLabelling(True, {0: 2.0}),
        *labelled_graphs(s, sparse.csr_matrix, (0, 1, 2), forests=True, weights=True),
    ),
    "graphs-trees-float32": lambda s: (
        TreeLabelling(),
        *labelled_graphs(s, np.float32, forests=True),
    ),
    "programs": lambda s: (IntegerProgram(), *programs(s)),
    "programs-relaxed": lambda s: (
        IntegerProgram(relaxation=True),
        *programs(s, sparse.csr_matrix),
    ),
    "programs-limited": lambda s: (
        IntegerProgram(60.0, 0.1),
        *programs(s, np.float32, weights=True),
    ),
    "decisions": lambda s: predicted(s, GridPaths(2, 3)),
    "decisions-sparse": lambda s: predicted(s, GridPaths(2, 3), sparse.csr_matrix),
    "decisions-float32": lambda s: predicted(s, GridPaths(3, 2), np.float32),
    "decisions-shared": lambda s: predicted(s, GridPaths(2, 3), shared=True),
    "decisions-own": lambda s: (DecisionProblem(), *DecisionProblem.example_data()),
    "decisions-most": lambda s: predicted(
        s, Knapsack([[3, 2, 4, 1], [1, 3, 2, 4]], [6, 6]), sense="max"
    ),
    "decisions-numbers": lambda s: predicted(s, pieces()),
    "decisions-gap": lambda s: predicted(s, pieces(mip_rel_gap=0.1)),
    "programs-partly-known": lambda s: (PartialIntegerProgram(), *programs(s, unknown=0.5)),
    "programs-partly-known-weights": lambda s: (
        PartialIntegerProgram(),
        *programs(s, sparse.csr_matrix, weights=True, unknown=0.7),
    ),
    "tree": lambda s: (DependencyTree(), *parsed(s)),
    "tree-roots": lambda s: (DependencyTree(False), *parsed(s, single_root=False)),
    "tree-projective": lambda s: (
        DependencyTree(projective=True),
        *(both[1::2] for both in parsed(s, arc_rows)),
    ),
    "tree-sparse": lambda s: (DependencyTree(), *parsed(s, arc_rows)),
    "tree-float32": lambda s: (DependencyTree(), *parsed(s, np.float32)),
    "tree-labels": lambda s: (
        DependencyTree(),
        *(both[:2] for both in parsed(s, names=["a", "b"])),
    ),
    "tree-labels-sparse": lambda s: (
        DependencyTree(False),
        *parsed(s, arc_rows, single_root=False, names=["ü", "a long one"]),
    ),
    "mmc": lambda s: (MMCProblem(), [rows(s, n=7, d=3)], None),
    "mmc-balance": lambda s: (MMCProblem(0.3), [rows(s, n=7, d=3) + 4], None),
    "mmc-sparse": lambda s: (MMCProblem(0.1), [sparse_rows(s, n=7, d=3)], None),
    "mmc-float32": lambda s: (MMCProblem(), [rows(s, n=7, d=3).astype(np.float32)], None),
    "mmc-many-rows": lambda s: (MMCProblem(0.3), [rows(s, n=200)], None),
    "mmc-sparse32-many-rows": lambda s: (MMCProblem(), [sparse_rows(s, n=200).astype("f4")], None),
    "mmc-known": lambda s: (MMCProblem(), [rows(s, n=7, d=3)], [np.arange(7) % 3 - 1]),
    "cpm3c": lambda s: (CPM3CProblem(3), [rows(s, n=6, d=3)], None),
    "cpm3c-balance": lambda s: (CPM3CProblem(3, 0.3), [rows(s, n=5, d=3) + 4], None),
    "cpm3c-sparse": lambda s: (CPM3CProblem(2, 0.1), [sparse_rows(s, n=6, d=3)], None),
    "cpm3c-float32": lambda s: (CPM3CProblem(4), [rows(s, n=60).astype(np.float32)], None),
    "cpm3c-sizes": lambda s: (CPM3CProblem(5, 0.2, 0.15), [sparse_rows(s, n=60)], None),
    "cpm3c-uncentred": lambda s: (CPM3CProblem(3, center=False), [rows(s, n=5, d=3) + 1], None),
    "cpm3c-known": lambda s: (CPM3CProblem(3), [rows(s, n=5, d=3)], [np.arange(5) % 4 - 1]),
    "nmi": lambda s: (MultivariateMMCProblem(), [rows(s, n=7, d=3)], None),
    "nmi-many-rows": lambda s: (MultivariateMMCProblem(balance=0.2), [rows(s, n=200)], None),
    "rand-sparse": lambda s: (MultivariateMMCProblem("rand"), [sparse_rows(s, n=7, d=3)], None),
    "f-known": lambda s: (MultivariateMMCProblem("f"), [rows(s, n=7)], [np.arange(7) % 3 - 1]),
    "error": lambda s: (MultivariateMMCProblem("error"), [rows(s, n=7)], None),
    "nmi-3": lambda s: (MultivariateCPM3CProblem(3), [rows(s, n=6, d=3)], None),
    "rand-3-sparse": lambda s: (
        MultivariateCPM3CProblem(3, "rand", balance=0.1),
        [sparse_rows(s, n=7, d=3)],
        None,
    ),
    "f-4-known": lambda s: (
        MultivariateCPM3CProblem(4, "f"),
        [rows(s, n=30)],
        [np.arange(30) % 5 - 1],
    ),
    "label-set": lambda s: (LabelSet(), *label_sets(s)),
    "label-set-f1": lambda s: (LabelSet("independent", "f1"), *label_sets(s)),
    "label-set-float32": lambda s: (LabelSet("tree"), *label_sets(s, np.float32)),
    "label-set-sparse": lambda s: (LabelSet("pairs", "f1"), *label_sets(s, sparse.csr_matrix)),
    "label-set-relaxed": lambda s: (RelaxedLabelSet(), *label_sets(s)),
    "label-set-attractive": lambda s: (AttractiveLabelSet(), *label_sets(s)),
    "f1": lambda s: (LabellingProblem(), [rows(s, n=8)], [labelled(s)[:8] > 0]),
    "f1-sparse": lambda s: (LabellingProblem(), [sparse_rows(s, n=60)], [np.arange(60) < 9]),
    "roc-area": lambda s: (RocAreaProblem(), [(rows(s, n=7), np.arange(7) < 3)], [np.zeros(7)]),
    "average-precision": lambda s: (RankingProblem("average_precision"), *relevant(s)),
    "ndcg": lambda s: (RankingProblem("ndcg"), *queries(s)),
    "ndcg-at-2": lambda s: (RankingProblem("ndcg", 2), *queries(s, sparse.csr_matrix)),
    "precision-at-2": lambda s: (RankingProblem("precision_at_k", 2), *relevant(s)),
    "ranked-pairs": lambda s: (RankingProblem("roc_area"), *queries(s, np.float32)),
    "kmeans": lambda s: (SupervisedKMeansProblem(IterativeOracle(8)), *item_sets(s)),
    "kmeans-pairs": lambda s: (SupervisedKMeansProblem(scale=3.0), *item_sets(s, pairs=True)),
    "kmeans-nonnegative": lambda s: (SupervisedKMeansProblem(nonnegative=True), *item_sets(s)),
    "kmeans-spectral": lambda s: (
        SupervisedKMeansProblem("spectral"),
        *item_sets(s, sparse.csr_matrix, pairs=True),
    ),
    "kmeans-discrete": lambda s: (
        SupervisedKMeansProblem(DiscreteOracle(1), SpectralOracle()),
        *item_sets(s),
    ),
    "correlation": lambda s: (CorrelationClusteringProblem(), *open_sets(s)),
    "correlation-sparse": lambda s: (
        CorrelationClusteringProblem(GreedyOracle(3), scale=2.0, nonnegative=True),
        *open_sets(s, sparse.csr_matrix, pairs=True),
    ),
    "correlation-relaxed": lambda s: (
        CorrelationClusteringProblem("relaxed", "relaxed"),
        *(both[1:] for both in open_sets(s, pairs=True)),
    ),
    "top-k": lambda s: (TopKProblem(2), [(rows(s, n=7), np.arange(7) < 3)], [np.zeros(7)]),
}

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

#: The estimators, which declare what pages and tests ask, and the problems.
PUBLIC = [getattr(structsvm.problems, name) for name in structsvm.problems.__all__]
DECLARED = [kind for kind in PUBLIC if hasattr(kind, "about")]
ESTIMATORS += [kind() for kind in DECLARED if kind not in map(type, ESTIMATORS)]
VARIED = {type(make(0)[0]) for make in PROBLEMS.values()}
PROBLEMS |= {
    kind.__name__: lambda seed, kind=kind: (kind(), *kind.example_data())
    for kind in PUBLIC
    if isinstance(kind, type) and issubclass(kind, Problem) and kind not in VARIED
}

#: Those that take rows and a label for each, and nothing else; scikit-learn's checks cannot make
#: sequences of sets, nor label sets or queries.
ON_ROWS = [
    estimator
    for estimator in ESTIMATORS
    if get_tags(estimator).input_tags.two_d_array
    and get_tags(estimator).target_tags.single_output
    and not isinstance(estimator, RankingSVM)
]

#: scikit-learn asks for one cluster here, which is no clustering by a margin.
ONE_CLUSTER = dict.fromkeys(
    (
        "check_dont_overwrite_parameters",
        "check_fit2d_1feature",
        "check_fit2d_predict1d",
        "check_methods_subset_invariance",
    ),
    "n_clusters must be at least 2",
)


#: These take all that has probabilities for a classifier, once it accepts sparse rows.
PROBABILITIES = dict.fromkeys(
    ("check_estimator_sparse_array", "check_estimator_sparse_matrix"),
    "a clusterer with predict_proba has no classifier tags",
)


#: scikit-learn compares scores to 1e-7; tests/problems/test_sample_weight.py compares objectives.
WEIGHTS = dict.fromkeys(
    (
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    ),
    "scores agree as far as the gap tells",
)


def expected_failures(estimator):
    several = hasattr(estimator, "n_clusters") and not isinstance(estimator, SDPMMC)
    failures = ONE_CLUSTER if several else {}
    failures = failures | WEIGHTS if is_classifier(estimator) else failures
    return failures | PROBABILITIES if isinstance(estimator, BayesianMMC) else failures


@pytest.mark.sampled(101)
@pytest.mark.parametrize("seed", [0, *(pytest.param(s, marks=pytest.mark.slow) for s in (1, 2))])
@pytest.mark.parametrize("name", PROBLEMS)
def test_problem_keeps_the_contract(name, seed):
    problem, X, Y = PROBLEMS[name](seed)
    try:
        X[0]
    except NotImplementedError:
        pytest.skip("this scipy cannot index the rows of a sparse array")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_problem(problem, X, Y, max_examples=5, random_state=seed)


def separated(problem, X, Y):
    """The task of the data and labels, and the outputs of its search at a random w."""
    initialize(problem, X, Y)
    w = np.random.default_rng(0).normal(size=problem.size_joint_feature)
    lower = constraints_of(problem).lower
    w = w if lower is None else np.maximum(w, lower)
    task = bound(problem, X, Y, np.arange(n_examples(X)))
    imputed = isinstance(problem, SelfLabelledProblem)
    task = task.with_labels(task.impute(w)) if imputed else task
    return task, task.search(w)


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_search_by_an_inexact_solver_declares_its_roundoff(name, monkeypatch):
    problem, X, Y = PROBLEMS[name](0)
    calls = []
    for module in [m for n, m in sys.modules.items() if n.startswith("structsvm.problems.")]:
        for solver in ("linprog", "milp", "eigsh"):
            if (original := getattr(module, solver, None)) is not None:
                recorded = functools.partial(_record, calls, original)
                monkeypatch.setattr(module, solver, recorded)
    separated(problem, X, Y)
    assert problem.roundoff or not calls


def _record(calls, original, *args, **kwargs):
    calls.append(original)
    return original(*args, **kwargs)


def changed(x, change):
    """An input with other features, dense or the entries of a CSR matrix."""
    if isinstance(x, tuple):
        parts = [changed(part, change) for part in x]
        return type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)
    if isinstance(x, list) or (isinstance(x, np.ndarray) and x.dtype == object):
        return [changed(part, change) for part in x]
    if getattr(x, "dtype", np.dtype(int)).kind != "f":
        return x
    if not sparse.issparse(x):
        return change(x)
    x = x.copy()
    x.data = change(x.data)
    return x


@pytest.mark.parametrize("name", PROBLEMS)
def test_terms_that_cancel_count_in_rounding_errors(name):
    problem, X, Y = PROBLEMS[name](0)
    own, outputs = separated(problem, X, Y)

    def sizes(change):
        task, _ = separated(problem, changed(X, change), Y)
        return absolute_sums(task.with_labels(own.Y), True, outputs)[0]

    positive = sizes(np.abs)
    assert np.all(sizes(np.array) >= 0.1 * positive)
    features = np.flatnonzero(sizes(lambda x: 2 * np.abs(x)) > 1.9 * positive)
    assert np.all(sizes(lambda x: x + 1e3)[features] >= 100 * positive[features])


@pytest.mark.slow
@parametrize_with_checks(ON_ROWS, expected_failed_checks=expected_failures)
def test_estimator_keeps_to_scikit_learn(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of labels that are all known, for example
        check(estimator)


def test_each_estimator_declares_what_pages_and_tests_ask():
    kinds = [kind for kind in PUBLIC if isinstance(kind, type) and hasattr(kind, "predict")]
    assert sorted(map(repr, kinds)) == sorted(map(repr, DECLARED))
    assert all("about" in vars(kind) for kind in kinds)  # and inherits it from no other
    assert {type(estimator) for estimator in ESTIMATORS} == {*kinds, PairMap}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("estimator", ON_ROWS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix, np.float32])
def test_training_spills_no_warnings(estimator, convert):
    if convert is sparse.csr_matrix and not get_tags(estimator).input_tags.sparse:
        pytest.skip("it takes dense X")
    # Classes that overlap: where they do not, the objective of a fit in single precision may be so
    # small that its rounding errors are above the tolerance, which a warning says.
    X, y = make_blobs(60, n_features=4, centers=3, cluster_std=4.0, random_state=0)
    labels = None
    if is_classifier(estimator):
        labels = y if get_tags(estimator).classifier_tags.multi_class else y == 0
    # Two clusters of three such classes are undecided, which a warning of SDPMMC says.
    settings = {"n_clusters": 3} if isinstance(estimator, SDPMMC) else {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = clone(estimator).set_params(**settings).fit(convert(X), labels)
        fitted.predict(convert(X))


def test_grid_search_and_pipeline():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), MulticlassSVM(C=1.0, fit_intercept=True))
    grid = {"multiclasssvm__C": [1.0, 30.0], "multiclasssvm__cost": [None, 1 - np.eye(3)]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.93


def test_grid_search_over_a_problem():
    X, y = load_iris(return_X_y=True)
    svm = StructuredSVM(Multiclass())
    costs = [None, (1 - np.eye(3)).tolist()]
    folds = KFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(svm, {"C": [1.0, 100.0], "problem__cost": costs}, cv=folds).fit(X, y)
    assert search.best_params_["C"] == 100.0
    assert search.best_score_ > 0.9


def test_a_training_cut_short_warns():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(ConvergenceWarning):
        MMC(n_init=1, max_iter=1, random_state=0).fit(X)
    from structsvm import OneSlackCuttingPlane

    with pytest.warns(ConvergenceWarning, match="gap"):
        MulticlassSVM(C=1e3, fit_intercept=False, solver=OneSlackCuttingPlane(max_iter=2)).fit(X, y)
