"""DependencyTree: projective trees, mostly projective treebanks, forms of outputs, bad data."""

import numpy as np
import pytest
from cases.problems import initialized
from enumeration import assert_oracles_are_those_of_all_outputs, drawn_w
from refusals import refused
from scipy import sparse
from tree_data import all_trees, is_projective

from structsvm import SmoothedLBFGS, Status, StructuredSVM
from structsvm.problems import DependencyParser, DependencyTree

NAMES = np.array(["det", "nsubj", "root"])


def drawn(lengths=(3, 1, 4, 2, 3), labelled=False):
    rng = np.random.default_rng(0)
    X = [np.maximum(rng.normal(size=(m, m + 1, 3)), -0.5) for m in lengths]
    trees = [all_trees(m, True) for m in lengths]
    Y = [t[rng.integers(len(t))] for t in trees]
    if labelled:
        Y = [[(h, str(NAMES[rng.integers(3)])) for h in y.tolist()] for y in Y]
        Y[0] = [(h, str(label)) for (h, _), label in zip(Y[0], NAMES, strict=True)]
    return X, Y


@pytest.mark.parametrize(
    "projective, labelled, single_root",
    [(True, True, True), (True, False, False), (False, True, False), (False, False, True)],
)
def test_outputs_are_all_trees(projective, labelled, single_root):
    X, Y = drawn((3, 1, 2, 2), labelled)
    problem = initialized(DependencyTree(single_root, projective=projective), X, Y)
    for x, m in zip(X, map(len, Y), strict=True):
        heads = {tuple(h[0] if labelled else h for h in y) for y in problem.outputs(x)}
        expected = {tuple(h) for h in all_trees(m, single_root).tolist()}
        assert heads == {h for h in expected if not projective or is_projective(h)}


def test_several_roots_are_predicted_only_where_they_are_allowed():
    X, Y = drawn((4, 5, 3, 4))
    for x in X:
        x[:, 0, 0] += 3  # arcs from the root
    for single_root in (True, False):
        problem = initialized(DependencyTree(single_root), X, Y)
        found = problem.task(X).decode(np.array([1.0, 0.0, 0.0]))
        assert (max(int(np.sum(heads == 0)) for heads in found) == 1) == single_root


def test_trees_that_cross_are_refused_where_they_must_not():
    X, Y = drawn((3, 1, 4))
    Y[2] = [3, 4, 0, 3]
    DependencyTree().initialize(X, Y)
    Y[0] = [2, 0, 2]
    message = r"Y\[2\] is not projective: .* from 3 to 1 and from 4 .*projective=False or 'auto'"
    with pytest.raises(ValueError, match=message):
        DependencyTree(projective=True).initialize(X, Y)


@pytest.mark.parametrize("names", [NAMES.tolist(), [3, 7, 900], [0.5, 1.5, 2.0]])
def test_labelled_trees_come_back_as_pairs(names):
    X, Y = drawn(labelled=True)
    codes = dict(zip(NAMES.tolist(), names, strict=True))
    Y = [[(head, codes[label]) for head, label in y] for y in Y]
    svm = StructuredSVM(DependencyTree()).fit(X, Y)
    found = svm.predict(X)
    assert isinstance(found[0], list)
    assert {label for y in found for _, label in y} <= set(names) == {*svm.problem_.classes_}
    rows = [np.array(y) for y in found] if isinstance(names[0], int) else found
    DependencyTree().initialize(X, rows)


def test_labels_of_other_training_data_are_refused():
    X, Y = drawn(labelled=True)
    problem, other = DependencyTree(), DependencyTree()
    problem.initialize(X, Y)
    other.initialize(X, [[(h, label.replace("det", "zzz")) for h, label in y] for y in Y])
    with pytest.raises(ValueError, match="unknown label 'det'"):
        other.task(X, problem.task(X, Y).Y)
    svm = StructuredSVM(DependencyTree()).fit(X, Y)
    with pytest.raises(ValueError, match=r"unknown label 'obj'; the classes are \['det'"):
        svm.score(X, [*Y[:4], [(0, "obj"), (1, "det"), (2, "root")]])
    with pytest.raises(ValueError, match=r"have the same label, 'det'; .* the heads alone"):
        svm.fit(X, [[(h, "det") for h, _ in y] for y in Y])


# ---------------------------------------------------------------------- bad data


def fit_with(i, x=None, y=None, labelled=False):
    """Fit to the data with another input or output number i."""
    X, Y = drawn(labelled=labelled)
    X[i], Y[i] = X[i] if x is None else x, Y[i] if y is None else y
    StructuredSVM(DependencyTree()).fit(X, Y)


test_what_is_no_tree_is_refused = refused(
    lambda i, y: fit_with(i, y=y),
    (2, [2, 3, 1, 0], r"the heads in y\[2\] have a cycle: from words \[1, 2, 3\] they never"),
    (4, [0, 0, 2], r"y\[4\] has several roots: words \[1, 2\] have the head 0; .*single_root="),
    (0, [0, 4, 1], r"the head of word 2 in y\[0\] is 4; expected 0 .* from 1 to 3"),
    (0, [0, 1], r"y\[0\] must hold heads of 3 words.*got shape \(2,\)"),
    (0, [0.0, 1.0, 1.0], r"the heads in y\[0\] must be integers.*float64"),
    (2, [(0, "a"), (1, "b"), (1, "b"), (1, "a")], r"y\[2\] must hold heads of 4 words"),
    (1, np.ma.masked_array([0], [True]), r"y\[1\] must not be masked"),
)
test_what_is_no_labelled_tree_is_refused = refused(
    lambda y: fit_with(4, y=y, labelled=True),
    ([(2, "det"), (3, "det"), (2, "root")], r"y\[4\] have a cycle: from words \[1, 2, 3\]"),
    ([(0, "det")], r"y\[4\] must hold pairs \(head, label\) of 3 words"),
    ([0, 1, 1], r"y\[4\] must hold a pair \(head, label\) for each word"),
    ([(0, "det"), (1, 7), (2, "root")], "labels of one kind"),
)
test_bad_arcs_are_refused = refused(
    lambda x: fit_with(1, x=x),
    (np.zeros((0, 1, 3)), r"X\[1\] must be an array .* for m > 0 words"),
    (sparse.csr_matrix((0, 3)), r"X\[1\] must be .* for m > 0 words"),
    (np.zeros((3, 3, 3)), r"X\[1\] must be .*\(m, m \+ 1, d\).* got ndarray \(3, 3, 3\)"),
    (sparse.csr_matrix((7, 3)), r"X\[1\] must be .*\(m \* \(m \+ 1\), d\).* \(7, 3\)"),
    (np.zeros((1, 2, 4)), r"X\[1\] has 4 features but X\[0\] has 3"),
    (np.zeros((1, 2)), r"X\[1\] must be an array of shape \(m, m \+ 1, d\).*\(1, 2\)"),
    ("sentence", r"X\[1\] must be an array .*got str"),
    (np.full((1, 2, 3), np.nan), r"X\[1\], the arcs of one sentence: X contains NaN"),
)


def test_prediction_needs_the_features_of_training():
    X, Y = drawn()
    svm = StructuredSVM(DependencyTree()).fit(X, Y)
    with pytest.raises(ValueError, match="X has 2 features; expected 3, as in training"):
        svm.predict([x[..., :2] for x in X])


# ---------------------------------------------------------------------- projective='auto'

#: Two pairs of arcs that cross.
CROSSING = [3, 4, 0, 3]
PLAIN = [[2, 0, 2, 3], [0, 1, 1], [2, 0], [0, 1, 2, 3], [0], [2, 3, 0], [0, 1]]


def treebank(crossing=1, names=None):
    rng = np.random.default_rng(0)
    Y = [np.array(heads) for heads in [*PLAIN, *[CROSSING] * crossing]]
    X = [rng.normal(size=(len(y), len(y) + 1, 3)) for y in Y]
    if names is not None:
        Y = [[(int(h), names[j % len(names)]) for j, h in enumerate(y)] for y in Y]
    return X, Y


def prepared(names=None):
    X, Y = treebank(names=names)
    problem = initialized(DependencyTree(projective="auto"), X, Y)
    return problem, X, Y


@pytest.mark.parametrize("names", [None, ["a", "b"]])
def test_the_oracles_search_projective_trees_and_the_true_one(names):
    problem, X, Y = prepared(names)
    assert problem.projective_
    others = {len(X) - 1: [Y[-1]]}
    assert_oracles_are_those_of_all_outputs(problem, X, Y, drawn_w(problem), 0.5, others)


@pytest.mark.parametrize("names", [None, ["a", "b"]])
def test_trees_that_cross_have_parts_too(names):
    problem, X, Y = prepared(names)
    task = problem.task(X, Y)
    places, names = task.part_places(Y)[-1], task.part_names(len(X) - 1)
    assert np.isfinite(task.max_marginals(drawn_w(problem))[-1].flat[places]).all()
    chosen = [slot[place % len(slot)] for slot, place in zip(names, places, strict=True)]
    assert chosen == list(Y[-1])


def test_training_keeps_them_and_is_certified():
    X, Y = treebank()
    result = SmoothedLBFGS(rtol=1e-4).solve(DependencyTree(projective="auto"), X, Y, 20.0)
    assert result.status is Status.CONVERGED
    assert result.verify(DependencyTree(projective="auto"), X, Y).matches
    without = SmoothedLBFGS(rtol=1e-4).solve(DependencyTree(projective=True), X[:-1], Y[:-1], 20.0)
    assert abs(result.w - without.w).max() > 0.1


@pytest.mark.filterwarnings("ignore:training ended at w = 0")
def test_the_fraction_decides():
    assert DependencyParser(C=100.0).fit(*treebank(crossing=1)).problem_.projective_
    X, Y = treebank(crossing=2)
    assert not DependencyParser(C=100.0).fit(X, Y).problem_.projective_
    for fit in (DependencyParser(projective="x").fit, DependencyTree(projective="x").initialize):
        with pytest.raises((TypeError, ValueError), match="projective, if not 'auto', must be"):
            fit(X, Y)


@pytest.mark.parametrize("scale", [1.0, 30.0, 1000.0])
def test_variances_are_never_negative(scale):
    problem, X, Y = prepared()
    for mu in (1.0, 0.01):
        w = drawn_w(problem, scale)
        assert problem.task(X, Y).curvature(w, mu, np.ones(len(X))).min() >= 0


def test_nobody_is_told_that_projective_parses_miss_crossing_trees(recwarn):
    X = [[("a", "A"), ("b", "B"), ("c", "C"), ("d", "D")]] + [[("x", "X"), ("y", "Y")]] * 9
    Y = [[3, 4, 0, 3]] + [[2, 0]] * 9
    parser = DependencyParser().fit(X, Y)
    assert parser.problem_.projective_ and parser.problem_.decode_may_miss
    assert not [w for w in recwarn if "misses outputs" in str(w.message)]
    assert not DependencyParser().fit(X[1:], Y[1:]).problem_.decode_may_miss
