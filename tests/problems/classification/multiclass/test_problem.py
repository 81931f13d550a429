"""Multiclass: its oracles against enumeration of the classes."""

import tracemalloc

import numpy as np
import pytest
from classification_data import COST, LABELS
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import logsumexp

from structsvm import DualCoordinateAscent, SmoothedLBFGS, Status
from structsvm.problems import Multiclass


@st.composite
def instances(draw):
    """A problem, data and w; small integers, so that ties are frequent."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    names = np.array(draw(st.sampled_from(LABELS)))
    k, d = len(names), draw(st.integers(1, 4))
    y = names[np.r_[np.arange(k), rng.integers(k, size=4)]]
    whole = draw(st.booleans())
    X = rng.integers(-2, 3, (len(y), d)).astype(float) if whole else rng.normal(size=(len(y), d))
    cost = rng.uniform(0, 3, (k, k)) * (1 - np.eye(k)) if draw(st.booleans()) else None
    w = rng.normal(size=k * d) * draw(st.sampled_from([0.0, 0.1, 1.0, 30.0]))
    problem = Multiclass(cost)
    problem.initialize(X, y)
    return problem, X, y, np.round(w) if whole else w


def augmented(problem, x, y, w):
    """Losses and loss-augmented scores of every class, from joint_feature and loss alone."""
    losses = np.array([problem.loss(y, z) for z in problem.classes_])
    scores = np.array([w @ problem.joint_feature(x, z) for z in problem.classes_])
    return losses, losses + scores - w @ problem.joint_feature(x, y)


def worth(problem, values, label):
    return values[list(problem.classes_).index(label)]


@given(instances())
@settings(max_examples=60, deadline=None)
def test_oracles_against_enumeration(instance):
    problem, X, y, w = instance
    task = problem.task(X, y)
    found, slack, decoded = task.search(w), task.search_rescaled(w), problem.task(X).decode(w)
    for i, (x, truth) in enumerate(zip(X, y, strict=True)):
        losses, values = augmented(problem, x, truth, w)
        slacks = losses * (1 + values - losses)
        scores = values - losses
        for z in (found[i], problem.separation_oracle(x, truth, w)):
            assert worth(problem, values, z) == pytest.approx(values.max(), abs=1e-9)
        for z in (slack[i], problem.slack_oracle(x, truth, w)):
            assert worth(problem, slacks, z) == pytest.approx(slacks.max(), abs=1e-9)
        for z in (decoded[i], problem.decode(x, w)):
            assert worth(problem, scores, z) == pytest.approx(scores.max(), abs=1e-9)


@given(instances(), st.sampled_from([0.01, 0.5, 3.0]))
@settings(max_examples=40, deadline=None)
def test_soft_oracle_against_enumeration(instance, mu):
    problem, X, y, w = instance
    losses, values = augmented(problem, X[0], y[0], w)
    soft = problem.soft_oracle(X[0], y[0], w, mu)
    p = np.exp((values - values.max()) / mu)
    p /= p.sum()
    rows = [problem.joint_feature_difference(X[0], y[0], z) for z in problem.classes_]
    assert soft.value == pytest.approx(mu * logsumexp(values / mu), rel=1e-9, abs=1e-9)
    assert soft.loss == pytest.approx(p @ losses, rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(soft.joint_feature_difference, p @ np.array(rows), atol=1e-9)


@given(instances())
@settings(max_examples=40, deadline=None)
def test_planes_against_joint_features(instance):
    problem, X, y, w = instance
    task = problem.task(X, y)
    found, weights = task.search(w), np.linspace(0, 2, len(y))
    rows = np.array([
        problem.joint_feature(x, a) - problem.joint_feature(x, b)
        for x, a, b in zip(X, y, found, strict=True)
    ])  # fmt: skip
    np.testing.assert_allclose(task.differences(found, range(len(y))), rows)
    np.testing.assert_allclose(task.differences(list(found), np.arange(1, 3)), rows[1:3])
    np.testing.assert_allclose(task.plane(found, weights), weights @ rows, atol=1e-12)
    losses = [problem.loss(a, b) for a, b in zip(y, found, strict=True)]
    np.testing.assert_array_equal(task.losses(found), losses)


@given(instances())
@settings(max_examples=30, deadline=None)
def test_sparse_equals_dense(instance):
    problem, X, y, w = instance
    S = sparse.csr_matrix(X)
    tasks = [problem.task(data, y) for data in (X, S)]
    found, of_sparse = (task.search(w) for task in tasks)
    assert list(found) == list(of_sparse)
    np.testing.assert_array_equal(*(task.decode(w) for task in tasks))
    dense, thin = (task.differences(found, range(len(y))) for task in tasks)
    np.testing.assert_allclose(dense, thin.toarray(), atol=1e-12)
    one, two = (problem.joint_feature(data[0], y[0]) for data in (X, S))
    np.testing.assert_array_equal(one, two.toarray()[0])
    assert problem.separation_oracle(S[0], y[0], w) == problem.separation_oracle(X[0], y[0], w)


def test_psi_and_cost_are_as_documented():
    problem = Multiclass(COST)
    X, y = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), ["c", "a", "b"]
    problem.initialize(X, y)
    assert problem.size_joint_feature == 6
    np.testing.assert_array_equal(problem.joint_feature(X[0], "c"), [0, 0, 0, 0, 1, 2])
    assert problem.loss("a", "c") == 5
    assert problem.loss("c", "a") == 9
    assert problem.max_loss == 9


def test_it_forgets_earlier_data():
    problem = Multiclass()
    problem.initialize(np.eye(3), ["a", "b", "c"])
    problem.initialize(np.eye(2), [4, 5])
    assert problem.size_joint_feature == 4
    assert problem.classes_.tolist() == [4, 5]


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0], [2.0]], [0, 1], "numpy array or a scipy.sparse matrix; got list"),
        (np.ones(2), [0, 1], r"2-d .* got shape \(2,\)"),
        (np.array([["a"], ["b"]]), [0, 1], "real numbers; got dtype <U1"),
        (np.array([[np.nan], [1.0]]), [0, 1], "NaN or infinity"),
        (sparse.csr_matrix([[np.inf], [1.0]]), [0, 1], "NaN or infinity"),
        (np.eye(2), ["a", "a"], "one class only"),
        (np.eye(2), [0, np.nan], r"Y\[1\] is NaN; every row needs a label"),
        (np.eye(2), ["a", None], r"Y\[1\] is None; every row needs a label"),
        (np.eye(2), np.eye(2), r"1-d, one label per example; got shape \(2, 2\)"),
    ],
)
def test_unusable_data(X, y, message):
    with pytest.raises(ValueError, match=message):
        Multiclass().initialize(X, y)


def test_single_precision_is_not_copied():
    X = np.ones((20000, 100), dtype=np.float32)
    y = np.arange(20000) % 3
    problem = Multiclass()
    problem.initialize(X, y)
    w, task = np.linspace(0, 1, 300), problem.task(X, y)
    tracemalloc.start()
    found = task.search(w)
    task.decode(w)
    task.plane(found, np.full(len(y), 1e-4))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < X.nbytes / 2


@pytest.mark.parametrize(
    "cost", [[[0, 1j], [1, 0]], [[0, 10**400], [1, 0]], [["0", "1"], ["1", "0"]]]
)
def test_a_cost_that_is_no_real_numbers(cost):
    with pytest.raises(ValueError, match="cost must hold real numbers"):
        Multiclass(cost).initialize(np.eye(2), [0, 1])


def test_the_order_of_sparse_entries_is_left_as_it_is():
    X = sparse.csr_matrix(np.array([[1.0, 2.0, 0.0], [0.0, 3.0, 4.0], [5.0, 0.0, 6.0]]))
    X.indices, X.data = X.indices[::-1].copy(), X.data[::-1].copy()
    X = sparse.csr_matrix((X.data, X.indices, X.indptr), X.shape)
    before = X.indices.copy(), X.data.copy()
    SmoothedLBFGS().solve(Multiclass(), X, ["a", "b", "c"], 10.0)
    np.testing.assert_array_equal(X.indices, before[0])
    np.testing.assert_array_equal(X.data, before[1])


def test_a_mini_batch_may_be_empty_rows():
    X, y = np.eye(3)[np.arange(128) % 3], np.arange(128) % 3
    X[::4] = 0  # the first of four mini-batches
    result = DualCoordinateAscent().solve(Multiclass(), sparse.csr_matrix(X), y, 100.0)
    assert result.status is Status.CONVERGED
