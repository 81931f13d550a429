"""DependencyTree: oracles and soft oracle against enumeration, labels, bad data."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import logsumexp
from tree_data import all_trees, is_projective

from structsvm import OneSlackCuttingPlane, SmoothedLBFGS, StructuredSVM
from structsvm.problems import DependencyTree

NAMES = np.array(["det", "nsubj", "root"])


def csr(x):
    return sparse.csr_matrix(x.reshape(-1, x.shape[-1]))


CONVERT = {
    "dense": np.asarray,
    "float32": lambda x: x.astype(np.float32),
    "integers": lambda x: np.round(3 * x).astype(int),
    "csr": csr,
    "csr32": lambda x: csr(x).astype(np.float32),
}


def drawn(seed=0, lengths=(3, 1, 4, 2, 3), d=3, single_root=True, labelled=False, convert=None):
    rng = np.random.default_rng(seed)
    X = [np.maximum(rng.normal(size=(m, m + 1, d)), -0.5) for m in lengths]
    trees = [all_trees(m, single_root) for m in lengths]
    Y = [t[rng.integers(len(t))] for t in trees]
    if labelled:
        Y = [[(h, str(NAMES[rng.integers(3)])) for h in y.tolist()] for y in Y]
        Y[0] = [(h, str(label)) for (h, _), label in zip(Y[0], NAMES, strict=True)]
    return [CONVERT[convert or "dense"](x) for x in X], Y


def prepared(seed=0, single_root=True, **options):
    X, Y = drawn(seed, single_root=single_root, **options)
    problem = DependencyTree(single_root)
    problem.initialize(X, Y)
    return problem, X, Y, np.random.default_rng(seed + 1).normal(size=problem.size_joint_feature)


def enumerated(problem, x, y):
    """All outputs, the joint-feature differences as rows, and the losses."""
    outputs = list(problem.outputs(x))
    rows = [problem.joint_feature_difference(x, y, z) for z in outputs]
    rows = sparse.vstack(rows).toarray() if sparse.issparse(x) else np.array(rows)
    return outputs, rows.astype(np.float64), np.array([problem.loss(y, z) for z in outputs])


def small(labelled):
    """Lengths whose outputs are few."""
    return (3, 1, 2, 2) if labelled else (3, 1, 4, 2, 3)


variants = [
    pytest.mark.parametrize("single_root", [True, False]),
    pytest.mark.parametrize("labelled", [True, False]),
    pytest.mark.parametrize("convert", CONVERT),
]


def each_variant(test):
    for mark in variants:
        test = mark(test)
    return test


# ---------------------------------------------------------------------- oracles


@pytest.mark.sampled(7)
@each_variant
@pytest.mark.parametrize("seed", [0, 1])
def test_oracles_find_the_best_of_all(seed, convert, labelled, single_root):
    problem, X, Y, w = prepared(
        seed, single_root, labelled=labelled, convert=convert, lengths=small(labelled)
    )
    w = w.astype(np.float32).astype(np.float64)
    separated, decoded = problem.task(X, Y).search(w), problem.task(X).decode(w)
    for i, (x, y) in enumerate(zip(X, Y, strict=True)):
        _, rows, losses = enumerated(problem, x, y)

        def value(z, x=x, y=y):
            difference = problem.joint_feature_difference(x, y, z)
            return float(-(difference @ w)[0] if sparse.issparse(x) else -difference @ w)

        assert value(decoded[i]) == pytest.approx((-rows @ w).max(), rel=1e-5, abs=1e-5)
        found = value(separated[i]) + problem.loss(y, separated[i])
        assert found == pytest.approx((losses - rows @ w).max(), rel=1e-5, abs=1e-5)


@pytest.mark.sampled(17)
@each_variant
@pytest.mark.parametrize("mu", [10.0, 1.0, 0.05, 0.01, 1e-3])
def test_soft_sums_are_those_of_all_trees(mu, convert, labelled, single_root):
    problem, X, Y, w = prepared(
        0, single_root, labelled=labelled, convert=convert, lengths=small(labelled)
    )
    weights = np.random.default_rng(1).uniform(0, 2, len(X))
    task = problem.task(X, Y)
    found = task.soft(w, mu, weights)
    difference, loss = 0.0, 0.0
    for i, (x, y) in enumerate(zip(X, Y, strict=True)):
        _, rows, losses = enumerated(problem, x, y)
        value = mu * logsumexp((losses - rows @ w) / mu)
        p = np.exp((losses - rows @ w - value) / mu)
        difference, loss = difference + weights[i] * p @ rows, loss + weights[i] * p @ losses
        assert found.values[i] == pytest.approx(value, rel=1e-5, abs=1e-5)
    # Scores in single precision are known to 1e-7, in units of mu.
    single = task.X.rows.dtype == np.float32
    rounding = max(1e-4, 1e-6 / mu) if single else 1e-11
    np.testing.assert_allclose(found.joint_feature_difference, difference, atol=rounding)
    assert found.loss == pytest.approx(loss, abs=rounding)


@pytest.mark.parametrize("labelled", [False, True])
def test_solvers_agree(labelled):
    problem, X, Y, w = prepared(lengths=(3, 4, 2, 1, 4, 3, 2), d=4, labelled=labelled)
    Y = [*problem.task(X[:5]).decode(w), *Y[5:]]
    values = [
        solver.solve(DependencyTree(), X, Y, 30.0).primal
        for solver in (SmoothedLBFGS(rtol=1e-4), OneSlackCuttingPlane(rtol=1e-4))
    ]
    assert values[0] == pytest.approx(values[1], rel=3e-4)


def test_what_can_be_separated_is_learnt():
    rng = np.random.default_rng(0)
    X = [rng.normal(size=(m, m + 1, 4)) for m in rng.integers(1, 12, size=30)]
    problem = DependencyTree()
    problem.initialize(X[:1], [np.arange(len(X[0]))])
    Y = list(problem.task(X).decode(np.array([3.0, -2.0, 1.0, 0.5])))
    svm = StructuredSVM(DependencyTree(), C=1000.0).fit(X[:20], Y[:20])
    wrong = sum(int(np.sum(a != b)) for a, b in zip(svm.predict(X[20:]), Y[20:], strict=True))
    assert wrong <= 0.05 * sum(map(len, Y[20:]))


# ---------------------------------------------------------------------- single root


def test_several_roots_are_predicted_only_where_they_are_allowed():
    X, Y = drawn(lengths=(4, 5, 3, 4))
    for x in X:
        x[:, 0, 0] += 3  # arcs from the root
    for single_root in (True, False):
        problem = DependencyTree(single_root)
        problem.initialize(X, Y)
        found = problem.task(X).decode(np.array([1.0, 0.0, 0.0]))
        roots = [int(np.sum(heads == 0)) for heads in found]
        assert (max(roots) == 1) == single_root
    with pytest.raises(ValueError, match=r"Y\[1\] has several roots: words \[1, 3\] have the head"):
        DependencyTree().initialize(X, [Y[0], [0, 1, 0, 3, 3], *Y[2:]])
    DependencyTree(single_root=False).initialize(X, [Y[0], [0, 1, 0, 3, 3], *Y[2:]])


# ---------------------------------------------------------------------- projective trees


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("labelled", [True, False])
@pytest.mark.parametrize("mu", [1.0, 0.01])
def test_projective_oracles_against_all_trees(mu, labelled, single_root):
    rng = np.random.default_rng(0)
    X, Y = drawn(lengths=(3, 1, 2, 2) if labelled else (3, 1, 4, 5, 4), labelled=labelled)
    Y[3:] = [[0, 1], *Y[4:]] if labelled else [[2, 0, 2, 3, 3], [0, 1, 1, 3]]
    if labelled:
        Y[3] = [(0, "det"), (1, "root")]
    problem = DependencyTree(single_root, projective=True)
    problem.initialize(X, Y)
    w = rng.normal(size=problem.size_joint_feature)
    separated, decoded = problem.task(X, Y).search(w), problem.task(X).decode(w)
    for i, (x, y) in enumerate(zip(X, Y, strict=True)):
        outputs, rows, losses = enumerated(problem, x, y)
        heads = [z if not labelled else [head for head, _ in z] for z in outputs]
        assert all(is_projective(h) for h in heads)
        scores = -rows @ w
        found = problem.joint_feature_difference(x, y, decoded[i])
        assert -found @ w == pytest.approx(scores.max())
        found = problem.joint_feature_difference(x, y, separated[i])
        value = problem.loss(y, separated[i]) - found @ w
        assert value == pytest.approx((losses + scores).max())
        soft = problem.soft_oracle(x, y, w, mu)
        p = np.exp((losses + scores - soft.value) / mu)
        assert p.sum() == pytest.approx(1)
        np.testing.assert_allclose(soft.joint_feature_difference, p @ rows, atol=1e-11)


def test_trees_that_cross_are_refused_where_they_must_not():
    X, Y = drawn(lengths=(3, 1, 4))
    Y[2] = [3, 4, 0, 3]
    DependencyTree().initialize(X, Y)
    Y[0] = [2, 0, 2]
    with pytest.raises(ValueError, match=r"Y\[2\] is not projective: .* from 3 to 1 and from 4"):
        DependencyTree(projective=True).initialize(X, Y)


# ---------------------------------------------------------------------- forms of outputs


def test_labelled_trees_come_back_as_pairs():
    X, Y = drawn(labelled=True)
    svm = StructuredSVM(DependencyTree()).fit(X, Y)
    found = svm.predict(X)
    assert isinstance(found[0], list)
    assert {label for y in found for _, label in y} <= set(NAMES.tolist())
    assert svm.problem_.classes_.tolist() == NAMES.tolist()
    again = StructuredSVM(DependencyTree()).fit(X, found)
    assert again.score(X, found) <= 1


@pytest.mark.parametrize("names", [[3, 7, 900], [0.5, 1.5, 2.0]])
def test_labels_of_any_kind(names):
    X, Y = drawn(labelled=True)
    codes = {name: names[k] for k, name in enumerate(NAMES.tolist())}
    Y = [[(head, codes[label]) for head, label in y] for y in Y]
    found = StructuredSVM(DependencyTree()).fit(X, Y).predict(X)
    assert {label for y in found for _, label in y} <= set(names)
    rows = [np.array(y) for y in Y] if isinstance(names[0], int) else Y
    DependencyTree().initialize(X, rows)


def test_trees_of_another_problem_keep_their_labels():
    X, Y = drawn(labelled=True)
    problem = DependencyTree()
    problem.initialize(X, Y)
    other = DependencyTree()
    other.initialize(X, [[(h, label.replace("det", "zzz")) for h, label in y] for y in Y])
    trees = problem.task(X, Y).Y
    with pytest.raises(ValueError, match="unknown label 'det'"):
        other.task(X, trees)


# ---------------------------------------------------------------------- bad data


def bad_trees(i, y):
    X, Y = drawn()
    Y[i] = y
    return X, Y


@pytest.mark.parametrize(
    "i, y, message",
    [
        (
            2,
            [2, 3, 1, 0],
            r"the heads in y\[2\] have a cycle: from words \[1, 2, 3\] they never",
        ),
        (2, [0, 3, 2, 1], r"y\[2\] have a cycle: from words \[2, 3\]"),
        (0, [1, 0, 2], r"y\[0\] have a cycle: from words \[1\]"),
        (
            4,
            [0, 0, 2],
            r"y\[4\] has several roots: words \[1, 2\] have the head 0; .*single_root=",
        ),
        (0, [0, 0, 0], r"y\[0\] has several roots: words \[1, 2, 3\]"),
        (0, [0, 4, 1], r"the head of word 2 in y\[0\] is 4; expected 0 .* from 1 to 3"),
        (0, [0, -1, 1], r"the head of word 2 in y\[0\] is -1"),
        (0, [0, 1], r"y\[0\] must hold heads of 3 words.*got shape \(2,\)"),
        (1, [], r"y\[1\] must hold heads of 1 words.*got shape \(0,\)"),
        (0, [0.0, 1.0, 1.0], r"the heads in y\[0\] must be integers.*float64"),
        (0, ["0", "1", "1"], r"the heads in y\[0\] must be integers"),
        (2, [(0, "a"), (1, "b"), (1, "b"), (1, "a")], r"y\[2\] must hold heads of 4 words"),
        (1, np.ma.masked_array([0], [True]), r"y\[1\] must not be masked"),
    ],
)
def test_what_is_no_tree_is_refused(i, y, message):
    with pytest.raises(ValueError, match=message):
        StructuredSVM(DependencyTree()).fit(*bad_trees(i, y))


@pytest.mark.parametrize(
    "y, message",
    [
        ([(2, "det"), (3, "det"), (2, "root")], r"y\[4\] have a cycle: from words \[1, 2, 3\]"),
        ([(0, "det"), (0, "det"), (2, "root")], r"y\[4\] has several roots"),
        ([(0, "det"), (9, "det"), (2, "root")], r"head of word 2 in y\[4\] is 9"),
        ([(0, "det")], r"y\[4\] must hold pairs \(head, label\) of 3 words"),
        ([0, 1, 1], r"y\[4\] must hold a pair \(head, label\) for each word"),
        ([(0, "det"), (1, 7), (2, "root")], "labels of one kind"),
    ],
)
def test_labelled_trees_that_are_none_are_refused(y, message):
    X, Y = drawn(labelled=True)
    Y[4] = y
    with pytest.raises(ValueError, match=message):
        StructuredSVM(DependencyTree()).fit(X, Y)


def test_unknown_labels_are_refused():
    X, Y = drawn(labelled=True)
    svm = StructuredSVM(DependencyTree()).fit(X, Y)
    with pytest.raises(ValueError, match=r"unknown label 'obj'; the classes are \['det'"):
        svm.score(X, [*Y[:4], [(0, "obj"), (1, "det"), (2, "root")]])
    with pytest.raises(ValueError, match=r"have the same label, 'det'; .* the heads alone"):
        StructuredSVM(DependencyTree()).fit(X, [[(h, "det") for h, _ in y] for y in Y])


@pytest.mark.parametrize(
    "x, message",
    [
        (np.zeros((0, 1, 3)), r"X\[1\] must be an array .* for m > 0 words"),
        (sparse.csr_matrix((0, 3)), r"X\[1\] must be .* for m > 0 words"),
        (np.zeros((3, 3, 3)), r"X\[1\] must be .*\(m, m \+ 1, d\).* got ndarray \(3, 3, 3\)"),
        (sparse.csr_matrix((7, 3)), r"X\[1\] must be .*\(m \* \(m \+ 1\), d\).* \(7, 3\)"),
        (np.zeros((1, 2, 4)), r"X\[1\] has 4 features but X\[0\] has 3"),
        (np.zeros((1, 2)), r"X\[1\] must be an array of shape \(m, m \+ 1, d\).*\(1, 2\)"),
        ("sentence", r"X\[1\] must be an array .*got str"),
        (np.full((1, 2, 3), np.nan), r"X\[1\], the arcs of one sentence: X contains NaN"),
        (np.full((1, 2, 3), 1e300), r"X\[1\], the arcs of one sentence: .*overflow"),
        (np.array([[["a"] * 3] * 2]), r"X\[1\], the arcs of one sentence: .*real numbers"),
    ],
)
def test_bad_arcs_are_refused(x, message):
    X, Y = drawn()
    X[1] = x
    with pytest.raises(ValueError, match=message):
        StructuredSVM(DependencyTree()).fit(X, Y)


def test_prediction_needs_the_features_of_training():
    X, Y = drawn()
    svm = StructuredSVM(DependencyTree()).fit(X, Y)
    with pytest.raises(ValueError, match="X has 2 features; expected 3, as in training"):
        svm.predict([x[..., :2] for x in X])
    with pytest.raises(ValueError, match="needs the outputs y"):
        StructuredSVM(DependencyTree()).fit(X)
