"""MMCProblem against brute force over all labellings."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from structsvm.problems import MMCProblem

#: Enough known rows of two clusters to count for more.
KNOWN = np.array([0, 1, 1, 0, -1, -1, -1, -1])
never, sometimes = st.just(False), st.booleans()


@st.composite
def instances(draw, known=never):
    """A problem, its data and w."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(2, 8)), draw(st.integers(1, 3))
    x = rng.normal(size=(n, d)) + draw(st.sampled_from([0.0, 5.0]))
    problem = MMCProblem(draw(st.sampled_from([0.0, 0.3])))
    problem.initialize([x], [KNOWN[:n]] if draw(known) else None)
    return (
        problem,
        x,
        rng.normal(size=problem.size_joint_feature) * draw(st.sampled_from([0.01, 1.0, 20.0])),
    )


def labelings(n):
    return (np.array(y, dtype=np.int8) for y in product((-1, 1), repeat=n))


@given(instances(sometimes))
@settings(max_examples=50, deadline=None)
def test_oracle_and_decoder_against_all_labelings(instance):
    problem, x, w = instance
    scores = problem.scores(x, w)
    y = problem.decode(x, w)
    flips = problem.separation_oracle(x, y, w)
    np.testing.assert_array_equal(flips, np.abs(scores) < 1)

    def value(y_hat):
        return problem.loss(y, y_hat) - w @ problem.joint_feature_difference(x, y, y_hat)

    best = max(value(y_hat) for y_hat in labelings(len(x)))
    assert value(flips) == pytest.approx(best, abs=1e-9)
    losses = problem.row_weights_ * np.maximum(0, 1 - np.abs(scores))
    assert value(flips) == pytest.approx(losses.mean(), abs=1e-9)
    assert max(problem.loss(y, z) for z in labelings(len(x))) <= problem.max_loss * (1 + 1e-9)
    most = max(w @ problem.joint_feature(x, z) for z in labelings(len(x)))
    assert w @ problem.joint_feature(x, y) == pytest.approx(most, abs=1e-9)


@given(instances(sometimes), st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_oracle_for_any_labels_against_all_labelings(instance, seed):
    problem, x, w = instance
    y = np.random.default_rng(seed).choice(np.array([-1, 1], dtype=np.int8), len(x))
    psi = w @ problem.joint_feature(x, y)
    values = [problem.loss(y, z) - psi + w @ problem.joint_feature(x, z) for z in labelings(len(x))]
    flips = problem.separation_oracle(x, y, w)
    found = problem.loss(y, flips) - w @ problem.joint_feature_difference(x, y, flips)
    assert found == pytest.approx(max(values), abs=1e-9)


@given(instances(sometimes), st.data())
@settings(max_examples=50, deadline=None)
def test_planes_relabelled_in_steps_equal_those_from_scratch(instance, data):
    problem, x, _ = instance
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n, m = len(x), data.draw(st.integers(1, 4))
    passes = [[rng.random(n) < 0.5] for _ in range(m)]
    weights = rng.uniform(0.5, 2, (m, 1))
    y = rng.choice([-1, 1], n)
    previous = None
    for _ in range(4):
        rows, offsets = problem.task([x], [y]).relabelled(passes, weights, previous)
        for (flips,), weight, row, offset in zip(
            passes, weights.ravel(), rows, offsets, strict=True
        ):
            expected = weight * problem.joint_feature_difference(x, y, flips)
            np.testing.assert_allclose(row, expected, atol=1e-9)
            assert offset == pytest.approx(weight * problem.loss(y, flips))
        previous = ([y], rows, offsets)
        y = np.where(rng.random(n) < rng.choice([0.1, 0.5]), -y, y)


@given(instances())
@settings(max_examples=30, deadline=None)
def test_sparse_equals_dense(instance):
    problem, x, w = instance
    thin, y = sparse.csr_matrix(x), problem.decode(x, w)
    other = MMCProblem(problem.balance)
    other.initialize([thin])
    assert other.rows_.scale == pytest.approx(problem.rows_.scale)
    np.testing.assert_allclose(other.scores(thin, w), problem.scores(x, w), atol=1e-9)
    np.testing.assert_allclose(other.joint_feature(thin, y), problem.joint_feature(x, y), atol=1e-9)
    flips = problem.separation_oracle(x, y, w)
    one, two = (
        p.joint_feature_difference(data, y, flips) for p, data in ((problem, x), (other, thin))
    )
    np.testing.assert_allclose(one, two, atol=1e-9)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([np.eye(2), np.eye(2)], "one matrix; got 2 inputs"),
        ([np.ones((1, 2))], "at least two different rows"),
        (np.eye(4), "one matrix; got 4 inputs"),
        ([np.ones(4)], "2-d"),
        ([[[1, 2], [3, 4]]], "numpy array or a scipy.sparse matrix; got list"),
    ],
)
def test_the_problem_names_unusable_data(X, message):
    with pytest.raises(ValueError, match=message):
        MMCProblem().initialize(X)
