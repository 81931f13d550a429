"""A table of problems with small data: variants by hand, and what each other problem declares.

``PROBLEMS[name](seed)`` is a new problem of the library, its inputs and its outputs.
"""

import copy
from functools import partial

import networkx
import numpy as np
from scipy import sparse
from scipy.optimize import LinearConstraint

import structsvm.problems
from structsvm import Problem
from structsvm.problems import (
    Assignment,
    AttractiveGraphLabelling,
    AttractiveLabelSet,
    Bipartite,
    Chain,
    CorrelationClusteringProblem,
    CPM3CProblem,
    DecisionProblem,
    DependencyTree,
    DiscreteOracle,
    Graph,
    GraphLabelling,
    GreedyOracle,
    IntegerProgram,
    ItemSet,
    IterativeOracle,
    LabellingProblem,
    LabelSet,
    Misranking,
    MMCProblem,
    Multiclass,
    MultivariateCPM3CProblem,
    MultivariateMMCProblem,
    PartialChain,
    PartialIntegerProgram,
    Program,
    RankingProblem,
    RelaxedLabelSet,
    RocAreaProblem,
    Segments,
    SpectralOracle,
    SupervisedKMeansProblem,
    Taxonomy,
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

TREE = networkx.DiGraph([("top", "a"), ("top", "low"), ("low", "b"), ("low", "c")])
TWO_PARENTS = networkx.DiGraph([*TREE.edges, ("a", "c")])
ASYMMETRIC = [[0, 1, 5], [2, 0, 0.5], [100, 1, 0]]
STRINGS = ["ü", "b", "a long one"]

csr = sparse.csr_matrix
f4 = np.float32


def case(problem, data, some=slice(None), **options):
    """A function of a seed: a copy of the problem, and some of the examples drawn by ``data``."""

    def made(seed):
        X, Y = data(seed, **options)
        return copy.deepcopy(problem), X[some], None if Y is None else Y[some]

    return made


def initialized(problem, X, Y):
    problem.initialize(X, Y)
    return problem


def csr32(X):
    return csr(X, dtype=f4)


def rows(seed, n=20, d=5):
    return np.random.default_rng(seed).normal(size=(n, d))


def sparse_rows(seed, **kwargs):
    return csr(np.maximum(rows(seed, **kwargs), 0))


def labelled(seed, names=(0, 1, 2)):
    rng = np.random.default_rng(seed)
    return np.array(names)[np.r_[0, 1, 2, rng.integers(3, size=17)]]


def table(seed, convert=np.asarray, names=(0, 1, 2), as_labels=np.asarray):
    """Twenty rows and a label of three for each; sparse rows have no negative entries."""
    X = sparse_rows(seed) if convert in (csr, csr32, sparse.csr_array) else rows(seed)
    return convert(X), as_labels(labelled(seed, names))


def unlabelled(seed, n=7, d=3, convert=np.asarray, shift=0, known=None):
    """One input of n rows; with ``known`` clusters every row but some has a label."""
    X = sparse_rows(seed, n=n, d=d) if convert in (csr, csr32) else rows(seed, n=n, d=d) + shift
    return [convert(X)], None if known is None else [np.arange(n) % (known + 1) - 1]


def sequences(seed, convert=np.asarray, names=(0, 1, 2), lists=False):
    """Seven sequences of one to four rows, and their labels."""
    rng = np.random.default_rng(seed)
    X, Y = [], []
    for length in (3, 1, 4, 2, 4, 1, 2):
        X.append(convert(np.maximum(rng.normal(size=(length, 3)), -0.5)))
        Y.append(np.array(names)[rng.integers(3, size=length)])
    return X, [y.tolist() for y in Y] if lists else Y


def partly_known(seed):
    """The sequences without their last labels."""
    X, Y = sequences(seed)
    return X, [[*y[: len(y) // 2].tolist(), *[None] * (len(y) - len(y) // 2)] for y in Y]


def binary(seed, lengths):
    """Sparse rows with two of twelve features each, about."""
    rng = np.random.default_rng(seed)
    return [csr(rng.random((length, 12)) < 0.2).astype(float) for length in lengths]


def described(seed):
    """The same labels with two of twelve binary features at a position."""
    _, Y = sequences(seed)
    return binary(seed, map(len, Y)), Y


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
        X.append(convert(np.maximum(rng.normal(size=(2 * length, 3)), -0.5)))
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
    return binary(seed, map(len, X)), Y


def item_sets(seed, convert=np.asarray, pairs=False):
    """Sets of six, five and four items in three, two and two clusters."""
    rng = np.random.default_rng(seed)
    X, Y = [], []
    for m, k in ((6, 3), (5, 2), (4, 2)):
        features = (*np.triu_indices(m), rng.normal(size=(m * (m + 1) // 2, 2))) if pairs else None
        X.append((ItemSet(convert(np.maximum(rng.normal(size=(m, 3)), -0.5)), features), k))
        Y.append(np.r_[np.arange(k), rng.integers(k, size=m - k)])
    return X, Y


def open_sets(seed, convert=np.asarray, pairs=False):
    """The same without the numbers of clusters."""
    X, Y = item_sets(seed, convert, pairs)
    return [items for items, _ in X], Y


def label_sets(seed, convert=np.asarray, n_labels=4):
    """Rows and indicators of their labels, of which some rows have none."""
    rng = np.random.default_rng(seed)
    X = convert(np.maximum(rng.normal(size=(9, 3)), -0.5))
    return X, rng.integers(2, size=(9, n_labels)) * (rng.random((9, 1)) < 0.8)


def two_sets(seed, convert=np.asarray, unmatched=False, items=False):
    """Features of the pairs of two sets of unequal sizes, and matchings of them."""
    rng = np.random.default_rng(seed)
    X, Y = [], []
    for m, n in ((3, 4), (2, 2), (4, 3), (3, 3)):
        y = rng.permutation(np.r_[np.arange(n), np.full(max(0, m - n), -1)])[:m]
        y[rng.random(m) < 0.4 * unmatched] = -1
        pairs = np.maximum(rng.normal(size=(m, n, 3)), -0.5)
        left, right = rng.normal(size=(m, 2)), rng.normal(size=(n, 1))
        pairs = convert(pairs.reshape(-1, 3) if convert is csr else pairs)
        X.append(Bipartite(pairs, left, right) if items or convert is csr else pairs)
        Y.append(y)
    return X, Y


def programs(seed, convert=np.asarray, weights=False, unknown=0.0):
    """Two programs of five and four variables with a cover, a sum and an order, and solutions."""
    rng = np.random.default_rng(seed)
    X, Y = [], []
    for v in (5, 4):
        features = np.maximum(rng.normal(size=(v, 3)), -0.5)
        order = np.eye(1, v) - np.eye(1, v, 2)
        constraints = {
            "cover": LinearConstraint(np.eye(v - 1, v) + np.eye(v - 1, v, 1), 0, 1),
            "order": (csr(order), [0]),
            "sum": LinearConstraint(np.ones((1, v)), 1, 2),
        }
        X.append(Program(convert(features), constraints))
        solutions = list(IntegerProgram().outputs(X[-1]))
        y = solutions[rng.integers(len(solutions))]
        y = np.where(rng.random(v) < unknown, -1, y)
        Y.append((y, rng.random(v)) if weights else y)
    return X, Y


def predicted(optimize, convert=np.asarray, shared=False, sense="min"):
    """A function of a seed: decisions by twelve costs that two features predict."""

    def made(seed):
        rng = np.random.default_rng(seed)
        m = optimize.n_costs
        X = rng.normal(size=(12, m, 2) if shared else (12, 2))
        scores = X @ [1.0, -1.0] if shared else X @ rng.normal(size=(2, m))
        Y = best_decisions(optimize, np.exp(scores), sense)
        return DecisionProblem(copy.deepcopy(optimize), sense), convert(X), Y

    return made


def pieces(**options):
    """Numbers of pieces of three kinds, at most two of each, three of all and two of the last."""
    return MixedIntegerProgram(
        LinearConstraint([[1, 1, 1], [0, 1, 1]], [3, 0], [3, 2]), upper=2, **options
    )


def parsed(seed, convert=np.asarray, single_root=True, names=None):
    """Five sentences of one to four words, with random arcs, and trees."""
    rng = np.random.default_rng(seed)
    X, Y = [], []
    for m in (3, 1, 4, 2, 3):
        X.append(convert(np.maximum(rng.normal(size=(m, m + 1, 3)), -0.5)))
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
    X, Y = parsed(seed, names=["det", "root"])
    return binary(seed, (x.shape[0] * x.shape[1] for x in X)), Y


def arc_rows(x):
    return csr(x.reshape(-1, x.shape[-1]))


def queries(seed, convert=np.asarray, highest=2):
    """Five queries of four or five documents of three grades, one query of equal grades."""
    rng = np.random.default_rng(seed)
    grades = [rng.integers(0, 3, size=4 + i % 2) for i in range(4)] + [np.ones(4, dtype=int)]
    for y in grades[:4]:
        y[:2] = 0, 1
    X = [(convert(rng.normal(size=(len(y), 3))), np.minimum(y, highest)) for y in grades]
    return X, [Misranking.none(len(y)) for y in grades]


def one_query(seed):
    """Seven documents, of which the first three are relevant, and the ranking without errors."""
    return [(rows(seed, n=7), np.arange(7) < 3)], [np.zeros(7)]


def documents(seed, n=8, convert=np.asarray, relevant=3):
    """One input of n rows and the booleans that tell the relevant ones."""
    X = sparse_rows(seed, n=n) if convert is csr else rows(seed, n=n)
    return [convert(X)], [np.random.default_rng(seed).permutation(n) < relevant]


def labelled_graphs(seed, convert=np.asarray, names=(0, 1), forests=False, weights=False):
    """Three graphs of one to three nodes with features of their edges, and labels."""
    rng = np.random.default_rng(seed)
    X, Y = [], []
    for n in (3, 1, 2):
        first, second = np.triu_indices(n, 1)
        chosen = second == first + 1 if forests else rng.random(len(first)) < 0.7
        edges = np.column_stack([first, second])[chosen]
        features = convert(np.maximum(rng.normal(size=(n, 3)), -0.5))
        X.append(Graph(features, edges, rng.random((len(edges), 2))))
        y = np.array(names)[rng.integers(len(names), size=n)]
        Y.append(WeightedLabels(y, rng.integers(3, size=n)) if weights else y)
    return X, Y


kmeans, correlation = SupervisedKMeansProblem, CorrelationClusteringProblem
nmi, nmi_of = MultivariateMMCProblem, MultivariateCPM3CProblem
forests = partial(labelled_graphs, forests=True)

PROBLEMS = {
    "multiclass": case(Multiclass(), table),
    "multiclass-sparse": case(Multiclass(), table, convert=csr),
    "multiclass-sparse-array": case(Multiclass(), table, convert=sparse.csr_array),
    "multiclass-float32": case(Multiclass(), table, convert=f4),
    "multiclass-sparse32": case(Multiclass(), table, convert=csr32),
    "multiclass-strings": case(Multiclass(), table, names=STRINGS),
    "multiclass-list-of-labels": case(Multiclass(), table, as_labels=np.ndarray.tolist),
    "multiclass-booleans": case(Multiclass(), table, names=[False, True, True]),
    "multiclass-cost": case(Multiclass(ASYMMETRIC), table),
    "multiclass-cost-sparse": case(Multiclass(ASYMMETRIC), table, convert=csr, names=STRINGS),
    "taxonomy": case(Taxonomy(TREE), table, names=["a", "b", "c"]),
    "taxonomy-float32": case(
        Taxonomy(TREE, ASYMMETRIC), table, convert=f4, names=["top", "b", "low"]
    ),
    "taxonomy-parents": case(
        Taxonomy(TWO_PARENTS, None), table, convert=csr32, names=["a", "b", "c"]
    ),
    "chain": case(Chain(), sequences),
    "chain-sparse": case(Chain(), sequences, convert=csr),
    "chain-seen-states": case(Chain(all_possible_states=False), described),
    "chain-float32": case(Chain(), sequences, convert=f4),
    "chain-strings": case(Chain(), sequences, names=STRINGS, lists=True),
    "chain-weighted": case(Chain(class_weight={0: 2.0, 1: 0.5}), weighted),
    "chain-bio": case(Chain(bio_transitions), bio_sequences),
    "chain-partly-known": case(PartialChain(), partly_known),
    "segments": case(Segments(2), candidates),
    "segments-sparse": case(Segments(2), candidates, convert=csr),
    "segments-float32": case(Segments(2), candidates, convert=f4),
    "segments-one-label": case(Segments(2), candidates, names=("x", "x")),
    "segments-weighted": case(Segments(2, class_weight={"a": 2.0, "b": 0.5}), candidates),
    "segments-seen-states": case(Segments(2, all_possible_states=False), described_candidates),
    "assignment": case(Assignment(), two_sets),
    "assignment-float32": case(Assignment(), two_sets, convert=f4),
    "assignment-items": case(Assignment(), two_sets, items=True),
    "assignment-unmatched": case(Assignment(True), two_sets, unmatched=True),
    "assignment-sparse": case(Assignment(True), two_sets, convert=csr, unmatched=True),
    "graphs-relaxed": case(GraphLabelling(), labelled_graphs),
    "graphs-relaxed-3": case(GraphLabelling(), labelled_graphs, names=("x", "ü", "z")),
    "graphs-expansion": case(
        GraphLabelling("expansion", directed=True), labelled_graphs, convert=csr, names=(3, 1, 7)
    ),
    "graphs-flow": case(AttractiveGraphLabelling(), labelled_graphs, convert=f4),
    "graphs-flow-sparse": case(
        AttractiveGraphLabelling(class_weight="balanced"), labelled_graphs, convert=csr
    ),
    "graphs-potts": case(
        AttractiveGraphLabelling("expansion"), labelled_graphs, names=(0, 1, 2), weights=True
    ),
    "graphs-trees": case(TreeLabelling(), forests),
    "graphs-trees-sparse": case(
        TreeLabelling(True, {0: 2.0}), forests, convert=csr, names=(0, 1, 2), weights=True
    ),
    "graphs-trees-float32": case(TreeLabelling(), forests, convert=f4),
    "graphs-potts-trees": case(AttractiveGraphLabelling("tree"), forests, names=(0, 1, 2)),
    "programs": case(IntegerProgram(), programs),
    "programs-highspy": case(IntegerProgram(solver="highspy"), programs),
    "programs-relaxed": case(IntegerProgram(relaxation=True), programs, slice(1), convert=csr),
    "programs-limited": case(
        IntegerProgram(60.0, 0.1), programs, slice(1), convert=f4, weights=True
    ),
    "programs-partly-known": case(PartialIntegerProgram(), programs, slice(1), unknown=0.5),
    "programs-partly-known-weights": case(
        PartialIntegerProgram(), programs, slice(1), convert=csr, weights=True, unknown=0.7
    ),
    "decisions": predicted(GridPaths(2, 3)),
    "decisions-sparse": predicted(GridPaths(2, 3), csr),
    "decisions-float32": predicted(GridPaths(3, 2), f4),
    "decisions-shared": predicted(GridPaths(2, 3), shared=True),
    "decisions-own": lambda seed: (DecisionProblem(), *DecisionProblem.example_data()),
    "decisions-most": predicted(Knapsack([[3, 2, 4, 1], [1, 3, 2, 4]], [6, 6]), sense="max"),
    "decisions-numbers": predicted(pieces()),
    "decisions-highspy": predicted(pieces(solver="highspy")),
    "decisions-gap": predicted(pieces(mip_rel_gap=0.1)),
    "tree": case(DependencyTree(), parsed),
    "tree-roots": case(DependencyTree(False), parsed, single_root=False),
    "tree-projective": case(
        DependencyTree(projective=True), parsed, slice(1, None, 2), convert=arc_rows
    ),
    "tree-sparse": case(DependencyTree(), parsed, convert=arc_rows),
    "tree-float32": case(DependencyTree(), parsed, convert=f4),
    "tree-labels": case(DependencyTree(), parsed, slice(2), names=["a", "b"]),
    "tree-labels-sparse": case(
        DependencyTree(False), parsed, slice(3, None), convert=arc_rows, names=STRINGS[::2]
    ),
    "trees-seen-states": case(DependencyTree(all_possible_states=False), described_arcs, slice(2)),
    "mmc": case(MMCProblem(), unlabelled),
    "mmc-balance": case(MMCProblem(0.3), unlabelled, shift=4),
    "mmc-sparse": case(MMCProblem(0.1), unlabelled, convert=csr),
    "mmc-float32": case(MMCProblem(), unlabelled, convert=f4),
    "mmc-many-rows": case(MMCProblem(0.3), unlabelled, n=40, d=5),
    "mmc-sparse32-many-rows": case(MMCProblem(), unlabelled, n=40, d=5, convert=csr32),
    "mmc-known": case(MMCProblem(), unlabelled, known=2),
    "cpm3c": case(CPM3CProblem(3), unlabelled, n=6),
    "cpm3c-balance": case(CPM3CProblem(3, 0.3), unlabelled, n=5, shift=4),
    "cpm3c-sparse": case(CPM3CProblem(2, 0.1), unlabelled, n=6, convert=csr),
    "cpm3c-float32": case(CPM3CProblem(4), unlabelled, n=25, d=5, convert=f4),
    "cpm3c-sizes": case(CPM3CProblem(5, 0.2, 0.15), unlabelled, n=25, d=5, convert=csr),
    "cpm3c-uncentred": case(CPM3CProblem(3, center=False), unlabelled, n=5, shift=1),
    "cpm3c-known": case(CPM3CProblem(3), unlabelled, n=5, known=3),
    "nmi": case(nmi(), unlabelled),
    "nmi-many-rows": case(nmi(balance=0.2), unlabelled, n=40, d=5),
    "rand-sparse": case(nmi("rand"), unlabelled, convert=csr),
    "f-known": case(nmi("f"), unlabelled, d=5, known=2),
    "error": case(nmi("error"), unlabelled, d=5),
    "nmi-3": case(nmi_of(3), unlabelled, n=6),
    "rand-3-sparse": case(nmi_of(3, "rand", balance=0.1), unlabelled, convert=csr),
    "f-4-known": case(nmi_of(4, "f"), unlabelled, n=15, d=5, known=4),
    "label-set": case(LabelSet(), label_sets),
    "label-set-f1": case(LabelSet("independent", "f1"), label_sets),
    "label-set-float32": case(LabelSet("tree"), label_sets, convert=f4),
    "label-set-sparse": case(LabelSet("pairs", "f1"), label_sets, convert=csr),
    "label-set-costs": case(
        LabelSet([(0, 3), (1, 3)], [[1, 2], [0, 1], [3, 0], [1, 1]], 2.0), label_sets, convert=csr32
    ),
    "label-set-relaxed": case(RelaxedLabelSet(), label_sets),
    "label-set-attractive": case(AttractiveLabelSet(), label_sets),
    "f1": case(LabellingProblem(), documents),
    "f1-sparse": case(LabellingProblem(), documents, n=25, convert=csr, relevant=9),
    "roc-area": case(RocAreaProblem(), one_query),
    "top-k": case(TopKProblem(2), one_query),
    "average-precision": case(RankingProblem("average_precision"), queries, highest=1),
    "ndcg": case(RankingProblem("ndcg"), queries),
    "ndcg-at-2": case(RankingProblem("ndcg", 2), queries, convert=csr),
    "precision-at-2": case(RankingProblem("precision_at_k", 2), queries, highest=1),
    "ranked-pairs": case(RankingProblem("roc_area"), queries, convert=f4),
    "kmeans": case(kmeans(IterativeOracle(8)), item_sets),
    "kmeans-pairs": case(kmeans(scale=3.0), item_sets, pairs=True),
    "kmeans-nonnegative": case(kmeans(nonnegative=True), item_sets),
    "kmeans-spectral": case(kmeans("spectral"), item_sets, convert=csr, pairs=True),
    "kmeans-discrete": case(kmeans(DiscreteOracle(1), SpectralOracle()), item_sets),
    "correlation": case(correlation(), open_sets),
    "correlation-sparse": case(
        correlation(GreedyOracle(3), scale=2.0, nonnegative=True),
        open_sets,
        convert=csr,
        pairs=True,
    ),
    "correlation-relaxed": case(
        correlation("relaxed", "relaxed"), open_sets, slice(1, None), pairs=True
    ),
}

#: What a user imports of the families, the problems among it, and those that have no variant above.
PUBLIC = [getattr(structsvm.problems, name) for name in structsvm.problems.__all__]
BUNDLED = [kind for kind in PUBLIC if isinstance(kind, type) and issubclass(kind, Problem)]
VARIED = {type(make(0)[0]) for make in PROBLEMS.values()}
PROBLEMS |= {
    kind.__name__: lambda seed, kind=kind: (kind(), *kind.example_data())
    for kind in BUNDLED
    if kind not in VARIED
}
