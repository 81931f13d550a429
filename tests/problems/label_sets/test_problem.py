"""Problems of label sets: oracles and soft oracles against enumeration, and bad data."""

import numpy as np
import pytest
from label_set_data import CONVERT, all_sets, drawn, f1_loss
from scipy import sparse
from scipy.special import logsumexp

from structsvm import OneSlackCuttingPlane, SmoothedLBFGS, StructuredSVM, check_problem
from structsvm.problems import AttractiveLabelSet, LabelSet, RelaxedLabelSet
from structsvm.problems.label_sets.task import variance

STRUCTURES = ["independent", "tree", "pairs", [(0, 3), (1, 3)], [(0, 1), (1, 2), (0, 2)]]
COSTS = ["hamming", "f1", [1.0, 0.0, 2.0, 0.5], [[1, 2], [0, 1], [3, 0], [1, 1]]]
variants = [
    pytest.mark.parametrize("structure", STRUCTURES, ids=str),
    pytest.mark.parametrize("cost", COSTS, ids=str),
    pytest.mark.parametrize("convert", ["dense", "csr32"]),
]


def each_variant(test):
    for mark in variants:
        test = mark(test)
    return test


def prepared(seed, problem, convert="dense"):
    X, Y = drawn(seed, convert=convert)
    problem.initialize(X, Y)
    w = np.random.default_rng(seed + 1).normal(size=problem.size_joint_feature)
    return X, Y, w


def dense(row):
    return row.toarray()[0] if sparse.issparse(row) else np.asarray(row)


def own_loss(cost, y, z):
    if isinstance(cost, str) and cost == "f1":
        return f1_loss(y, z)
    table = np.ones(len(y)) if isinstance(cost, str) else np.array(cost, dtype=float)
    missed, extra = (table, table) if table.ndim == 1 else table.T
    total = 0.0
    for label, (true, found) in enumerate(zip(y, z, strict=True)):
        total += missed[label] * (true and not found) + extra[label] * (found and not true)
    return total / len(y)


def enumerated(problem, x, y, w):
    """The differences of joint features of all outputs, their losses and their scores."""
    outputs = list(problem.outputs(x))
    rows = np.array([dense(problem.joint_feature_difference(x, y, z)) for z in outputs])
    losses = np.array([own_loss(problem.cost, y, z) for z in outputs])
    return rows.astype(np.float64), losses, losses - rows @ w


@pytest.mark.sampled(5)
@each_variant
def test_oracles_and_losses_are_those_of_all_outputs(structure, cost, convert):
    for seed in range(2):
        problem = LabelSet(structure, cost, 2.0)
        X, Y, w = prepared(seed, problem, convert)
        if seed:
            w *= 0.1
        task = problem.task(X, Y)
        found, decoded = task.search(w), problem.task(X).decode(w)
        np.testing.assert_array_equal(task.losses(found) <= problem.max_loss, True)
        for i, y in enumerate(Y):
            x = X[i]
            rows, losses, scores = enumerated(problem, x, y, w)
            own = [problem.loss(y, z) for z in problem.outputs(x)]
            np.testing.assert_allclose(own, losses, atol=1e-12)
            assert max(own) <= problem.max_loss + 1e-12
            difference = dense(problem.joint_feature_difference(x, y, found[i]))
            value = problem.loss(y, found[i]) - difference @ w
            assert value == pytest.approx(scores.max(), abs=1e-5)
            plain = -dense(problem.joint_feature_difference(x, y, decoded[i])) @ w
            assert plain == pytest.approx((-rows @ w).max(), abs=1e-5)


@pytest.mark.sampled(5)
@each_variant
@pytest.mark.parametrize("mu", [1.0, 0.05])
def test_soft_oracles_are_sums_over_all_outputs(structure, cost, convert, mu):
    problem = LabelSet(structure, cost, 2.0)
    X, Y, w = prepared(0, problem, convert)
    weights = np.arange(len(Y)) / 3
    total = problem.task(X, Y).soft(w, mu, weights)
    expected_rows, expected_loss = 0.0, 0.0
    for i, y in enumerate(Y):
        rows, losses, scores = enumerated(problem, X[i], y, w)
        value = logsumexp(scores / mu)
        p = np.exp(scores / mu - value)
        assert total.values[i] == pytest.approx(mu * value, abs=1e-5)
        expected_rows = expected_rows + weights[i] * (p @ rows)
        expected_loss += weights[i] * (p @ losses)
    np.testing.assert_allclose(total.joint_feature_difference, expected_rows, atol=1e-4)
    assert total.loss == pytest.approx(expected_loss, abs=1e-4)


@pytest.mark.sampled(17)
@pytest.mark.parametrize("structure, convert", [*zip(STRUCTURES, CONVERT, strict=True)], ids=str)
@pytest.mark.parametrize("problem", [LabelSet, RelaxedLabelSet, AttractiveLabelSet])
def test_problems_keep_the_contract(problem, structure, convert):
    X, Y = drawn(3, convert=convert)
    check_problem(problem(structure, pair_scale=0.5), X, Y)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("cost", COSTS, ids=str)
def test_costs_keep_the_contract(cost):
    check_problem(LabelSet("pairs", cost), *drawn(3))
    if cost != "f1":
        check_problem(AttractiveLabelSet("pairs", cost), *drawn(3))


@pytest.mark.parametrize("convert", ["dense", "csr"])
def test_the_relaxed_oracle_overgenerates(convert):
    halves = 0
    for seed in range(10):
        problem = RelaxedLabelSet(pair_scale=2.0)
        X, Y, w = prepared(seed, problem, convert)
        w[-6:] = -np.abs(w[-6:])  # labels exclude each other
        task = problem.task(X, Y)
        found, decoded = task.search(w), task.decode(w)
        rows = task.differences(found, range(len(Y)))
        rows = rows.toarray() if sparse.issparse(rows) else rows
        values = task.losses(found) - rows @ w
        weights = np.arange(1.0, len(Y) + 1)
        np.testing.assert_allclose(task.plane(found, weights), weights @ rows, atol=1e-12)
        for i, y in enumerate(Y):
            _, _, scores = enumerated(problem, X[i], y, w)
            assert values[i] >= scores.max() - 1e-6
            assert set(decoded[i]) <= {0, 1}
            if not np.any(found[i] == 0.5):
                assert values[i] == pytest.approx(scores.max(), abs=1e-6)
        halves += np.count_nonzero(np.any(found == 0.5, axis=1))
    assert halves
    assert problem.oracle_quality == "overgenerating"


def test_sums_over_sparse_examples_are_those_over_dense_ones():
    problem = LabelSet("pairs")
    X, Y, w = prepared(5, problem)
    tasks = [problem.task(rows, Y) for rows in (X, sparse.csr_matrix(X))]
    np.testing.assert_allclose(*(task.curvature(w, 0.1, np.ones(len(Y))) for task in tasks))
    found = tasks[0].search(w)
    dense_rows, rows = (task.differences(found, range(len(Y))) for task in tasks)
    np.testing.assert_allclose(dense_rows, rows.toarray())


def test_solvers_agree_on_the_optimum():
    X, Y = LabelSet.example_data()
    for problem in (LabelSet("pairs"), LabelSet("tree"), LabelSet("independent", "f1")):
        results = [solver.solve(problem, X, Y, C=20.0) for solver in
                   (SmoothedLBFGS(rtol=1e-5), OneSlackCuttingPlane(rtol=1e-5))]  # fmt: skip
        assert results[0].primal == pytest.approx(results[1].primal, rel=1e-4)


def test_attractive_weights_reach_the_bounded_optimum():
    rng = np.random.default_rng(0)
    X = np.hstack([rng.normal(size=(60, 3)), np.ones((60, 1))])
    Y = (X[:, :3] + 0.3 * rng.normal(size=(60, 3)) > 0).astype(int)
    Y[:, 2] = (1 - Y[:, 0]) & Y[:, 1]  # the first label and the last exclude each other
    bounded = StructuredSVM(AttractiveLabelSet(), C=20.0, rtol=1e-4).fit(X, Y).result_
    free = StructuredSVM(LabelSet("pairs"), C=20.0, rtol=1e-4).fit(X, Y).result_
    assert np.all(bounded.w[-3:] >= 0) and np.any(free.w[-3:] < -1e-2)
    assert bounded.primal > free.primal * (1 + 1e-3)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("n, n_labels, scale", [(30, 3, 1e9), (10, 4, 1e11)])
def test_bounds_hold_where_one_row_is_much_larger_than_the_others(n, n_labels, scale):
    rng, problem = np.random.default_rng(0), AttractiveLabelSet()
    X, Y = rng.normal(size=(n, 4)), rng.integers(2, size=(n, n_labels))
    X[0] *= scale
    result = OneSlackCuttingPlane(max_iter=200).solve(problem, X, Y, C=10.0)
    problem.initialize(X, Y)
    slacks = [
        max(
            problem.loss(y, z) - result.w @ problem.joint_feature_difference(x, y, z)
            for z in problem.outputs(x)
        )
        for x, y in zip(X, Y, strict=True)
    ]
    primal = 10.0 * np.mean(slacks) + 0.5 * result.w @ result.w
    assert result.dual <= primal <= result.primal


@pytest.mark.parametrize("rounding", [-1e-16, 0, 1e-16])
def test_probabilities_may_be_rounded(rounding):
    assert variance(np.array([1 + rounding, 0.5])).min() >= 0


@pytest.mark.parametrize(
    "problem, Y, message",
    [
        (LabelSet(), None, "needs the outputs Y"),
        (LabelSet(), [0, 1, 1], "must be 2-d"),
        (LabelSet(), np.zeros((3, 0)), "must be 2-d"),
        (LabelSet(), [[0, 2], [0, 1], [1, 1]], r"Y\[0, 1\] is 2"),
        (LabelSet(), [[0, -1], [0, 1], [1, 1]], r"Y\[0, 1\] is -1"),
        (LabelSet(), [[0, 1], [0, np.nan], [1, 1]], "Y contains NaN|is nan"),
        (LabelSet(), [["a", "b"]] * 3, "MultiLabelBinarizer"),
        (LabelSet(), [[0], [0, 1], [1, 1]], "MultiLabelBinarizer"),
        (LabelSet(), [["rain"], ["sun", "wind"], []], "MultiLabelBinarizer"),
        (LabelSet(), [["rain", "sun"], ["sun", "wind"], ["sun", "rain"]], "MultiLabelBinarizer"),
        (LabelSet(), [[3, 5], [1, 2], [1, 0]], "MultiLabelBinarizer"),
        (LabelSet(), [{"rain"}, {"sun", "wind"}, set()], "MultiLabelBinarizer"),
        (LabelSet(), [[0, 1], [1, 1]], "3 examples"),
        (LabelSet("chain"), np.eye(3), "structure must be"),
        (LabelSet(cost="jaccard"), np.eye(3), "cost must be"),
        (LabelSet(cost=[1, 2]), np.eye(3), "cost must be"),
        (LabelSet(cost=[1, -2, 1]), np.eye(3), "cost must be finite, >= 0"),
        (LabelSet(cost=[1, np.nan, 1]), np.eye(3), "cost must be finite"),
        (LabelSet(cost=[0, 0, 0]), np.eye(3), "> 0 somewhere"),
        (LabelSet(pair_scale=0.0), np.eye(3), "pair_scale"),
        (LabelSet("pairs"), np.zeros((3, 15)), "RelaxedLabelSet"),
        (LabelSet("tree", "f1"), np.zeros((3, 15)), "structure='independent'"),
        (RelaxedLabelSet(cost="f1"), np.eye(3), "attractive=False"),
        (AttractiveLabelSet(cost="f1"), np.eye(3), "attractive=False"),
    ],
)
def test_bad_data_are_refused(problem, Y, message):
    with pytest.raises(ValueError, match=message):
        problem.initialize(np.ones((3, 2)), Y)


def test_features_of_another_number_are_refused():
    problem = LabelSet()
    X, _, _ = prepared(0, problem)
    with pytest.raises(ValueError, match="expected 3 columns"):
        problem.task(X[:, :2])


def test_outputs_are_all_sets():
    problem = LabelSet()
    X, Y = drawn()
    problem.initialize(X, Y)
    assert sorted(map(tuple, problem.outputs(X[0]))) == sorted(map(tuple, all_sets(4)))
